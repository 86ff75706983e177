package doctor

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/flagwatch/flagwatch/internal/safe"
)

// WriteJSON writes the diagnosis as one JSON document. Runes that a terminal
// could obey are escaped.
func (d *Diagnosis) WriteJSON(w io.Writer) error {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return err
	}
	_, err := w.Write(safe.AppendDocument(nil, buf.Bytes()))
	return err
}
