package sinks

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/flagwatch/flagwatch/parser"
)

// cellNanos is the width of a cell: ten seconds.
const cellNanos = 10e9

// classOf returns the part of the details that names a class: what stands in
// front of the first bracket, and inside it the reason of a reset, and the
// policy that denied: [none], [ns[shop]-policy[cart]-rule[0]]. The closing brace
// is left out, so that a class is a view.
// Source: https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details
func classOf(details []byte) []byte {
	end := 0
	for end < len(details) && details[end] != '{' && details[end] != '[' && details[end] != '(' {
		end++
	}
	if end == len(details) || details[end] == '[' && details[len(details)-1] == ']' {
		return details
	}
	if details[end] != '{' || !bytes.HasPrefix(details, []byte("upstream_reset_")) {
		return details[:end]
	}
	if n := bytes.IndexAny(details[end:], ",|}"); n >= 0 {
		return details[:end+n]
	}
	return details
}

// className closes the brace that classOf left open.
func className(class string) string {
	if i := strings.IndexAny(class, "{["); i >= 0 && class[i] == '{' {
		return class + "}"
	}
	return class
}

// unknownFlags is the id of the record's unknown tokens, which are sorted:
// order never matters.
func (d *Delta) unknownFlags(r *parser.Record) uint16 {
	b := d.scratch[:0]
	for token := range r.UnknownFlags {
		b = insertToken(b, token)
	}
	d.scratch = b
	return d.unknown.id(b)
}

// insertToken puts a token into a sorted list joined by commas, once. A list
// that would get longer than a name is left as it is.
func insertToken(list, token []byte) []byte {
	if len(token) == 0 || len(list)+len(token)+1 > maxName {
		return list
	}
	at := 0
	for at < len(list) {
		end := at + len(list[at:])
		if n := bytes.IndexByte(list[at:], ','); n >= 0 {
			end = at + n
		}
		c := bytes.Compare(list[at:end], token)
		if c == 0 {
			return list
		}
		if c > 0 {
			break
		}
		at = min(end+1, len(list))
	}
	return insertAt(list, at, token)
}

func insertAt(list []byte, at int, token []byte) []byte {
	if len(list) == 0 {
		return append(list, token...)
	}
	if at == len(list) {
		return append(append(list, ','), token...)
	}
	n := len(token) + 1
	list = append(list, token...)
	list = append(list, ',')
	copy(list[at+n:], list[at:len(list)-n])
	copy(list[at:], token)
	list[at+n-1] = ','
	return list
}

// A clock reads start times; within the minute of the last one it decodes the
// seconds only.
type clock struct {
	date, rest uint64 // "2006-01-" and "02T15:04" of a minute that was decoded; 0: none yet
	minute     int64  // its nanoseconds since 1970
}

// time returns nanoseconds since 1970.
func (c *clock) time(r *parser.Record) (int64, bool) {
	text := r.Stamp()
	if text == nil {
		b := r.Bytes(parser.StartTime)
		if len(b) != len(text) || b[23] != 'Z' {
			return r.Time()
		}
		text = (*[24]byte)(b)
	}
	if c.date == binary.LittleEndian.Uint64(text[:]) && c.rest == binary.LittleEndian.Uint64(text[8:]) {
		if s, ok := seconds(binary.LittleEndian.Uint64(text[16:])); ok {
			return c.minute + s, true
		}
	}
	at, ok := r.Time()
	if ok && at > 0 {
		c.date, c.rest, c.minute = binary.LittleEndian.Uint64(text[:]), binary.LittleEndian.Uint64(text[8:]), at-at%60e9
	}
	return at, ok
}

// seconds reads the eight bytes ":05.000Z" as nanoseconds.
func seconds(v uint64) (int64, bool) {
	const (
		zero   = 0x5a3030302e30303a // ":00.000Z"
		others = 0xfff0f0f0fff0f0ff // bits that no digit sets beyond zero
		nine   = 0x0006060600060600 // carries into those bits from above nine
	)
	v ^= zero
	if (v|(v+nine))&others != 0 || v>>8&15 > 5 {
		return 0, false
	}
	return int64(v>>8&15*10+v>>16&15)*1e9 + int64(v>>32&15*100+v>>40&15*10+v>>48&15)*1e6, true
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// kubectlErrors are how messages of kubectl and the kubelet begin that end up
// in a pipe in place of the log.
var kubectlErrors = []string{
	"Error from server",
	"Error: ",
	"error: ",
	"Unable to connect to the server",
	"The connection to the server ",
	"unable to retrieve container logs",
	"failed to try resolving symlinks",
	"failed to open log file",
	"failed to create fsnotify watcher",
}

func isKubectlError(line []byte) bool {
	for _, p := range kubectlErrors {
		if len(line) >= len(p) && string(line[:len(p)]) == p {
			return true
		}
	}
	return false
}

// trim takes blanks and line ends off both ends.
func trim(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// appendLower appends b in lower case, at most as much as a level is long.
func appendLower(dst, b []byte) []byte {
	for _, c := range b[:min(len(b), 32)] {
		if 'A' <= c && c <= 'Z' {
			c |= ' '
		}
		dst = append(dst, c)
	}
	return dst
}
