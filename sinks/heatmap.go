package sinks

import (
	"cmp"
	"slices"
	"strings"
)

// How large a heat map gets; what is left is in a row and a column of its own.
const (
	heatRows    = 16
	heatColumns = 10
)

// A HeatMap counts failed access records by upstream cluster and by what the
// proxies said: the flags, or the code of records without flags. Every failed
// record is in one cell.
type HeatMap struct {
	Columns []string  `json:"columns"` // the most frequent first, "other" last
	Rows    []HeatRow `json:"rows"`    // the same
}

// A HeatRow is one cluster's.
type HeatRow struct {
	Cluster string   `json:"cluster"`
	Access  uint64   `json:"access"`
	Failed  uint64   `json:"failed"`
	Cells   []uint64 `json:"cells"` // one a column; their sum is Failed
}

type heatCell struct {
	cluster uint16
	column  string
}

// heatMap derives the map from the combinations of access records.
func (d *Delta) heatMap() HeatMap {
	cells, rows, columns := map[heatCell]uint64{}, map[string]counts{}, map[string]counts{}
	clusters, names := make([]counts, d.clusters.ids()), map[key]string{}
	fail := func(cluster uint16, column string, n uint64) {
		tally(columns, column, counts{n, n})
		cells[heatCell{cluster, column}] += n
	}
	for k, n := range d.outcomes {
		o := unpack(k.rest)
		clusters[o.cluster].all += n
		if o.failed {
			clusters[o.cluster].failed += n
			fail(o.cluster, d.heatColumn(k, names), n)
		}
	}
	if d.over != nil {
		clusters[otherName].plus(d.over.total)
		if n := d.over.total.failed; n > 0 {
			fail(otherName, other, n)
		}
	}
	for id, c := range clusters {
		tally(rows, d.clusters.label(uint16(id), noCluster), c)
	}
	m := HeatMap{Columns: mostFailed(columns, heatColumns), Rows: []HeatRow{}}
	for _, cluster := range mostFailed(rows, heatRows) {
		m.Rows = append(m.Rows, HeatRow{Cluster: cluster, Cells: make([]uint64, len(m.Columns))})
	}
	for name, c := range rows {
		if row := m.row(name, c); row != nil {
			row.Access += c.all
			row.Failed += c.failed
		}
	}
	for at, n := range cells {
		row := m.row(d.clusters.label(at.cluster, noCluster), counts{failed: n})
		row.Cells[m.column(at.column)] += n
	}
	return m
}

// heatColumn is what a combination's failed records go by; names are those of
// before.
func (d *Delta) heatColumn(k key, names map[key]string) string {
	o := unpack(k.rest)
	k.rest = packPlain(noName, o.code, o.unknown, noName)
	name, ok := names[k]
	if !ok {
		name = strings.Join(d.flagNames(k), ",")
		if name == "" {
			name = codeText(codeOf(o.code))
		}
		names[k] = name
	}
	return name
}

// mostFailed are the names with the most failed records, and "other" if that
// is not all of them.
func mostFailed(m map[string]counts, limit int) []string {
	list := []string{}
	rest := m[other].failed > 0
	for name, c := range m {
		if c.failed > 0 && name != other {
			list = append(list, name)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(m[b].failed, m[a].failed), cmp.Compare(a, b)) })
	if len(list) > limit {
		list, rest = list[:limit], true
	}
	if rest {
		list = append(list, other)
	}
	return list
}

// row is the row that a cluster's counts belong to; nil when nothing failed.
func (m *HeatMap) row(cluster string, c counts) *HeatRow {
	if c.failed == 0 {
		return nil
	}
	i := slices.IndexFunc(m.Rows, func(r HeatRow) bool { return r.Cluster == cluster })
	if i < 0 {
		i = len(m.Rows) - 1
	}
	return &m.Rows[i]
}

func (m *HeatMap) column(name string) int {
	if i := slices.Index(m.Columns, name); i >= 0 {
		return i
	}
	return len(m.Columns) - 1
}
