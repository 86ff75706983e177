package parser

import "bytes"

// maxEnvelopes is how deep wrappers may nest.
const maxEnvelopes = 4

// A Record is one thing that a proxy or a program meant to say.
//
// It belongs to the Parser that returned it and is valid until that parser's
// next Next or Reset; every slice it returns is a view into the block or into
// the parser's scratch memory and dies with it. Clone is the only way to keep
// one. A Record is not safe for concurrent use.
type Record struct {
	Kind       Kind
	Reason     Reason  // why, on Invalid
	Dialect    Dialect // layout of an access record
	Emitter    Emitter // writer of an event
	Partial    bool    // damaged, but its code, flags or details were read
	Suspicious bool    // user text made the cut ambiguous: see Bytes
	Line       int     // first physical line, counted from 1 in the block
	Lines      int     // physical line ends used up: 0 when another record follows on the line
	Begin      int     // offset of the record's first byte in the block
	Size       int     // bytes of the block that the record used up, wrappers and line ends included
	Stop       int     // on Invalid: offset in the block where reading stopped

	text      []byte              // what spans count in: the block, or scratch for a joined or unescaped record
	scratch   []byte              // what spans of fields in inScratch count in
	spans     [NumFields + 2]span // the last two are no fields: any other column, and policyStatus
	present   FieldSet
	inScratch FieldSet
	layout    FieldSet           // fields that the layout has, present or not
	late      FieldSet           // fields that are looked for when they are asked for
	proto     uint32             // where the protocol begins, for those
	reqEnd    uint32             // the quote behind it
	digits    uint32             // where the bytes received begin
	users     [userQuotes]uint16 // quotes of userFields, if these are late, counted from base
	scanned   *marks             // of the text that spots or users count in; nil with spots of a text without bits
	ending    span               // see Ending
	mixer     span               // status of Istio's mixer
	failure   span               // ztunnel's error
	code      int32
	hasCode   bool
	hasFlags  bool
	ended     bool // the flags were followed by something, so none was cut off
	errored   bool // ztunnel's error= is there
	plain     bool // see Plain
	learned   bool // its layout is one that was worked out from a sample
	grouped   bool // text goes on to the end of the event's last line
	flags     FlagSet
	direction Direction
	envelopes [maxEnvelopes]Envelope
	depth     uint8
	place     Place
	extra     []ExtraField
	clock     *clock            // layout of the start time; nil: RFC 3339
	planned   *Format           // whose columns are late; nil: a product's are
	ran       uint64            // lanes of its grid whose fences were found, as bits
	spots     *[maxSpots]uint16 // of a line that was read by the grid of planned, counted from base; nil: it was not
	ordered   *order            // of an object that was read by comparing; nil: it was not
	outline   *outline          // where the values of that order stand, counted from base
	base      uint32
}

// A span is a range of bytes.
type span struct{ lo, hi uint32 }

// A Place says where a record comes from as its wrapper tells; an empty part
// is unknown.
type Place struct{ Namespace, Pod, Container []byte }

// An ExtraField is a column that is no Field: a JSON key or an operator of a
// format string.
type ExtraField struct {
	Key   []byte
	Value []byte // text, or JSON when JSON is set
	JSON  bool   // Value is a JSON number, literal, object or array, kept as written
}

// Bytes returns the value of a field, without quotes and with JSON escapes
// undone. It is nil when the layout has no such column, when the value was
// "-", null or empty, when the parser was not asked for the field, and when
// more than one cut of the line fits (Suspicious).
func (r *Record) Bytes(f Field) []byte {
	if r.late.Has(f) {
		r.find(f)
	}
	if !r.present.Has(f) {
		return nil
	}
	s := r.spans[f]
	if r.inScratch.Has(f) {
		return r.scratch[s.lo:s.hi:s.hi]
	}
	return r.text[s.lo:s.hi:s.hi]
}

// Present returns the set of fields that have a value.
func (r *Record) Present() FieldSet {
	if r.late != 0 {
		r.findAll()
	}
	return r.present
}

// Has says whether a field has a value.
func (r *Record) Has(f Field) bool {
	if r.late.Has(f) {
		r.find(f)
	}
	return r.present.Has(f)
}

// Code returns the response code; 0 is a value. It is false when the layout
// has no code or the code is ambiguous.
func (r *Record) Code() (code int, ok bool) { return int(r.code), r.hasCode }

// Flags returns the response flags. ok says whether the layout has a flags
// column that could be read: a set without flags is the column's "-".
func (r *Record) Flags() (set FlagSet, ok bool) { return r.flags, r.hasFlags }

// Plain says of an access record that it has no flag, no gRPC status and the
// details via_upstream, if that is known without a further look: false says
// nothing.
func (r *Record) Plain() bool { return r.plain }

