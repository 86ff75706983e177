package parser

// scanValues notes where the values of objects begin in text, which is at most
// a stretch long, its line ends, and how many quotes and backslashes stand in
// front of them. Behind text 63 bytes must be readable.
func scanValues(text []byte, m *marks) {
	switch width {
	case 2:
		scanValuesAVX512(text, m)
	case 1:
		scanValuesAVX2(text, m)
	default:
		scanValuesGo(text, m)
	}
	m.within()
}

// matchWindows compares the object that o tells the values of with w. Behind its
// text 64 bytes must be readable.
func matchWindows(w *windows, o *outline) {
	switch width {
	case 2:
		matchWindowsAVX512(w, o)
	case 1:
		matchWindowsAVX2(w, o)
	default:
		matchWindowsGo(w, o)
	}
}

//go:noescape
func scanValuesAVX2(text []byte, m *marks)

//go:noescape
func scanValuesAVX512(text []byte, m *marks)

//go:noescape
func matchWindowsAVX2(w *windows, o *outline)

//go:noescape
func matchWindowsAVX512(w *windows, o *outline)
