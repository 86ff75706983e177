//go:build !amd64

package parser

// scanMarks notes the marks of text, which is at most a stretch long. Behind
// text 63 bytes must be readable.
func scanMarks(text []byte, m *marks) { scanMarksGo(text, m) }
