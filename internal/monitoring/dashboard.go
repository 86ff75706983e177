package monitoring

import (
	"bytes"
	"encoding/json"
)

// A Dashboard is one of Grafana's, in its classic model.
// Source: https://grafana.com/docs/grafana/latest/visualizations/dashboards/build-dashboards/view-dashboard-json-model/
type Dashboard struct {
	UID           string   `json:"uid"`
	Title         string   `json:"title"`
	Description   string   `json:"description"`
	Tags          []string `json:"tags"`
	SchemaVersion int      `json:"schemaVersion"`
	Version       int      `json:"version"`
	Editable      bool     `json:"editable"`
	GraphTooltip  int      `json:"graphTooltip"`
	Timezone      string   `json:"timezone"`
	Refresh       string   `json:"refresh"`
	Time          struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"time"`
	Links       []Link    `json:"links"`
	Annotations variables `json:"annotations"`
	Templating  variables `json:"templating"`
	Panels      []Panel   `json:"panels"`
}

// schemaVersion is that of Grafana 12 and 13; older ones take it, too.
const schemaVersion = 42

type variables struct {
	List []Variable `json:"list"`
}

// A Variable is a choice at the top of a dashboard, or an annotation.
type Variable struct {
	Name       string      `json:"name"`
	Label      string      `json:"label,omitempty"`
	Type       string      `json:"type,omitempty"`
	Query      any         `json:"query,omitempty"`
	Definition string      `json:"definition,omitempty"`
	Datasource *Datasource `json:"datasource,omitempty"`
	Refresh    int         `json:"refresh,omitempty"`
	Sort       int         `json:"sort,omitempty"`
	Multi      bool        `json:"multi,omitempty"`
	IncludeAll bool        `json:"includeAll,omitempty"`
	AllValue   string      `json:"allValue,omitempty"`
	Current    *Current    `json:"current,omitempty"`

	Expr        string `json:"expr,omitempty"` // of an annotation
	Enable      bool   `json:"enable,omitempty"`
	IconColor   string `json:"iconColor,omitempty"`
	TitleFormat string `json:"titleFormat,omitempty"`
}

// Current is what a variable has until somebody chooses.
type Current struct {
	Text  []string `json:"text"`
	Value []string `json:"value"`
}

// A Datasource names where queries go.
type Datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

// A Link leads to another dashboard or page.
type Link struct {
	Title       string `json:"title"`
	Type        string `json:"type,omitempty"`
	URL         string `json:"url"`
	KeepTime    bool   `json:"keepTime,omitempty"`
	IncludeVars bool   `json:"includeVars,omitempty"`
	TargetBlank bool   `json:"targetBlank,omitempty"`
}

// A Panel is a picture, or the head of a row of pictures.
type Panel struct {
	ID              int            `json:"id"`
	Type            string         `json:"type"`
	Title           string         `json:"title"`
	Description     string         `json:"description,omitempty"`
	Datasource      *Datasource    `json:"datasource,omitempty"`
	GridPos         GridPos        `json:"gridPos"`
	Collapsed       *bool          `json:"collapsed,omitempty"`
	Panels          []Panel        `json:"panels,omitempty"`
	Targets         []Target       `json:"targets,omitempty"`
	FieldConfig     *FieldConfig   `json:"fieldConfig,omitempty"`
	Options         map[string]any `json:"options,omitempty"`
	Transformations []any          `json:"transformations,omitempty"`
}

// A GridPos is a place on a grid of 24 columns.
type GridPos struct {
	H int `json:"h"`
	W int `json:"w"`
	X int `json:"x"`
	Y int `json:"y"`
}

// A Target is a query.
type Target struct {
	RefID        string      `json:"refId"`
	Datasource   *Datasource `json:"datasource"`
	Expr         string      `json:"expr"`
	LegendFormat string      `json:"legendFormat,omitempty"`
	Instant      bool        `json:"instant,omitempty"`
	Range        bool        `json:"range,omitempty"`
	Format       string      `json:"format,omitempty"`
}

// A FieldConfig says how values are drawn.
type FieldConfig struct {
	Defaults  Defaults `json:"defaults"`
	Overrides []any    `json:"overrides"`
}

// Defaults are those of all fields of a panel.
type Defaults struct {
	Unit       string         `json:"unit"`
	Min        *float64       `json:"min,omitempty"`
	Decimals   *int           `json:"decimals,omitempty"`
	NoValue    string         `json:"noValue,omitempty"`
	Color      map[string]any `json:"color,omitempty"`
	Custom     map[string]any `json:"custom,omitempty"`
	Thresholds *Thresholds    `json:"thresholds,omitempty"`
	Links      []Link         `json:"links,omitempty"`
}

// Thresholds are the values from which on a color means something.
type Thresholds struct {
	Mode  string `json:"mode"`
	Steps []Step `json:"steps"`
}

// A Step is a color from a value on; the first has none.
type Step struct {
	Color string   `json:"color"`
	Value *float64 `json:"value"`
}

// Dashboards are all dashboards.
func Dashboards() []Dashboard { return []Dashboard{meshDashboard(), agentDashboard()} }

// JSON is the text of a dashboard's file.
func (d *Dashboard) JSON() string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		panic(err) // its types can always be written
	}
	return b.String()
}

// prometheus is the datasource that the reader has chosen.
func prometheus() *Datasource { return &Datasource{"prometheus", "${datasource}"} }

func newDashboard(uid, title, description string) Dashboard {
	d := Dashboard{
		UID: uid, Title: title, Description: description, Tags: []string{"flagwatch"}, SchemaVersion: schemaVersion, Version: 1,
		GraphTooltip: 1, Timezone: "browser", Refresh: "30s", Links: []Link{}, Annotations: variables{[]Variable{}},
	}
	d.Time.From, d.Time.To = "now-1h", "now"
	d.Templating.List = []Variable{{Name: "datasource", Label: "Data source", Type: "datasource", Query: "prometheus"}}
	return d
}

// choose adds a variable with the values of a label, all of them at first.
// Series without the label belong to all.
func (d *Dashboard) choose(name, title, query string) {
	d.Templating.List = append(d.Templating.List, Variable{
		Name: name, Label: title, Type: "query", Definition: query, Query: map[string]any{"query": query, "refId": name}, Datasource: prometheus(),
		Refresh: 2, Sort: 1, Multi: true, IncludeAll: true, AllValue: ".*", Current: &Current{[]string{"All"}, []string{"$__all"}},
	})
}

// row puts panels side by side below those that are there, under a title.
// Their widths must add up to 24.
func (d *Dashboard) row(title string, height int, panels ...Panel) {
	y := 0
	for _, p := range d.Panels {
		y = max(y, p.GridPos.Y+p.GridPos.H)
	}
	open := false
	d.add(Panel{Type: "row", Title: title, Collapsed: &open, GridPos: GridPos{1, 24, 0, y}})
	x := 0
	for _, p := range panels {
		p.GridPos.X, p.GridPos.Y, p.GridPos.H = x, y+1, height
		x += p.GridPos.W
		d.add(p)
	}
}

func (d *Dashboard) add(p Panel) {
	p.ID = len(d.Panels) + 1
	d.Panels = append(d.Panels, p)
}

// panel is one with queries; a legend stands behind each in braces of its own.
func panel(kind string, width int, title, unit, description string, queries ...string) Panel {
	p := Panel{
		Type: kind, Title: title, Description: description, Datasource: prometheus(), GridPos: GridPos{W: width},
		FieldConfig: &FieldConfig{Defaults: Defaults{Unit: unit, Min: new(float64)}, Overrides: []any{}},
	}
	for i := 0; i+1 < len(queries); i += 2 {
		p.Targets = append(p.Targets, Target{
			RefID: string(rune('A' + i/2)), Datasource: prometheus(), Expr: queries[i], LegendFormat: queries[i+1], Range: true,
		})
	}
	return p
}

// graph is a panel of lines over time. The legend is a table, the highest
// first.
func graph(width int, title, unit, description string, queries ...string) Panel {
	p := panel("timeseries", width, title, unit, description, queries...)
	p.FieldConfig.Defaults.Custom = map[string]any{"lineWidth": 1, "fillOpacity": 10, "showPoints": "never"}
	p.Options = map[string]any{
		"legend":  map[string]any{"displayMode": "table", "placement": "bottom", "calcs": []string{"lastNotNull", "max"}, "sortBy": "Max", "sortDesc": true},
		"tooltip": map[string]any{"mode": "multi", "sort": "desc"},
	}
	return p
}

// stacked is a graph whose lines add up.
func stacked(width int, title, unit, description string, queries ...string) Panel {
	p := graph(width, title, unit, description, queries...)
	p.FieldConfig.Defaults.Custom["stacking"] = map[string]any{"mode": "normal", "group": "A"}
	p.FieldConfig.Defaults.Custom["fillOpacity"] = 60
	return p
}

// stat is a panel of one number, with its course behind it.
func stat(width int, title, unit, description, query string) Panel {
	p := panel("stat", width, title, unit, description, query, "")
	p.Options = map[string]any{
		"reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
		"colorMode":     "value", "graphMode": "area",
	}
	return p
}

// now makes the queries of a panel ask for one moment.
func (p Panel) now(format string) Panel {
	for i := range p.Targets {
		p.Targets[i].Instant, p.Targets[i].Range, p.Targets[i].Format = true, false, format
	}
	return p
}

// warn colors values from two thresholds on.
func (p Panel) warn(yellow, red float64) Panel {
	d := &p.FieldConfig.Defaults
	d.Thresholds = &Thresholds{"absolute", []Step{{"green", nil}, {"yellow", &yellow}, {"red", &red}}}
	d.Color = map[string]any{"mode": "thresholds"}
	if p.Type == "timeseries" {
		d.Custom["thresholdsStyle"] = map[string]any{"mode": "line"}
		d.Color = map[string]any{"mode": "palette-classic"}
	}
	return p
}

// link makes the values of a panel lead somewhere.
func (p Panel) link(title, url string) Panel {
	p.FieldConfig.Defaults.Links = []Link{{Title: title, URL: url, TargetBlank: true}}
	return p
}
