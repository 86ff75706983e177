package parser

// scanners are those that this machine can run.
func scanners() map[string]func([]byte, *marks, byte) {
	all := map[string]func([]byte, *marks, byte){"plain": func(text []byte, m *marks, _ byte) { scanMarksGo(text, m) }}
	if width > 0 {
		all["AVX2"] = scanMarksAVX2
	}
	if width > 1 {
		all["AVX-512"] = scanMarksAVX512
	}
	return all
}
