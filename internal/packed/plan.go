package packed

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// A plan is what there is to know of a type to pack its values.
type plan struct {
	t      reflect.Type
	shape  string // "" until it is asked for
	kind   reflect.Kind
	size   uintptr
	n      int       // elements of an array
	elem   *plan     // of a pointer, a slice or an array; nil for a shared pointer
	fields []field   // of a struct, those that are packed
	runs   []run     // when only numbers are packed: their memory without padding; a struct that has runs is packed as them
	bools  []uintptr // where they hold truths
}

type field struct {
	at   uintptr
	plan *plan
}

// A run is memory without padding.
type run struct{ at, size uintptr }

// planOf is the plan of a type, made once.
func (c *Codec) planOf(t reflect.Type) *plan {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.plan(t)
}

func (c *Codec) plan(t reflect.Type) *plan {
	if p := c.plans[t]; p != nil {
		return p
	}
	if c.plans == nil {
		c.plans = map[reflect.Type]*plan{}
	}
	p := &plan{t: t, kind: t.Kind(), size: t.Size()}
	c.plans[t] = p // a type may contain itself
	switch p.kind {
	case reflect.Array:
		p.n = t.Len()
		p.elem = c.plan(t.Elem())
		if p.elem.solid() {
			p.runs = []run{{0, p.size}}
		}
	case reflect.Slice:
		p.elem = c.plan(t.Elem())
	case reflect.Pointer:
		if t != c.Shared {
			p.elem = c.plan(t.Elem())
		}
	case reflect.Struct:
		for _, i := range c.fields(t) {
			f := t.Field(i)
			p.fields = append(p.fields, field{f.Offset, c.plan(f.Type)})
		}
		p.gather()
	case reflect.String:
	case reflect.Bool:
		p.runs, p.bools = []run{{0, p.size}}, []uintptr{0}
	case reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		p.runs = []run{{0, p.size}}
	default:
		panic("packed: no way to write a " + t.String())
	}
	return p
}

// gather makes one field of numbers that follow each other, to be packed as they
// lie: that is longer, and sooner done. When nothing else of the struct is
// packed, the struct is that field.
func (p *plan) gather() {
	joined := p.fields[:0:0]
	for _, f := range p.fields {
		n := len(joined)
		if n == 0 || f.plan.runs == nil || joined[n-1].plan.runs == nil {
			joined = append(joined, f)
			continue
		}
		joined[n-1].plan = joined[n-1].plan.with(f.plan, f.at-joined[n-1].at)
	}
	if p.fields = joined; len(joined) == 1 && joined[0].plan.runs != nil {
		q := new(plan).with(joined[0].plan, joined[0].at)
		p.runs, p.bools = q.runs, q.bools
	}
}

// with is the plan of numbers with others behind them.
func (p *plan) with(o *plan, at uintptr) *plan {
	q := &plan{kind: reflect.Struct, size: at + o.size, runs: slices.Clone(p.runs), bools: slices.Clone(p.bools)}
	for _, r := range o.runs {
		r.at += at
		if n := len(q.runs); n > 0 && q.runs[n-1].at+q.runs[n-1].size == r.at {
			q.runs[n-1].size += r.size
			continue
		}
		q.runs = append(q.runs, r)
	}
	for _, b := range o.bools {
		q.bools = append(q.bools, b+at)
	}
	return q
}

// solid says whether all of its memory is one run.
func (p *plan) solid() bool {
	return len(p.runs) == 1 && p.runs[0].size == p.size && len(p.bools) == 0
}

// isZero says whether a value would be the same without being packed.
func (p *plan) isZero(at unsafe.Pointer) bool {
	switch {
	case p.runs != nil:
		for _, r := range p.runs {
			if !zeros(unsafe.Slice((*byte)(unsafe.Add(at, r.at)), r.size)) {
				return false
			}
		}
	case p.kind == reflect.String:
		return *(*string)(at) == ""
	case p.kind == reflect.Struct:
		for i := range p.fields {
			if f := &p.fields[i]; !f.plan.isZero(unsafe.Add(at, f.at)) {
				return false
			}
		}
	case p.kind == reflect.Array:
		for i := range p.n {
			if !p.elem.isZero(unsafe.Add(at, uintptr(i)*p.elem.size)) {
				return false
			}
		}
	default: // a pointer, or a slice, which begins with one
		return *(*unsafe.Pointer)(at) == nil
	}
	return true
}

