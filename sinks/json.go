package sinks

import (
	"encoding/json"
	"io"

	"github.com/flagwatch/flagwatch/internal/safe"
)

// WriteJSON writes the report as one indented JSON document with a line end.
// Runes that a terminal would obey are escaped.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

// WriteJSON writes the diff like a report.
func (d *Diff) WriteJSON(w io.Writer) error { return writeJSON(w, d) }

func writeJSON(w io.Writer, v any) error {
	doc, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(safe.AppendDocument(make([]byte, 0, len(doc)+1), doc), '\n'))
	return err
}
