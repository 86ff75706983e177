package parser

// scanMarks notes the marks of text, which is at most a stretch long. Behind
// text 63 bytes must be readable.
func scanMarks(text []byte, m *marks) {
	if wide {
		scanMarksAVX2(text, m)
	} else {
		scanMarksGo(text, m)
	}
}

// wide says whether the processor has what scanMarksAVX2 uses, and the system
// keeps its registers.
var wide = hasAVX2()

//go:noescape
func scanMarksAVX2(text []byte, m *marks)

func hasAVX2() bool
