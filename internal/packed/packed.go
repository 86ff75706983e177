// Package packed writes plain values, unexported fields included, as bytes and
// reads them again: the state that one version of the program leaves for
// itself. Zero values take next to no room.
package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"unsafe"
)

// A Codec packs values of some types. Its fields do not change once it is in
// use; then it is safe for concurrent use.
type Codec struct {
	// Leave are the fields, as Type.field, that are not packed: scratch memory,
	// caches, what is derived.
	Leave []string
	// Pointers of these types are packed as the name that Name gives them, and
	// Find looks up when it is read: what they point to is not the value's own.
	// Find may return nil for a name that is not known any more.
	Shared reflect.Type
	Name   func(pointer any) string
	Find   func(name string) any

	mu    sync.Mutex
	plans map[reflect.Type]*plan
}

// ErrCorrupt is what the error of Read Is when the bytes are not what was
// written.
var ErrCorrupt = errors.New("corrupt")

// Append packs what v points to.
func (c *Codec) Append(dst []byte, v any) []byte {
	w := &packer{codec: c, buf: dst}
	at := reflect.ValueOf(v)
	w.value(c.planOf(at.Type().Elem()), at.UnsafePointer())
	return w.buf
}

// A packer writes values that it is pointed to.
type packer struct {
	codec *Codec
	buf   []byte
}

func (w *packer) uint(n uint64) {
	if n < 0x80 {
		w.buf = append(w.buf, byte(n))
		return
	}
	w.buf = binary.AppendUvarint(w.buf, n)
}

func (w *packer) value(p *plan, at unsafe.Pointer) {
	switch p.kind {
	case reflect.String:
		s := *(*string)(at)
		w.uint(uint64(len(s)))
		w.buf = append(w.buf, s...)
	case reflect.Slice:
		s := (*slice)(at)
		w.uint(uint64(s.n))
		w.list(p.elem, s.at, s.n)
	case reflect.Array:
		w.list(p.elem, at, p.n)
	case reflect.Struct:
		for _, run := range p.runs {
			w.buf = append(w.buf, unsafe.Slice((*byte)(unsafe.Add(at, run.at)), run.size)...)
		}
		if p.runs == nil {
			w.fieldsOf(p.fields, at)
		}
	case reflect.Pointer:
		w.pointer(p, at)
	default:
		w.uint(p.number(at))
	}
}

// list packs the elements that are not zero, each with its distance from the
// one before. Of elements that are one run, bytes and those of which most seem
// not to be zero are packed as they lie, up to the last that is not zero: their
// number times two stands in front, or else one.
func (w *packer) list(elem *plan, at unsafe.Pointer, n int) {
	if elem.solid() {
		for n > 0 && elem.isZero(unsafe.Add(at, uintptr(n-1)*elem.size)) {
			n--
		}
		if elem.size == 1 || elem.isFull(at, n) {
			w.uint(uint64(n) << 1)
			w.buf = append(w.buf, unsafe.Slice((*byte)(at), uintptr(n)*elem.size)...)
			return
		}
		w.uint(1)
	}
	last := -1
	for i := range n {
		if e := unsafe.Add(at, uintptr(i)*elem.size); !elem.isZero(e) {
			w.uint(uint64(i - last))
			w.value(elem, e)
			last = i
		}
	}
	w.uint(0)
}

// fieldsOf packs which fields are not zero, and those.
func (w *packer) fieldsOf(list []field, at unsafe.Pointer) {
	for len(list) > 0 {
		n := min(len(list), 64)
		mask := uint64(0)
		for bit := range list[:n] {
			if f := &list[bit]; !f.plan.isZero(unsafe.Add(at, f.at)) {
				mask |= 1 << bit
			}
		}
		w.uint(mask)
		for bit := range list[:n] {
			if mask>>bit&1 != 0 {
				w.value(list[bit].plan, unsafe.Add(at, list[bit].at))
			}
		}
		list = list[n:]
	}
}

func (w *packer) pointer(p *plan, at unsafe.Pointer) {
	to := *(*unsafe.Pointer)(at)
	if p.elem == nil {
		name := ""
		if to != nil {
			name = w.codec.Name(reflect.NewAt(p.t, at).Elem().Interface())
		}
		w.uint(uint64(len(name)))
		w.buf = append(w.buf, name...)
		return
	}
	if to == nil {
		w.uint(0)
		return
	}
	w.uint(1)
	w.value(p.elem, to)
}

