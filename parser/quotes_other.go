//go:build !amd64

package parser

// scanLine returns the offset of the first line end of text, or its length,
// and how many quotes stand in front of it, at most maxQuotes; their offsets
// are stored.
func scanLine(text []byte, at *quotePlaces) (end, quotes int) { return scanLineGo(text, at) }
