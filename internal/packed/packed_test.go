package packed

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"unsafe"
)

type cause struct{ id string }

type inner struct {
	name  string
	n     [5]uint64
	text  [8]byte
	left  int
	cause *cause
}

// A mixed has gaps between its numbers.
type mixed struct {
	yes  bool
	at   uint64
	mask uint8
	when struct {
		first int64
		timed bool
	}
	half float32
	part [3]uint16
}

type outer struct {
	a     int64
	b     uint16
	c     float64
	d     bool
	raw   []byte
	list  []inner
	there *inner
	none  *inner
	grid  [3][2]int32
	mixed []mixed
	texts [2]string
	full  []solid
	gaps  []solid
}

// A solid has no gaps between its numbers.
type solid struct {
	id uint64
	at int64
}

var one, two = &cause{"one"}, &cause{"two"}

func codec() *Codec {
	return &Codec{
		Leave:  []string{"inner.left"},
		Shared: reflect.TypeFor[*cause](),
		Name:   func(p any) string { return p.(*cause).id },
		Find: func(name string) any {
			for _, c := range []*cause{one, two} {
				if c.id == name {
					return c
				}
			}
			return nil
		},
	}
}

func value() outer {
	return outer{
		a: -7, b: 65535, c: 2.5, d: true, raw: []byte{1, 0, 2, 0},
		list:  []inner{{}, {name: "x", n: [5]uint64{1: 9, 4: 1 << 63}, text: [8]byte{'h', 0, 'i'}, left: 4, cause: two}, {}},
		there: &inner{name: "y", cause: one}, none: nil, grid: [3][2]int32{1: {0, -1}},
		mixed: mixes(), texts: [2]string{1: "z"},
		full: []solid{{1, 2}, {3, -4}, {0, 5}, {}, {}}, gaps: []solid{{}, {1, 2}, {}, {}, {3, 4}, {}},
	}
}

func mixes() []mixed {
	list := []mixed{{}, {yes: true, at: 1 << 63, mask: 255, half: 0.5, part: [3]uint16{2: 65535}}, {}, {mask: 1}}
	list[3].when.first, list[3].when.timed = -1, true
	return list
}

// TestGaps demands that what lies between numbers leaves no trace.
func TestGaps(t *testing.T) {
	clean, dirty := mixes(), mixes()
	for i := range dirty {
		x := &dirty[i]
		gaps := unsafe.Slice((*byte)(unsafe.Pointer(x)), unsafe.Sizeof(*x))
		for _, at := range []uintptr{unsafe.Offsetof(x.yes) + 1, unsafe.Offsetof(x.mask) + 1, unsafe.Offsetof(x.part) - 5} {
			gaps[at] = 0xaa
		}
	}
	a, b := codec().Append(nil, &clean), codec().Append(nil, &dirty)
	if string(a) != string(b) {
		t.Errorf("%x\nwant\n%x", b, a)
	}
}

// TestUntrue demands that no truth is read that is neither.
func TestUntrue(t *testing.T) {
	list := []mixed{{yes: true}}
	data := codec().Append(nil, &list)
	i := bytes.IndexByte(data[2:], 1) + 2 // behind the length and the place
	data[i] = 2
	var got []mixed
	if err := codec().Read(data, &got); !errors.Is(err, ErrCorrupt) {
		t.Errorf("%v: %+v", err, got)
	}
}

func TestPack(t *testing.T) {
	want, got := value(), outer{}
	if err := codec().Read(codec().Append(nil, &want), &got); err != nil {
		t.Fatal(err)
	}
	want.list[1].left = 0
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
}

func TestShape(t *testing.T) {
	c := codec()
	if c.Shape(outer{}) != c.Shape(outer{a: 1}) || c.Shape(outer{}) == c.Shape(inner{}) {
		t.Error("a shape is of the type")
	}
	all := codec()
	all.Leave = nil
	if c.Shape(outer{}) == all.Shape(outer{}) {
		t.Error("a field that is left out changes the shape")
	}
}

func FuzzRead(f *testing.F) {
	v := value()
	f.Add(codec().Append(nil, &v))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got outer
		if err := codec().Read(data, &got); err != nil && !errors.Is(err, ErrCorrupt) {
			t.Error(err)
		}
	})
}
