package main

import (
	"github.com/valyala/fastjson"

	"github.com/flagwatch/flagwatch/internal/safe"
)

// maxDepth is how deep a nested value may be; a deeper one is kept as text.
const maxDepth = 32

// appendNested appends a JSON value on one line, runes that a terminal could
// obey escaped. What turns out to be no JSON is appended as a string.
func appendNested(buf, value []byte) []byte {
	plain := true
	for _, b := range value {
		plain = plain && b > ' ' && b < 0x7F
	}
	if jsonDepth(value) > maxDepth || fastjson.ValidateBytes(value) != nil {
		return safe.AppendJSON(buf, value)
	}
	if plain {
		return append(buf, value...)
	}
	begin := len(buf)
	buf = safe.AppendDocument(buf, value)
	return buf[:begin+removeBlanks(buf[begin:])]
}

// jsonDepth returns how deep the brackets of a value are nested.
func jsonDepth(value []byte) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(value); i++ {
		switch b := value[i]; {
		case b == '"':
			quoted = !quoted
		case quoted && b == '\\':
			i++
		case quoted:
		case b == '{' || b == '[':
			depth++
			deepest = max(deepest, depth)
		case b == '}' || b == ']':
			depth--
		}
	}
	return deepest
}

// removeBlanks removes the blanks between the tokens of a well-formed value,
// in place, and returns the new length.
func removeBlanks(value []byte) int {
	n, quoted := 0, false
	for i := 0; i < len(value); i++ {
		b := value[i]
		if !quoted && (b == ' ' || b == '\t' || b == '\r' || b == '\n') {
			continue
		}
		value[n] = b
		n++
		if b == '"' {
			quoted = !quoted
		}
		if quoted && b == '\\' && i+1 < len(value) {
			i++
			value[n] = value[i]
			n++
		}
	}
	return n
}
