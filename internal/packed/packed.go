// Package packed writes plain values, unexported fields included, as bytes and
// reads them again: the state that one version of the program leaves for
// itself. Zero values take next to no room.
package packed

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// A Codec packs values of one type. It is safe for concurrent use.
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
}

// ErrCorrupt is what the error of Read Is when the bytes are not what was
// written.
var ErrCorrupt = errors.New("corrupt")

// Shape identifies the layout of a type: what was written with one shape can
// be read with no other.
func (c *Codec) Shape(v any) string {
	h := sha256.New()
	c.shape(h.Write, reflect.TypeOf(v), map[reflect.Type]bool{})
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

func (c *Codec) shape(write func([]byte) (int, error), t reflect.Type, seen map[reflect.Type]bool) {
	fmt.Fprintf(writer(write), "%s %s;", t, t.Kind())
	if seen[t] || t == c.Shared {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		c.shape(write, t.Elem(), seen)
	case reflect.Array:
		fmt.Fprintf(writer(write), "%d;", t.Len())
		c.shape(write, t.Elem(), seen)
	case reflect.Struct:
		for _, i := range c.fields(t) {
			fmt.Fprintf(writer(write), "%s:", t.Field(i).Name)
			c.shape(write, t.Field(i).Type, seen)
		}
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// fields are the indices of the fields of t that are packed.
func (c *Codec) fields(t reflect.Type) (list []int) {
	for i := range t.NumField() {
		if !slices.Contains(c.Leave, t.Name()+"."+t.Field(i).Name) {
			list = append(list, i)
		}
	}
	return list
}

// Append packs what v points to.
func (c *Codec) Append(dst []byte, v any) []byte {
	w := &packer{Codec: c, known: map[reflect.Type][]int{}, buf: dst}
	w.value(reflect.ValueOf(v).Elem())
	return w.buf
}

type packer struct {
	*Codec
	known map[reflect.Type][]int
	buf   []byte
}

func (w *packer) of(t reflect.Type) []int {
	list, ok := w.known[t]
	if !ok {
		list = w.fields(t)
		w.known[t] = list
	}
	return list
}

func (w *packer) uint(n uint64) { w.buf = binary.AppendUvarint(w.buf, n) }

func (w *packer) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		w.uint(map[bool]uint64{true: 1}[v.Bool()])
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.buf = binary.AppendVarint(w.buf, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.uint(v.Uint())
	case reflect.Float32, reflect.Float64:
		w.uint(math.Float64bits(v.Float()))
	case reflect.String:
		w.uint(uint64(v.Len()))
		w.buf = append(w.buf, v.String()...)
	case reflect.Slice:
		w.uint(uint64(v.Len()))
		w.list(v)
	case reflect.Array:
		w.list(v)
	case reflect.Struct:
		w.fieldsOf(v)
	case reflect.Pointer:
		w.pointer(v)
	default:
		panic("packed: no way to write a " + v.Type().String())
	}
}

// list packs the elements that are not zero, each with its distance from the
// one before.
func (w *packer) list(v reflect.Value) {
	if v.Type().Elem().Kind() == reflect.Uint8 && (v.Kind() == reflect.Slice || v.CanAddr()) {
		b := v.Bytes()
		for len(b) > 0 && b[len(b)-1] == 0 {
			b = b[:len(b)-1]
		}
		w.uint(uint64(len(b)))
		w.buf = append(w.buf, b...)
		return
	}
	last := -1
	for i := range v.Len() {
		if e := v.Index(i); !e.IsZero() {
			w.uint(uint64(i - last))
			w.value(e)
			last = i
		}
	}
	w.uint(0)
}

// fieldsOf packs which fields are not zero, and those.
func (w *packer) fieldsOf(v reflect.Value) {
	list := w.of(v.Type())
	for len(list) > 0 {
		n := min(len(list), 64)
		mask := uint64(0)
		for bit, i := range list[:n] {
			if !v.Field(i).IsZero() {
				mask |= 1 << bit
			}
		}
		w.uint(mask)
		for bit, i := range list[:n] {
			if mask>>bit&1 != 0 {
				w.value(v.Field(i))
			}
		}
		list = list[n:]
	}
}

func (w *packer) pointer(v reflect.Value) {
	if v.Type() == w.Shared {
		name := ""
		if !v.IsNil() {
			name = w.Name(reach(v).Interface())
		}
		w.uint(uint64(len(name)))
		w.buf = append(w.buf, name...)
		return
	}
	if v.IsNil() {
		w.uint(0)
		return
	}
	w.uint(1)
	w.value(v.Elem())
}

// reach is v without the mark of an unexported field.
func reach(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	return v
}

// Read reads what Append wrote into what v points to, which must be zero. An
// error Is ErrCorrupt.
func (c *Codec) Read(data []byte, v any) (err error) {
	r := &unpacker{Codec: c, known: map[reflect.Type][]int{}, data: data, budget: 256 << 20}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case corruption:
			err = fmt.Errorf("%w: %s", ErrCorrupt, string(e))
		default:
			panic(e)
		}
	}()
	r.value(reflect.ValueOf(v).Elem())
	if len(r.data) > 0 {
		return fmt.Errorf("%w: %d bytes too many", ErrCorrupt, len(r.data))
	}
	return nil
}

type corruption string

type unpacker struct {
	*Codec
	known  map[reflect.Type][]int
	data   []byte
	budget int // memory that may still be made
}

func (r *unpacker) of(t reflect.Type) []int {
	list, ok := r.known[t]
	if !ok {
		list = r.fields(t)
		r.known[t] = list
	}
	return list
}

func (r *unpacker) uint() uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		panic(corruption("it ends early"))
	}
	r.data = r.data[size:]
	return n
}

func (r *unpacker) int() int64 {
	n, size := binary.Varint(r.data)
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

func (r *unpacker) value(v reflect.Value) {
	v = reach(v)
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.uint() != 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.uint())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(math.Float64frombits(r.uint()))
	case reflect.String:
		v.SetString(string(r.bytes()))
	case reflect.Slice:
		n := int(r.uint())
		r.take(n, int(v.Type().Elem().Size()))
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		r.list(v)
	case reflect.Array:
		r.list(v)
	case reflect.Struct:
		r.fieldsOf(v)
	case reflect.Pointer:
		r.pointer(v)
	}
}

func (r *unpacker) list(v reflect.Value) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		b := r.bytes()
		if len(b) > v.Len() {
			panic(corruption("a list is too long"))
		}
		copy(v.Bytes(), b)
		return
	}
	for i := -1; ; {
		step := r.uint()
		if step == 0 {
			return
		}
		if step > uint64(v.Len()) || i+int(step) >= v.Len() {
			panic(corruption("a list is too long"))
		}
		i += int(step)
		r.value(v.Index(i))
	}
}

func (r *unpacker) fieldsOf(v reflect.Value) {
	list := r.of(v.Type())
	for len(list) > 0 {
		n := min(len(list), 64)
		mask := r.uint()
		for bit, i := range list[:n] {
			if mask>>bit&1 != 0 {
				r.value(v.Field(i))
			}
		}
		list = list[n:]
	}
}

func (r *unpacker) pointer(v reflect.Value) {
	if v.Type() == r.Shared {
		if p := r.Find(string(r.bytes())); p != nil {
			v.Set(reflect.ValueOf(p))
		}
		return
	}
	if r.uint() == 0 {
		return
	}
	r.take(1, int(v.Type().Elem().Size()))
	v.Set(reflect.New(v.Type().Elem()))
	r.value(v.Elem())
}
