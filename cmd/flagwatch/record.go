package main

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/safe"
	"github.com/flagwatch/flagwatch/parser"
)

// appendRecord appends a record as one line of JSON. line is the number of its
// first physical line in its input. It allocates nothing once buf is large
// enough.
func appendRecord(buf []byte, r *parser.Record, v classify.Verdict, line int64) []byte {
	buf = strconv.AppendInt(append(buf, `{"line":`...), line, 10)
	buf = strconv.AppendInt(append(buf, `,"lines":`...), int64(r.Lines), 10)
	buf = appendPiece(buf, &kindPieces[r.Kind])
	buf = appendWord(buf, "reason", r.Reason.String())
	buf = appendWord(buf, "dialect", r.Dialect.String())
	buf = appendEnvelopes(buf, r.Envelopes())
	buf = appendTrue(buf, "partial", r.Partial)
	buf = appendTrue(buf, "suspicious", r.Suspicious)
	present := r.Present()
	buf, odd := appendFields(buf, r, present&accessFields|outcomeFields)
	buf = appendPiece(buf, &directionPieces[r.Direction()])
	buf = appendJudgement(buf, r, &v)
	if set := present & eventFields; set != 0 || r.Emitter != parser.NoEmitter {
		buf = appendEvent(buf, r, set)
	}
	buf = appendExtra(buf, r, odd)
	return append(buf, '}', '\n')
}

var (
	// outcomeFields may be there without a value.
	outcomeFields = parser.Fields(parser.ResponseCode, parser.ResponseFlags)

	// accessFields stand in front of what is judged, eventFields behind it.
	accessFields = parser.AllFields &^ (eventFields | parser.Fields(parser.Extra))
	eventFields  = parser.Fields(parser.Level, parser.Component, parser.Message)
)

// appendFields appends the fields of a set, and returns those whose value does
// not have the field's type. Almost all values are copied as they are: that is
// done in place, for it takes most of the time that a record needs.
func appendFields(buf []byte, r *parser.Record, set parser.FieldSet) (_ []byte, odd parser.FieldSet) {
	room := buf[len(buf):cap(buf)]
	for rest := uint64(set); rest != 0; rest &= rest - 1 {
		f := parser.Field(bits.TrailingZeros64(rest))
		key, value := &fieldKeys[f], r.Bytes(f)
		if need := pieceRoom + len(value) + wordSize; len(room) < need {
			buf = slices.Grow(buf[:cap(buf)-len(room)], need)
			room = buf[len(buf):cap(buf)]
		}
		*(*[pieceRoom]byte)(room) = key.text
		to := room[key.size:]
		switch forms[f] {
		case asTime:
			if !isUTC(value) {
				break
			}
			fallthrough
		case asText:
			if copyPlain(to, value) {
				to[len(value)] = '"'
				room = to[len(value)+1:]
				continue
			}
		case asNumber:
			if copyDigits(to, value) {
				room = to[len(value):]
				continue
			}
		case asCode:
			if code, ok := r.Code(); ok && code >= 100 && code <= 999 {
				to[0], to[1], to[2] = '0'+byte(code/100), '0'+byte(code/10%10), '0'+byte(code%10)
				room = to[3:]
				continue
			}
		case asFlags:
			if flags, ok := r.Flags(); ok && flags == 0 {
				to[0], to[1] = '[', ']'
				room = to[2:]
				continue
			}
		}
		var ok bool
		if buf, ok = appendField(buf[:cap(buf)-len(room)], r, f, value); !ok {
			odd |= 1 << f
		}
		room = buf[len(buf):cap(buf)]
	}
	return buf[:cap(buf)-len(room)], odd
}

func appendEvent(buf []byte, r *parser.Record, set parser.FieldSet) []byte {
	buf, _ = appendFields(buf, r, set&parser.Fields(parser.Level))
	buf = appendWord(buf, "emitter", r.Emitter.String())
	buf, _ = appendFields(buf, r, set&parser.Fields(parser.Component, parser.Message))
	return buf
}

func appendJudgement(buf []byte, r *parser.Record, v *classify.Verdict) []byte {
	switch {
	case r.Kind != parser.Access:
		buf = appendTrue(buf, "failed", v.Failed)
	case v.Failed:
		buf = appendPiece(buf, &failedPieces[classify.AnsweredBy(r)])
	default:
		buf = appendPiece(buf, &passedPieces[classify.AnsweredBy(r)])
	}
	if v.Cause == nil {
		return buf
	}
	buf = appendWord(appendWord(buf, "cause", v.Cause.ID), "confidence", v.Confidence.String())
	buf = appendRivals(buf, v.Rivals)
	return appendWord(appendWord(buf, "side", v.Side.String()), "severity", v.Severity.String())
}

