package parser

import "bytes"

// findStrides compiles the plan into its strides.
func (f *Format) findStrides() {
	q := f.plan
	guard, behind := q.first, 0 // behind the columns of the last form
	for i := 0; i < len(q.cuts); {
		if n := f.usualFrom(i); i >= behind && n > 0 {
			q.strides = append(q.strides, stride{kind: takesForm, form: f.newForm(i, n)})
			behind = i + n
		}
		o := f.newStride(i)
		o.guard = uint8(guard)
		i = int(o.last) + 1
		guard += int(q.cuts[o.last].guards)
		if n := len(q.strides); n == 0 || int(q.strides[n-1].first) < behind || !q.strides[n-1].joins(&o) {
			q.strides = append(q.strides, o)
		}
	}
	for i := range f.columns {
		if !f.columns[i].plain {
			q.stored |= 1 << i
		}
	}
	q.kept = q.stored
	for i := range q.strides {
		if o := &q.strides[i]; o.kind == takesValue && o.sees >= seesTime {
			q.decoded |= 1 << o.field
			q.kept &^= 1 << o.first
		}
	}
}

// joins adds what follows the stride to it, if it can take both at once.
func (o *stride) joins(next *stride) bool {
	switch {
	case next.kind == takesRun && o.kind == takesValue && o.sees == seesNothing && o.ends == atBlank && o.size == 1:
		next.field, next.first, next.count = o.field, o.first, next.count+1
		*o = *next
	case next.kind == takesRow && o.kind == takesRow:
		o.row = append(o.row, next.row...)
	default:
		return false
	}
	return true
}

// rowOf makes a row of a column; it is nil when there is something to see of
// its values, or they do not end with a guard.
func (f *Format) rowOf(i int) []rowValue {
	c, k := &f.columns[i], &f.plan.cuts[i]
	n := len(c.until)
	if k.how != findGuard || k.at > 0 || k.field == NumFields || c.sightOf(k) != seesNothing || n > 16 {
		return nil
	}
	v := rowValue{head: k.head, mask: k.mask, size: k.size, guards: k.guards, field: k.field}
	for b := range min(n, 8) {
		v.tail |= uint64(c.until[max(n-8, 0)+b]) << (8 * b)
	}
	return []rowValue{v}
}

// newStride compiles what begins with column i.
func (f *Format) newStride(i int) stride {
	q := f.plan
	k := &q.cuts[i]
	o := stride{stop: k.stop, at: k.at, check: k.check, field: k.field, first: uint8(i), last: uint8(i), index: k.index}
	switch {
	case k.how == findRun:
		o.kind, o.last = takesRun, uint8(q.runs[k.index].last)
		if q.runs[k.index].numbers {
			o.kind = takesNumbers
		}
	case k.how == findOpen:
		o.kind, o.last = takesRight, uint8(q.segments[k.index].last)
	case f.asksRequest(i):
		o.kind, o.last = takesRequest, uint8(i+2)
	}
	o.count = o.last - o.first + 1
	last := &q.cuts[o.last]
	o.head, o.mask, o.size = last.head, last.mask, last.size
	if o.kind != takesValue {
		if o.ends, o.at = atEnd, 0; last.guards > 0 {
			o.ends, o.at = atGuard, uint8(q.anchorOf(int(o.last)))
		}
		return o
	}
	switch {
	case k.how == findGuard:
		o.ends = atGuard
	case o.stop == ' ':
		o.ends = atBlank
	case k.how == findTime:
		o.ends = atTime
	default:
		o.ends = atStop
	}
	o.sees = f.columns[i].sightOf(k)
	if o.row = f.rowOf(i); o.row != nil {
		o.kind = takesRow
	}
	return o
}

// anchorOf is the anchor of the segment that ends with a column.
func (q *plan) anchorOf(column int) int {
	for i := range q.segments {
		if q.segments[i].last == column {
			return q.segments[i].anchor
		}
	}
	return -1
}

// sightOf is what is looked at of a column's values.
func (c *column) sightOf(k *cut) sight {
	switch {
	case c.piped || c.most > 0:
	case k.field == StartTime && c.clock != nil:
		return seesClock
	case k.field == StartTime && k.check == checkTime:
		return seesTime
	case k.field == ResponseCode && k.check == checkCode:
		return seesCode
	case k.field == ResponseFlags && c.typ == TypeFlags:
		return seesFlags
	}
	switch {
	case k.check == checkNone:
		return seesNothing
	case k.dash:
		return seesValue
	}
	return seesFull
}

// asksRequest says whether a request line as HTTP writes it begins with
// column i and goes on to the end of the segment.
func (f *Format) asksRequest(i int) bool {
	q := f.plan
	if i+2 >= len(f.columns) || q.guard != '"' || q.cuts[i].check != checkNone || q.cuts[i+1].how != findOpen || q.cuts[i+2].size > 8 {
		return false
	}
	a, b, c := &f.columns[i], &f.columns[i+1], &f.columns[i+2]
	return a.field == Method && b.field == Path && c.field == Protocol && q.anchorOf(i+2) >= 0 && a.until == " " && b.until == " " &&
		b.typ == TypeText && c.typ == TypeProtocol && b.most+c.most == 0
}

// The values that columns usually have; 0 stands for a digit.
const (
	usualTime = "0000-00-00T00:00:00.000Z"
	usualCode = "000"
	noValue   = "-"
	usualWhy  = "via_upstream"
)

// usualValue is the one that the column usually has; empty when there is none.
func (f *Format) usualValue(i int) string {
	c, k := &f.columns[i], &f.plan.cuts[i]
	if k.how == findRun || k.how == findOpen || len(c.until) == 0 {
		return ""
	}
	switch sees := c.sightOf(k); {
	case c.field == ResponseCodeDetails && c.typ == TypeToken && c.most == 0 && !c.piped:
		return usualWhy
	case sees == seesTime:
		return usualTime
	case sees == seesCode:
		return usualCode
	case sees == seesFlags, sees == seesValue && (c.field == ConnectionTerminationDetails || c.field == UpstreamTransportFailureReason || c.field == DownstreamTransportFailureReason):
		return noValue
	}
	return ""
}

// usualFrom is how many columns from i on have usual values.
func (f *Format) usualFrom(i int) (n int) {
	for i+n < len(f.columns) && f.usualValue(i+n) != "" {
		n++
	}
	return n
}

// newForm makes the form of n columns from i on.
func (f *Format) newForm(i, n int) *form {
	m := &form{code: -1, strides: n}
	var text, class []byte // class: a zero for a byte that is any digit
	for ; n > 0; i, n = i+1, n-1 {
		value, until, lo := f.usualValue(i), f.columns[i].until, len(text)
		switch field := f.columns[i].field; field {
		case ResponseCode:
			m.code = lo
		case StartTime, ResponseCodeDetails:
			m.kept = append(m.kept, formColumn{field, uint32(lo), uint32(lo + len(value))})
			m.plain = m.plain || field == ResponseCodeDetails && !f.layout.Has(GRPCStatus)
		default:
			m.missing |= 1 << field
		}
		text = append(append(text, value...), until...)
		class = append(append(class, value...), bytes.Repeat([]byte{'-'}, len(until))...)
	}
	m.size = len(text)
	m.words = make([]formWord, (len(text)+7)/8)
	for j, b := range text {
		w, shift := &m.words[j/8], j%8*8
		w.want |= uint64(b) << shift
		if class[j] == '0' {
			w.same |= 0xf0 << shift
			w.nine |= 0x06 << shift
		} else {
			w.same |= 0xff << shift
		}
	}
	return m
}
