//go:build !amd64

package parser

// scanValues notes where the values of objects begin in text, which is at most
// a stretch long, its line ends, and how many quotes and backslashes stand in
// front of them. Behind text 63 bytes must be readable.
func scanValues(text []byte, m *marks) {
	scanValuesGo(text, m)
	m.within()
}

// matchWindows compares the object that o tells the values of with w. Behind its
// text 64 bytes must be readable.
func matchWindows(w *windows, o *outline) { matchWindowsGo(w, o) }