func appendRivals(buf []byte, rivals []*classify.Cause) []byte {
	if len(rivals) == 0 {
		return buf
	}
	buf = append(appendKey(buf, "rivals"), '[')
	for i, rival := range rivals {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(append(append(buf, '"'), rival.ID...), '"')
	}
	return append(buf, ']')
}

// A form is how the values of a field are written.
type form uint8

const (
	asText   form = iota
	asNumber      // digits as they are
	asTime        // RFC 3339 in UTC as it is
	asCode
	asFlags
	asOther
)

// forms are those of the fields; all others are text.
var forms = [parser.NumFields]form{
	parser.StartTime: asTime, parser.ResponseCode: asCode, parser.ResponseFlags: asFlags, parser.GRPCStatus: asOther,
	parser.BytesReceived: asNumber, parser.BytesSent: asNumber, parser.Duration: asNumber, parser.UpstreamServiceTime: asNumber,
}

// appendField appends one field that has a value, or the code or the flags if
// there are any. ok is false for a value that does not have the field's type.
func appendField(buf []byte, r *parser.Record, f parser.Field, value []byte) (_ []byte, ok bool) {
	switch f {
	case parser.StartTime:
		return appendTime(buf, r, value), true
	case parser.ResponseCode:
		code, ok := r.Code()
		return appendInt(buf, f, int64(code), ok), ok || value == nil
	case parser.ResponseFlags:
		return appendFlags(buf, r), true
	case parser.BytesReceived, parser.BytesSent:
		n, ok := r.Int(f)
		return appendInt(buf, f, n, ok), ok
	case parser.Duration, parser.UpstreamServiceTime:
		v, ok := r.Number(f)
		return appendNumber(buf, f, v, ok)
	case parser.GRPCStatus:
		n, ok := parser.GRPCStatusNumber(value)
		return appendInt(buf, f, int64(n), ok), ok
	}
	return safe.AppendJSON(appendFieldKey(buf, f), value), true
}

func appendInt(buf []byte, f parser.Field, n int64, ok bool) []byte {
	if !ok {
		return buf
	}
	return strconv.AppendInt(appendFieldKey(buf, f), n, 10)
}

func appendNumber(buf []byte, f parser.Field, v float64, ok bool) ([]byte, bool) {
	if !ok || math.IsInf(v, 0) || math.IsNaN(v) {
		return buf, false
	}
	buf = appendFieldKey(buf, f)
	if n := int64(v); v >= 0 && v < 1<<53 && float64(n) == v {
		return strconv.AppendInt(buf, n, 10), true
	}
	return strconv.AppendFloat(buf, v, 'f', -1, 64), true
}

// appendFlags appends the flags, sorted by name, where the layout has any.
func appendFlags(buf []byte, r *parser.Record) []byte {
	set, ok := r.Flags()
	switch {
	case !ok:
		return buf
	case set == 0:
		return append(appendFieldKey(buf, parser.ResponseFlags), "[]"...)
	}
	var room [8][]byte
	unknown := room[:0]
	for token := range r.UnknownFlags {
		unknown = append(unknown, token)
	}
	slices.SortFunc(unknown, bytes.Compare)
	buf = append(appendFieldKey(buf, parser.ResponseFlags), '[')
	begin := len(buf)
	for _, f := range flagsByName {
		if !set.Has(f) {
			continue
		}
		for len(unknown) > 0 && string(unknown[0]) < f.String() {
			buf = safe.AppendJSON(appendComma(buf, begin), unknown[0])
			unknown = unknown[1:]
		}
		buf = append(append(append(appendComma(buf, begin), '"'), f.String()...), '"')
	}
	for _, token := range unknown {
		buf = safe.AppendJSON(appendComma(buf, begin), token)
	}
	return append(buf, ']')
}

// flagsByName is every flag, in the order of the short names.
var flagsByName = func() []parser.Flag {
	list := make([]parser.Flag, parser.NumFlags)
	for i := range list {
		list[i] = parser.Flag(i)
	}
	slices.SortFunc(list, func(a, b parser.Flag) int { return strings.Compare(a.String(), b.String()) })
	return list
}()

