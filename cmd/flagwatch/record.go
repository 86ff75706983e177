package main

import (
	"bytes"
	"math"
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
	buf = appendWord(buf, "kind", r.Kind.String())
	buf = appendWord(buf, "reason", r.Reason.String())
	buf = appendWord(buf, "dialect", r.Dialect.String())
	buf = appendEnvelopes(buf, r.Envelopes())
	buf = appendTrue(buf, "partial", r.Partial)
	buf = appendTrue(buf, "suspicious", r.Suspicious)
	odd := parser.FieldSet(0)
	for f := parser.StartTime; f <= parser.GRPCStatus; f++ {
		if !r.Has(f) && f != parser.ResponseCode && f != parser.ResponseFlags {
			continue
		}
		var ok bool
		if buf, ok = appendField(buf, r, f); !ok {
			odd |= parser.Fields(f)
		}
	}
	buf = appendWord(buf, "direction", r.Direction().String())
	buf = appendJudgement(buf, r, v)
	buf = appendText(buf, r, parser.Level)
	buf = appendWord(buf, "emitter", r.Emitter.String())
	buf = appendText(buf, r, parser.Component)
	buf = appendText(buf, r, parser.Message)
	buf = appendExtra(buf, r, odd)
	return append(buf, '}', '\n')
}

func appendJudgement(buf []byte, r *parser.Record, v classify.Verdict) []byte {
	if r.Kind == parser.Access {
		buf = strconv.AppendBool(appendKey(buf, "failed"), v.Failed)
		buf = appendWord(buf, "answered_by", classify.AnsweredBy(r).String())
	} else {
		buf = appendTrue(buf, "failed", v.Failed)
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

// appendField appends one field that has a value, or the code or the flags if
// there are any. ok is false for a value that does not have the field's type.
func appendField(buf []byte, r *parser.Record, f parser.Field) (_ []byte, ok bool) {
	if f == parser.ResponseFlags {
		return appendFlags(buf, r), true
	}
	value := r.Bytes(f)
	switch f {
	case parser.StartTime:
		return appendTime(appendFieldKey(buf, f), r, value), true
	case parser.ResponseCode:
		code, ok := r.Code()
		return appendInt(buf, f, int64(code), ok), ok || value == nil
	case parser.BytesReceived, parser.BytesSent:
		n, ok := r.Int(f)
		return appendInt(buf, f, n, ok), ok
	case parser.GRPCStatus:
		n, ok := parser.GRPCStatusNumber(value)
		return appendInt(buf, f, int64(n), ok), ok
	case parser.Duration, parser.UpstreamServiceTime:
		v, ok := r.Number(f)
		return appendNumber(buf, f, v, ok)
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
	nano, ok := r.Time()
	if !ok || len(value) > 10 && value[4] == '-' && value[10] == 'T' && value[len(value)-1] == 'Z' {
		return safe.AppendJSON(buf, value)
	}
	buf = time.Unix(0, nano).UTC().AppendFormat(append(buf, '"'), time.RFC3339Nano)
	return append(buf, '"')
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
		buf = append(safe.AppendJSON(appendComma(buf, begin), e.Key), ':')
		if e.JSON {
			buf = appendNested(buf, e.Value)
			continue
		}
		buf = safe.AppendJSON(buf, e.Value)
	}
	return append(buf, '}')
}

func appendText(buf []byte, r *parser.Record, f parser.Field) []byte {
	if value := r.Bytes(f); value != nil {
		return safe.AppendJSON(appendFieldKey(buf, f), value)
	}
	return buf
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
func appendFieldKey(buf []byte, f parser.Field) []byte { return append(buf, fieldKeys[f]...) }

// fieldKeys are the fields' names as keys, the comma in front included.
var fieldKeys = func() (keys [parser.NumFields]string) {
	for f := range parser.NumFields {
		keys[f] = string(appendKey(nil, f.String()))
	}
	return keys
}()

// appendComma appends a comma unless the list that began at begin is empty.
func appendComma(buf []byte, begin int) []byte {
	if len(buf) == begin {
		return buf
	}
	return append(buf, ',')
}
