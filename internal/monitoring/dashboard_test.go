package monitoring

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDashboards holds dashboards against what makes one good to look at.
// Source: https://grafana.com/docs/grafana/latest/visualizations/dashboards/build-dashboards/best-practices/
func TestDashboards(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Dashboards() {
		if d.UID == "" || seen[d.UID] || d.Description == "" || d.SchemaVersion < 36 {
			t.Errorf("%s: %q %q %d", d.Title, d.UID, d.Description, d.SchemaVersion)
		}
		seen[d.UID] = true
		checkVariables(t, &d)
		checkGrid(t, &d)
		for _, p := range d.Panels {
			checkPanel(t, &d, p)
		}
	}
	for _, d := range Dashboards() {
		for _, l := range d.Links {
			if uid, ok := strings.CutPrefix(l.URL, "/d/"); !ok || !seen[uid] {
				t.Errorf("%s: no dashboard %s", d.Title, l.URL)
			}
		}
	}
}

func checkVariables(t *testing.T, d *Dashboard) {
	t.Helper()
	text := d.JSON()
	if d.Templating.List[0].Name != "datasource" || d.Templating.List[0].Type != "datasource" {
		t.Errorf("%s: the first variable is no datasource", d.Title)
	}
	for _, v := range d.Templating.List {
		if !strings.Contains(text, "$"+v.Name) && !strings.Contains(text, "${"+v.Name+"}") {
			t.Errorf("%s: nothing depends on $%s", d.Title, v.Name)
		}
		if v.Type == "query" && (!v.Multi || !v.IncludeAll || v.AllValue != ".*" || v.Refresh != 2) {
			t.Errorf("%s: $%s: %+v", d.Title, v.Name, v)
		}
	}
}

// checkGrid demands that panels fill the grid and do not overlap.
func checkGrid(t *testing.T, d *Dashboard) {
	t.Helper()
	taken, ids, height := map[[2]int]string{}, map[int]bool{}, 0
	for _, p := range d.Panels {
		g := p.GridPos
		if ids[p.ID] || g.X+g.W > 24 || g.W == 0 || g.H == 0 {
			t.Errorf("%s: %s: id %d at %+v", d.Title, p.Title, p.ID, g)
		}
		ids[p.ID] = true
		height = max(height, g.Y+g.H)
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" {
					t.Fatalf("%s: %s lies on %s", d.Title, p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
	if len(taken) != 24*height {
		t.Errorf("%s: %d of %d cells are empty", d.Title, 24*height-len(taken), 24*height)
	}
}

func checkPanel(t *testing.T, d *Dashboard, p Panel) {
	t.Helper()
	if p.Type == "row" {
		return
	}
	if p.Title == "" || p.Description == "" || p.FieldConfig.Defaults.Unit == "" || p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
		t.Errorf("%s: panel %q lacks a description, a unit, a datasource or a query", d.Title, p.Title)
	}
	for _, target := range p.Targets {
		q := target.Expr
		counters := strings.Count(q, "_total{") + strings.Count(q, "_bucket{")
		windows := strings.Count(q, "[$__rate_interval]") + strings.Count(q, "[$__range]")
		if target.Datasource.UID != "${datasource}" || counters != windows || strings.Count(q, "[") != windows {
			t.Errorf("%s: %s: a counter stands outside of rate or increase, or has a fixed window: %s", d.Title, p.Title, q)
		}
		if strings.Count(q, `job=~"$job"`) != strings.Count(q, "{") {
			t.Errorf("%s: %s: not all of %s depends on $job", d.Title, p.Title, q)
		}
		if strings.Contains(q, "$__range") && !target.Instant {
			t.Errorf("%s: %s: a total of the time shown is asked for again and again", d.Title, p.Title)
		}
	}
}

// TestDashboardIsJSON: what is written can be read again, and nothing is
// pinned to one Grafana.
func TestDashboardIsJSON(t *testing.T) {
	for _, f := range DashboardFiles() {
		var d map[string]any
		if err := json.Unmarshal([]byte(f.Text), &d); err != nil {
			t.Fatal(f.Name, err)
		}
		for _, key := range []string{"id", "__inputs", "__requires"} {
			if _, ok := d[key]; ok {
				t.Errorf("%s has %s", f.Name, key)
			}
		}
	}
}
