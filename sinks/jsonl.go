package sinks

import (
	"encoding/json"
	"io"

	"github.com/flagwatch/flagwatch/internal/safe"
)

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
	lines := []any{head{Report: r}}
	for i := range r.Causes {
		lines = append(lines, causeLine{lineCause, &r.Causes[i]})
	}
	for i := range r.Timeline.Cells {
		lines = append(lines, cellLine{lineCell, r.Timeline.CellSeconds, &r.Timeline.Cells[i]})
	}
	var out []byte
	for _, line := range lines {
		doc, err := json.Marshal(line)
		if err != nil {
			return err
		}
		out = append(safe.AppendDocument(out, doc), '\n')
	}
	_, err := w.Write(out)
	return err
}