// appendTime appends RFC 3339 in UTC when the value can be read as a time that
// nanoseconds since 1970 can hold, else the value as it is.
func appendTime(buf []byte, r *parser.Record, value []byte) []byte {
	buf = appendFieldKey(buf, parser.StartTime)
	nano, ok := r.Time()
	if !ok || isUTC(value) {
		return safe.AppendJSON(buf, value)
	}
	buf = time.Unix(0, nano).UTC().AppendFormat(append(buf, '"'), time.RFC3339Nano)
	return append(buf, '"')
}

// isUTC says whether a time, if it is one, is RFC 3339 in UTC.
func isUTC(value []byte) bool {
	return len(value) > 10 && value[4] == '-' && value[10] == 'T' && value[len(value)-1] == 'Z'
}

func appendEnvelopes(buf []byte, list []parser.Envelope) []byte {
	if len(list) == 0 {
		return buf
	}
	buf = append(appendKey(buf, "envelope"), '[')
	begin := len(buf)
	for _, e := range list {
		buf = append(append(append(appendComma(buf, begin), '"'), e.String()...), '"')
	}
	return append(buf, ']')
}

// appendExtra appends the columns that are no field, and with them the fields
// in odd: those whose value does not have the field's type.
func appendExtra(buf []byte, r *parser.Record, odd parser.FieldSet) []byte {
	list := r.Extra()
	if len(list) == 0 && odd == 0 {
		return buf
	}
	buf = append(appendKey(buf, "extra"), '{')
	begin := len(buf)
	for f := parser.StartTime; f < parser.NumFields; f++ {
		if odd.Has(f) {
			buf = append(append(append(appendComma(buf, begin), '"'), f.String()...), '"', ':')
			buf = safe.AppendJSON(buf, r.Bytes(f))
		}
	}
	for _, e := range list {
		buf = append(appendText(appendComma(buf, begin), e.Key), ':')
		if e.JSON {
			buf = appendNested(buf, e.Value)
			continue
		}
		buf = appendText(buf, e.Value)
	}
	return append(buf, '}')
}

// appendText appends a text as a string of JSON.
func appendText(buf, text []byte) []byte {
	n := len(buf)
	buf = slices.Grow(append(buf, '"'), len(text)+wordSize)
	if !copyPlain(buf[n+1:cap(buf)], text) {
		return safe.AppendJSON(buf[:n], text)
	}
	return append(buf[:n+1+len(text)], '"')
}

// appendWord appends a value of a closed set, unless it is empty.
func appendWord(buf []byte, key, value string) []byte {
	if value == "" {
		return buf
	}
	return append(append(append(appendKey(buf, key), '"'), value...), '"')
}

func appendTrue(buf []byte, key string, value bool) []byte {
	if !value {
		return buf
	}
	return append(appendKey(buf, key), "true"...)
}

func appendKey(buf []byte, key string) []byte {
	return append(append(append(buf, ',', '"'), key...), '"', ':')
}

// appendFieldKey is appendKey for a field.
func appendFieldKey(buf []byte, f parser.Field) []byte {
	buf = appendPiece(buf, &fieldKeys[f])
	if n := len(buf) - 1; buf[n] == '"' {
		buf = buf[:n]
	}
	return buf
}

// fieldKeys are the fields' names as keys, with the comma in front and, for
// text, the quote behind.
var fieldKeys = func() (keys [parser.NumFields]piece) {
	for f := range parser.NumFields {
		key := string(appendKey(nil, f.String()))
		if forms[f] == asText || forms[f] == asTime {
			key += `"`
		}
		keys[f] = newPiece(key)
	}
	return keys
}()

// The values of closed sets, with their keys.
var (
	kindPieces = func() (list [parser.NumKinds]piece) {
		for k := range parser.NumKinds {
			list[k] = newPiece(string(appendWord(nil, "kind", k.String())))
		}
		return list
	}()
	directionPieces = func() (list [parser.NumDirections]piece) {
		for d := range parser.NumDirections {
			list[d] = newPiece(string(appendWord(nil, "direction", d.String())))
		}
		return list
	}()
	passedPieces = answerPieces(`,"failed":false`)
	failedPieces = answerPieces(`,"failed":true`)
)

func answerPieces(failed string) (list [classify.NumAnswerers]piece) {
	for a := range classify.NumAnswerers {
		list[a] = newPiece(string(appendWord([]byte(failed), "answered_by", a.String())))
	}
	return list
}

// appendComma appends a comma unless the list that began at begin is empty.
func appendComma(buf []byte, begin int) []byte {
	if len(buf) == begin {
		return buf
	}
	return append(buf, ',')
}
