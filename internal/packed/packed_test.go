package packed

import (
	"errors"
	"reflect"
	"testing"
)

type cause struct{ id string }

type inner struct {
	name  string
	n     [5]uint64
	text  [8]byte
	left  int
	cause *cause
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
	c.Leave = nil
	if c.Shape(outer{}) == codec().Shape(outer{}) {
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
