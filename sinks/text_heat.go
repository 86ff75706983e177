package sinks

// heatMap is the table of clusters with a column for each thing that proxies
// said. It is false when the page is too narrow or there is nothing to tell
// apart.
func (p *page) heatMap(r *Report) bool {
	const least = 120
	m := &r.HeatMap
	if len(m.Rows) < 2 || len(m.Columns) < 2 || p.width < least && !p.wide {
		return false
	}
	columns := min(len(m.Columns), p.most(maxHeatColumns))
	g := &grid{columns: []column{{"cluster", false, true}, {"access", true, false}, {"failed", true, false}, {shareHead(r), true, false}}}
	for _, name := range m.Columns[:columns] {
		g.columns = append(g.columns, column{p.user(name), true, false})
	}
	for _, row := range m.Rows[:min(len(m.Rows), p.most(maxTopRows))] {
		cells := []string{p.clusterName(row.Cluster), number(row.Access), number(row.Failed), percent(row.Failed, row.Access)}
		for _, n := range row.Cells[:columns] {
			cells = append(cells, p.heat(n, row.Access))
		}
		g.add(plainMark, "", cells...)
	}
	p.grid(g)
	return true
}

const maxHeatColumns = 6

// heat is a cell: how many, behind a shade for how much of the cluster's
// requests that is.
func (p *page) heat(n, access uint64) string {
	if n == 0 {
		return p.shades[0]
	}
	return p.shades[heatLevel(n, access)] + " " + number(n)
}

// heatLevel is 1 to 4: less than a hundredth, a twentieth, a fifth, more.
func heatLevel(n, access uint64) int {
	switch {
	case n*100 < access:
		return 1
	case n*20 < access:
		return 2
	case n*5 < access:
		return 3
	}
	return 4
}
