package sinks

import (
	"cmp"
	"slices"
)

// Failures are all failed records by time and sort.
type failures struct {
	sorts []Cell       // by id, without time and number
	cells []failedCell // by time, then in the order of what sorts stand for
}

type failedCell struct {
	at      int64  // nanoseconds since 1970
	sort    uint16 // id
	cause   uint16
	cluster uint16
	code    uint16
	n       uint64
}

// failures lays the cells out in order. There are far fewer sorts than cells,
// so their names are compared, and the cells by their places.
func (d *Delta) failures() failures {
	f := failures{sorts: d.namedSorts(), cells: make([]failedCell, 0, d.cells.steps.used)}
	order := make([]uint16, len(f.sorts))
	for id := range order {
		order[id] = uint16(id)
	}
	slices.SortFunc(order, func(x, y uint16) int {
		a, b := &f.sorts[x], &f.sorts[y]
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), compareCodes(a.Code, b.Code), slices.Compare(a.Flags, b.Flags), cmp.Compare(a.Cause, b.Cause))
	})
	places := make([]int64, len(order))
	for place, id := range order {
		places[id] = int64(place)
	}
	type cell struct {
		key int64 // step, then place
		n   uint64
	}
	list, width := make([]cell, 0, d.cells.steps.used), d.cells.width()
	for id, w := range d.cells.all {
		list = append(list, cell{w.begin/width<<16 | places[id], w.n})
	}
	slices.SortFunc(list, func(a, b cell) int { return cmp.Compare(a.key, b.key) })
	for _, c := range list {
		id := order[uint16(c.key)]
		o := unpack(d.cells.sorts[id].rest)
		f.cells = append(f.cells, failedCell{c.key >> 16 * width, id, o.details, o.cluster, o.code, c.n})
	}
	return f
}

// namedSorts are the sorts of all cells by id, with their names.
func (d *Delta) namedSorts() []Cell {
	list := make([]Cell, len(d.cells.sorts))
	flags := map[key][]string{}
	for id := 1; id < len(list); id++ {
		k := d.cells.sorts[id]
		o := unpack(k.rest)
		set := key{flags: k.flags, rest: packPlain(noName, 0, o.unknown, 0)}
		if flags[set] == nil {
			flags[set] = d.flagNames(k)
		}
		list[id] = Cell{Cluster: d.clusters.label(o.cluster, noCluster), Code: codeOf(o.code), Flags: flags[set], Cause: d.causeName(o.details)}
	}
	return list
}

func (d *Delta) timeline(f *failures) Timeline {
	t := Timeline{CellSeconds: int(d.cells.width() / 1e9), Untimed: d.untimed, Cells: make([]Cell, len(f.cells))}
	for i := range f.cells {
		t.Cells[i] = f.sorts[f.cells[i].sort]
		t.Cells[i].Time, t.Cells[i].Failed = utc(f.cells[i].at), f.cells[i].n
	}
	return t
}
