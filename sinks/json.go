package sinks

import "io"

// WriteJSON writes the report as one indented JSON document with a line end.
// Runes that a terminal would obey are escaped.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

// WriteJSON writes the diff like a report.
func (d *Diff) WriteJSON(w io.Writer) error { return writeJSON(w, d) }

func writeJSON(w io.Writer, v any) error {
	e := newEncoder(w, true)
	e.document(v, "\n")
	return e.close()
}