// Read reads what Append wrote into what v points to, which must be zero. An
// error Is ErrCorrupt.
func (c *Codec) Read(data []byte, v any) (err error) {
	r := &unpacker{codec: c, data: data, budget: 256 << 20}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case corruption:
			err = fmt.Errorf("%w: %s", ErrCorrupt, string(e))
		default:
			panic(e)
		}
	}()
	at := reflect.ValueOf(v)
	r.value(c.planOf(at.Type().Elem()), at.UnsafePointer())
	if len(r.data) > 0 {
		return fmt.Errorf("%w: %d bytes too many", ErrCorrupt, len(r.data))
	}
	return nil
}

type corruption string

// An unpacker fills values that it is pointed to. Memory with pointers in it is
// made and stored by reflection, so that the collector knows of it.
type unpacker struct {
	codec  *Codec
	data   []byte
	budget int // memory that may still be made
}

func (r *unpacker) uint() uint64 {
	if len(r.data) > 0 && r.data[0] < 0x80 {
		n := r.data[0]
		r.data = r.data[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		panic(corruption("it ends early"))
	}
	r.data = r.data[size:]
	return n
}

func (r *unpacker) bytes() []byte {
	n := r.uint()
	if n > uint64(len(r.data)) {
		panic(corruption("it ends early"))
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *unpacker) take(n, size int) {
	if n < 0 || size > 0 && n > r.budget/size {
		panic(corruption("it is too large"))
	}
	r.budget -= n * size
}

func (r *unpacker) value(p *plan, at unsafe.Pointer) {
	switch p.kind {
	case reflect.String:
		*(*string)(at) = string(r.bytes())
	case reflect.Slice:
		n := int(r.uint())
		r.take(n, int(p.elem.size))
		v := reflect.NewAt(p.t, at).Elem()
		v.Set(reflect.MakeSlice(p.t, n, n))
		r.list(p.elem, v.UnsafePointer(), n)
	case reflect.Array:
		r.list(p.elem, at, p.n)
	case reflect.Struct:
		r.runs(p, at)
		if p.runs == nil {
			r.fieldsOf(p.fields, at)
		}
	case reflect.Pointer:
		r.pointer(p, at)
	default:
		p.setNumber(at, r.uint())
	}
}

func (r *unpacker) runs(p *plan, at unsafe.Pointer) {
	for _, run := range p.runs {
		r.fill(unsafe.Add(at, run.at), run.size)
	}
	if p.runs == nil {
		return
	}
	for _, b := range p.bools {
		if truth := (*byte)(unsafe.Add(at, b)); *truth > 1 {
			*truth = 0
			panic(corruption("neither true nor false"))
		}
	}
}

func (r *unpacker) list(elem *plan, at unsafe.Pointer, n int) {
	if elem.solid() {
		full := r.uint()
		if full&1 == 0 {
			r.full(elem, at, n, full>>1)
			return
		}
	}
	for i := -1; ; {
		step := r.uint()
		if step == 0 {
			return
		}
		if step > uint64(n) || i+int(step) >= n {
			panic(corruption("a list is too long"))
		}
		i += int(step)
		r.value(elem, unsafe.Add(at, uintptr(i)*elem.size))
	}
}

// full reads the first elements of a list that has room for n.
func (r *unpacker) full(elem *plan, at unsafe.Pointer, n int, first uint64) {
	if first > uint64(n) {
		panic(corruption("a list is too long"))
	}
	r.fill(at, uintptr(first)*elem.size)
}

// fill fills memory.
func (r *unpacker) fill(at unsafe.Pointer, size uintptr) {
	n := copy(unsafe.Slice((*byte)(at), size), r.data)
	if n < int(size) {
		panic(corruption("it ends early"))
	}
	r.data = r.data[n:]
}

func (r *unpacker) fieldsOf(list []field, at unsafe.Pointer) {
	for len(list) > 0 {
		n := min(len(list), 64)
		mask := r.uint()
		for bit := range list[:n] {
			if mask>>bit&1 != 0 {
				r.value(list[bit].plan, unsafe.Add(at, list[bit].at))
			}
		}
		list = list[n:]
	}
}

func (r *unpacker) pointer(p *plan, at unsafe.Pointer) {
	v := reflect.NewAt(p.t, at).Elem()
	if p.elem == nil {
		if to := r.codec.Find(string(r.bytes())); to != nil {
			v.Set(reflect.ValueOf(to))
		}
		return
	}
	if r.uint() == 0 {
		return
	}
	r.take(1, int(p.elem.size))
	v.Set(reflect.New(p.t.Elem()))
	r.value(p.elem, v.UnsafePointer())
}

// A slice is one as it lies in memory.
type slice struct {
	at     unsafe.Pointer
	n, cap int
}