// UnknownFlags walks the tokens of the flags column that are no known flag.
func (r *Record) UnknownFlags(yield func([]byte) bool) {
	if r.flags&UnknownFlags == 0 {
		return
	}
	for token := range bytes.SplitSeq(r.Bytes(ResponseFlags), []byte{','}) {
		if _, known := flagByToken(bytes.TrimSpace(token)); !known && !yield(bytes.TrimSpace(token)) {
			return
		}
	}
}

// Envelopes returns the wrappers that were taken off, outermost first.
func (r *Record) Envelopes() []Envelope { return r.envelopes[:r.depth] }

// Place returns where the record comes from, as far as its wrapper tells.
func (r *Record) Place() Place { return r.place }

// HasPlace says whether Place tells anything.
func (r *Record) HasPlace() bool {
	return len(r.place.Namespace)+len(r.place.Pod)+len(r.place.Container) > 0
}

// Extra returns the columns that are no Field, in the record's order. It is
// empty unless the parser was asked for Extra.
func (r *Record) Extra() []ExtraField { return r.extra }

// Clone returns a copy that outlives the parser's next record.
func (r *Record) Clone() *Record {
	r.findAll()
	c := *r
	c.text, c.scratch = bytes.Clone(r.text), bytes.Clone(r.scratch)
	c.place = Place{bytes.Clone(r.place.Namespace), bytes.Clone(r.place.Pod), bytes.Clone(r.place.Container)}
	c.extra, c.ordered, c.outline = nil, nil, nil
	for _, e := range r.extra {
		c.extra = append(c.extra, ExtraField{bytes.Clone(e.Key), bytes.Clone(e.Value), e.JSON})
	}
	return &c
}

// Direction says on which side of its workload the proxy stood: what the
// record says itself (ztunnel), else the prefix of the cluster's name.
func (r *Record) Direction() Direction {
	if r.direction != NoDirection {
		return r.direction
	}
	return ClusterDirection(r.Bytes(UpstreamCluster))
}

// ClusterDirection tells the direction from the name of a cluster, after
// Istio's naming: https://istio.io/latest/docs/ops/diagnostic-tools/proxy-cmd/
func ClusterDirection(cluster []byte) Direction {
	switch {
	case hasPrefix(cluster, "inbound"), hasPrefix(cluster, "InboundPassthroughCluster"):
		return Inbound
	case hasPrefix(cluster, "outbound"), string(cluster) == "PassthroughCluster", string(cluster) == "BlackHoleCluster":
		return Outbound
	}
	return NoDirection
}

// reset prepares the record for the next one; text is what its spans count in.
func (r *Record) reset(begin, size, line int) {
	r.depth = 0
	if r.HasPlace() {
		r.place = Place{}
	}
	r.Kind, r.Reason, r.Dialect, r.Emitter = Noise, NoReason, NoDialect, NoEmitter
	r.Line, r.Lines, r.Begin, r.Size, r.Stop = line, 1, begin, size, begin
	r.scratch = r.scratch[:0]
	r.direction = NoDirection
	r.forget()
}

// forget drops what was read of the columns.
func (r *Record) forget() {
	r.Partial, r.Suspicious = false, false
	r.present, r.inScratch, r.layout, r.late = 0, 0, 0, 0
	r.code, r.hasCode, r.hasFlags, r.ended, r.flags = 0, false, false, false, 0
	r.extra, r.errored, r.grouped, r.plain, r.learned, r.ran = r.extra[:0], false, false, false, false, 0
	r.mixer, r.failure, r.ending, r.clock, r.planned, r.ordered, r.spots = span{}, span{}, span{}, nil, nil, nil, nil
}

// set stores text[lo:hi] as the value of a field, unless it says that there
// is no value.
func (r *Record) set(f Field, lo, hi int) {
	if hi == lo || hi == lo+1 && r.text[lo] == '-' {
		return
	}
	r.spans[f] = span{uint32(lo), uint32(hi)}
	r.present |= 1 << f
}

// setScratch stores scratch[lo:] as the value of a field.
func (r *Record) setScratch(f Field, lo int) {
	hi := len(r.scratch)
	if hi == lo || hi == lo+1 && r.scratch[lo] == '-' {
		return
	}
	r.spans[f] = span{uint32(lo), uint32(hi)}
	r.present |= 1 << f
	r.inScratch |= 1 << f
}

// setCode stores the code that v holds.
func (r *Record) setCode(v []byte) bool {
	n, ok := parseInt(v)
	if !ok || n < 0 || n > 999 {
		return false
	}
	r.code, r.hasCode = int32(n), true
	return true
}

// wrap notes that an envelope was taken off.
func (r *Record) wrap(e Envelope) {
	if int(r.depth) < maxEnvelopes {
		r.envelopes[r.depth] = e
		r.depth++
	}
}

// Column says whether the record's layout has a column for the field, with or
// without a value.
func (r *Record) Column(f Field) bool {
	if r.layout != 0 {
		return r.layout.Has(f)
	}
	if product := productFormats[r.Dialect]; product != nil {
		return product.layout.Has(f)
	}
	return r.Has(f)
}
