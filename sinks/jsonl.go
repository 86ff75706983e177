package sinks

import "io"

// Kinds of the lines that WriteJSONL writes.
const (
	lineReport = "Report"
	lineCause  = "Cause"
	lineCell   = "Cell"
)

// A head is a Report without its causes and cells.
type head struct {
	*Report
	Causes   *struct{} `json:"causes,omitempty"`
	Timeline *struct{} `json:"timeline,omitempty"`
}

type causeLine struct {
	Kind string `json:"kind"`
	*Card
}

type cellLine struct {
	Kind        string `json:"kind"`
	CellSeconds int    `json:"cellSeconds"`
	*Cell
}

// WriteJSONL writes the report as JSON objects, one a line: the report without
// causes and cells (kind Report), then each cause (Cause), then each cell of
// the timeline (Cell).
func (r *Report) WriteJSONL(w io.Writer) error {
	e := newEncoder(w, false)
	e.document(head{Report: r}, "\n")
	for i := range r.Causes {
		e.document(causeLine{lineCause, &r.Causes[i]}, "\n")
	}
	for i := range r.Timeline.Cells {
		e.document(cellLine{lineCell, r.Timeline.CellSeconds, &r.Timeline.Cells[i]}, "\n")
	}
	return e.close()
}
