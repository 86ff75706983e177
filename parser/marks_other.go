//go:build !amd64

package parser

// wide says that there is no assembly.
const wide = false

// scanMarks notes the marks of text, which is at most a stretch long. Behind
// text 63 bytes must be readable.
func scanMarks(text []byte, m *marks, _ byte) { scanMarksGo(text, m) }
