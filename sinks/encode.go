package sinks

import (
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/internal/safe"
)

// flushAt is how many bytes an encoder gathers before it writes them.
const flushAt = 64 << 10

// An encoder writes values byte for byte as package encoding/json does, with
// the runes escaped that safe.AppendDocument escapes, in one pass and without
// the document in memory. The first error ends it.
type encoder struct {
	w      io.Writer
	buf    []byte
	err    error
	indent bool // by two blanks, as json.MarshalIndent does
	depth  int
	fields map[reflect.Type][]jsonField
	minute int64  // since 1970, of the last time in UTC
	prefix []byte // its text up to the seconds
}

// A jsonField is a field of a struct, or one that an embedded struct has.
type jsonField struct {
	key       string // with its quotes and the colon
	index     []int
	omitEmpty bool
}

func newEncoder(w io.Writer, indent bool) *encoder {
	return &encoder{w: w, indent: indent, fields: map[reflect.Type][]jsonField{}}
}

// document writes a value and tail.
func (e *encoder) document(v any, tail string) {
	e.value(reflect.ValueOf(v))
	e.buf = append(e.buf, tail...)
}

// close writes what is left.
func (e *encoder) close() error {
	e.flush()
	return e.err
}

func (e *encoder) flush() {
	if e.err == nil {
		_, e.err = e.w.Write(e.buf)
	}
	e.buf = e.buf[:0]
}

func (e *encoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			e.buf = append(e.buf, "null"...)
		} else {
			e.value(v.Elem())
		}
	case reflect.Struct:
		e.structure(v)
	case reflect.Slice:
		e.list(v)
	case reflect.Map:
		e.table(v)
	case reflect.String:
		e.text(v.String())
	case reflect.Bool:
		e.buf = strconv.AppendBool(e.buf, v.Bool())
	case reflect.Int, reflect.Int64:
		e.buf = strconv.AppendInt(e.buf, v.Int(), 10)
	case reflect.Uint64:
		e.buf = strconv.AppendUint(e.buf, v.Uint(), 10)
	default:
		e.plainly(v.Interface())
	}
}

// plainly leaves a value to encoding/json.
func (e *encoder) plainly(v any) {
	doc, err := json.Marshal(v)
	if err != nil && e.err == nil {
		e.err = err
	}
	e.buf = safe.AppendDocument(e.buf, doc)
}

// escaped has a bit for each byte from the blank on that encoding/json escapes.
const escaped = 1<<('"'-' ') | 1<<('&'-' ') | 1<<('<'-' ') | 1<<('>'-' ') | 1<<('\\'-' ')

func (e *encoder) text(s string) {
	begin, done := len(e.buf), 0
	e.buf = append(e.buf, '"')
	for i := range len(s) {
		switch c := s[i] - ' '; {
		case c > '~'-' ':
			e.buf = e.buf[:begin]
			e.plainly(s)
			return
		case uint64(escaped)>>c&1 != 0:
			e.buf = appendEscape(append(e.buf, s[done:i]...), s[i])
			done = i + 1
		}
	}
	e.buf = append(append(e.buf, s[done:]...), '"')
}

func appendEscape(buf []byte, c byte) []byte {
	const digits = "0123456789abcdef"
	if c == '"' || c == '\\' {
		return append(buf, '\\', c)
	}
	return append(buf, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
}

func (e *encoder) structure(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		e.time(timeOf(v))
		return
	}
	empty := true
	e.open('{')
	for _, f := range e.fieldsOf(v.Type()) {
		x := v.FieldByIndex(f.index)
		if f.omitEmpty && isEmpty(x) {
			continue
		}
		e.next(empty)
		empty = false
		e.buf = append(e.buf, f.key...)
		e.blank()
		e.value(x)
	}
	e.shut('}', empty)
}

// isEmpty says what the option omitempty leaves out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// timeOf reads a time without a copy on the heap if it can.
func timeOf(v reflect.Value) time.Time {
	if v.CanAddr() {
		return *v.Addr().Interface().(*time.Time)
	}
	return v.Interface().(time.Time)
}

// time writes a time. What stands in front of the seconds is often that of the
// time before.
func (e *encoder) time(t time.Time) {
	e.buf = append(e.buf, '"')
	minute := floorDiv(t.Unix(), 60)
	if len(e.prefix) > 0 && minute == e.minute && t.Location() == time.UTC {
		e.buf = append(append(e.buf, e.prefix...), byte('0'+t.Second()/10), byte('0'+t.Second()%10))
		e.buf = append(appendFraction(e.buf, t.Nanosecond()), 'Z', '"')
		return
	}
	begin := len(e.buf)
	buf, err := t.AppendText(e.buf)
	if err != nil && e.err == nil {
		e.err = err
	}
	e.buf = append(buf, '"')
	if err == nil && t.Location() == time.UTC {
		e.minute, e.prefix = minute, append(e.prefix[:0], buf[begin:begin+len("2006-01-02T15:04:")]...)
	}
}

// appendFraction appends nanoseconds as a fraction of a second, without zeros
// at its end.
func appendFraction(buf []byte, nanos int) []byte {
	if nanos == 0 {
		return buf
	}
	buf = append(buf, '.')
	for unit := int(1e8); nanos > 0; unit /= 10 {
		buf = append(buf, byte('0'+nanos/unit))
		nanos %= unit
	}
	return buf
}

func (e *encoder) list(v reflect.Value) {
	if v.IsNil() {
		e.buf = append(e.buf, "null"...)
		return
	}
	e.open('[')
	for i := range v.Len() {
		e.next(i == 0)
		e.value(v.Index(i))
		if len(e.buf) >= flushAt {
			e.flush()
		}
	}
	e.shut(']', v.Len() == 0)
}

func (e *encoder) table(v reflect.Value) {
	if v.IsNil() {
		e.buf = append(e.buf, "null"...)
		return
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	e.open('{')
	for i, k := range keys {
		e.next(i == 0)
		e.text(k.String())
		e.buf = append(e.buf, ':')
		e.blank()
		e.value(v.MapIndex(k))
	}
	e.shut('}', len(keys) == 0)
}

func (e *encoder) open(bracket byte) {
	e.buf = append(e.buf, bracket)
	e.depth++
}

// next begins a member of an object or a list.
func (e *encoder) next(first bool) {
	if !first {
		e.buf = append(e.buf, ',')
	}
	e.newline()
}

func (e *encoder) shut(bracket byte, empty bool) {
	e.depth--
	if !empty {
		e.newline()
	}
	e.buf = append(e.buf, bracket)
}

func (e *encoder) newline() {
	if e.indent {
		e.buf = append(e.buf, '\n')
		const blanks = "                                "
		e.buf = append(e.buf, blanks[:min(2*e.depth, len(blanks))]...)
	}
}

// blank stands behind a key.
func (e *encoder) blank() {
	if e.indent {
		e.buf = append(e.buf, ' ')
	}
}

// fieldsOf are the fields of a struct that are written.
func (e *encoder) fieldsOf(t reflect.Type) []jsonField {
	if list, ok := e.fields[t]; ok {
		return list
	}
	list := []jsonField{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			list = append(list, jsonField{strconv.Quote(name) + ":", f.Index, options == "omitempty"})
		}
	}
	e.fields[t] = list
	return list
}
