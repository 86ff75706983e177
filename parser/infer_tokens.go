package parser

import (
	"bytes"
	"slices"
	"strings"
)

// A token is a column as it stands in a line: literals around a value.
type token struct {
	head, tail string
	value      []byte
}

// A family is lines whose tokens have the same literals.
type family struct {
	sep  byte
	rows [][]token
}

// families sorts the lines by their tokens, the largest family first.
func (s *Sample) families(sep byte) (list []*family) {
	byShape := map[string]*family{}
	for _, line := range s.lines {
		tokens := tokensOf(line.text, sep)
		if len(tokens) < fewestTokens || len(tokens) > mostTokens {
			continue
		}
		var shape strings.Builder
		for _, t := range tokens {
			shape.WriteString(t.head + "\x00" + t.tail + "\x00")
		}
		g := byShape[shape.String()]
		if g == nil {
			g = &family{sep: sep}
			byShape[shape.String()] = g
			list = append(list, g)
		}
		g.rows = append(g.rows, tokens)
	}
	slices.SortStableFunc(list, func(a, b *family) int { return len(b.rows) - len(a.rows) })
	return list
}

// tokensOf cuts a line at the separators that stand outside quotes and
// brackets.
func tokensOf(line []byte, sep byte) (list []token) {
	for i := 0; ; {
		t, n := tokenAt(line[i:], sep)
		list = append(list, t)
		if i += n; i >= len(line) || len(list) > mostTokens {
			return list
		}
		if i++; i == len(line) {
			return append(list, token{})
		}
	}
}

// closers are what ends a value that begins with one of the openers.
const openers, closers = `"'[(<`, `"'])>`

// tokenAt reads the token that begins s and returns its length. Blanks around
// its value belong to its literals.
func tokenAt(s []byte, sep byte) (t token, n int) {
	lo := 0
	if sep != ' ' {
		lo = skipBlanks(s, 0)
	}
	lo += keyLength(s[lo:])
	if lo < len(s) {
		if k := strings.IndexByte(openers, s[lo]); k >= 0 {
			if end := closeAt(s[lo+1:], closers[k], sep); end >= 0 {
				end += lo + 1
				next := end + 1
				for next < len(s) && s[next] != sep {
					next++
				}
				return token{string(s[:lo+1]), string(s[end:next]), s[lo+1 : end]}, next
			}
		}
	}
	end := lo
	if sep == '|' {
		end += pipedCluster(s[lo:])
	}
	for end < len(s) && s[end] != sep {
		end++
	}
	value := s[lo:end]
	if sep != ' ' {
		value = bytes.TrimRight(value, " ")
	}
	return token{string(s[:lo]), string(s[lo+len(value) : end]), value}, end
}

// closeAt finds the closer that a separator or the end of the line follows,
// perhaps behind blanks.
func closeAt(s []byte, closer, sep byte) int {
	for i, c := range s {
		if c != closer {
			continue
		}
		if next := i + 1; next == len(s) || s[next] == sep || skipBlanks(s, next) < len(s) && s[skipBlanks(s, next)] == sep {
			return i
		}
	}
	return -1
}

// keyLength is the length of `key=` or `key:` at s[0]; 0 when there is none.
func keyLength(s []byte) int {
	n := 0
	for n < len(s) && n < 64 && (isLetter(s[n]|' ') || n > 0 && (isDigit(s[n]) || strings.IndexByte("_.-@", s[n]) >= 0)) {
		n++
	}
	if n == 0 || n+1 >= len(s) || s[n] != '=' && s[n] != ':' {
		return 0
	}
	if s[n] == ':' {
		if _, known := keyOf(s[:n]); !known {
			return 0
		}
	}
	return n + 1
}