// isFull says whether most of n elements seem to be not zero: some of them are
// looked at.
func (p *plan) isFull(at unsafe.Pointer, n int) bool {
	for i := 0; i < n; i += n/8 + 1 {
		if p.isZero(unsafe.Add(at, uintptr(i)*p.size)) {
			return false
		}
	}
	return true
}

func zeros(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if binary.NativeEndian.Uint64(b) != 0 {
			return false
		}
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// fields are the indices of the fields of t that are packed.
func (c *Codec) fields(t reflect.Type) (list []int) {
	for i := range t.NumField() {
		if !slices.Contains(c.Leave, t.Name()+"."+t.Field(i).Name) {
			list = append(list, i)
		}
	}
	return list
}

// number is a number as it is packed: of a signed one, the sign comes last.
func (p *plan) number(at unsafe.Pointer) uint64 {
	switch p.kind {
	case reflect.Bool, reflect.Uint8:
		return uint64(*(*uint8)(at))
	case reflect.Uint16:
		return uint64(*(*uint16)(at))
	case reflect.Uint32:
		return uint64(*(*uint32)(at))
	case reflect.Uint:
		return uint64(*(*uint)(at))
	case reflect.Uint64:
		return *(*uint64)(at)
	case reflect.Int8:
		return signed(int64(*(*int8)(at)))
	case reflect.Int16:
		return signed(int64(*(*int16)(at)))
	case reflect.Int32:
		return signed(int64(*(*int32)(at)))
	case reflect.Int:
		return signed(int64(*(*int)(at)))
	case reflect.Int64:
		return signed(*(*int64)(at))
	case reflect.Float32:
		return math.Float64bits(float64(*(*float32)(at)))
	default:
		return math.Float64bits(*(*float64)(at))
	}
}

func signed(n int64) uint64   { return uint64(n)<<1 ^ uint64(n>>63) }
func unsigned(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

// setNumber is the way back. What does not fit loses its upper bits.
func (p *plan) setNumber(at unsafe.Pointer, n uint64) {
	switch p.kind {
	case reflect.Bool:
		*(*bool)(at) = n != 0
	case reflect.Uint8:
		*(*uint8)(at) = uint8(n)
	case reflect.Uint16:
		*(*uint16)(at) = uint16(n)
	case reflect.Uint32:
		*(*uint32)(at) = uint32(n)
	case reflect.Uint:
		*(*uint)(at) = uint(n)
	case reflect.Uint64:
		*(*uint64)(at) = n
	case reflect.Int8:
		*(*int8)(at) = int8(unsigned(n))
	case reflect.Int16:
		*(*int16)(at) = int16(unsigned(n))
	case reflect.Int32:
		*(*int32)(at) = int32(unsigned(n))
	case reflect.Int:
		*(*int)(at) = int(unsigned(n))
	case reflect.Int64:
		*(*int64)(at) = unsigned(n)
	case reflect.Float32:
		*(*float32)(at) = float32(math.Float64frombits(n))
	default:
		*(*float64)(at) = math.Float64frombits(n)
	}
}

// Shape identifies the layout of a type, also in memory: what was written with
// one shape can be read with no other.
func (c *Codec) Shape(v any) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.plan(reflect.TypeOf(v))
	if p.shape == "" {
		h := sha256.New()
		fmt.Fprintf(h, "%d %d;", format, binary.NativeEndian.Uint16([]byte{0, 1}))
		c.shape(h, p.t, map[reflect.Type]bool{})
		p.shape = fmt.Sprintf("%x", h.Sum(nil)[:8])
	}
	return p.shape
}

// format is the number of the way in which values are packed.
const format = 3

func (c *Codec) shape(w io.Writer, t reflect.Type, seen map[reflect.Type]bool) {
	fmt.Fprintf(w, "%s %s %d;", t, t.Kind(), t.Size())
	if seen[t] || t == c.Shared {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		c.shape(w, t.Elem(), seen)
	case reflect.Array:
		fmt.Fprintf(w, "%d;", t.Len())
		c.shape(w, t.Elem(), seen)
	case reflect.Struct:
		for _, i := range c.fields(t) {
			fmt.Fprintf(w, "%s %d:", t.Field(i).Name, t.Field(i).Offset)
			c.shape(w, t.Field(i).Type, seen)
		}
	}
}
