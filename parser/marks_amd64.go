package parser

import "golang.org/x/sys/cpu"

// scanMarks notes the marks of text, which is at most a stretch long, and as
// bits where the other byte stands. Behind text 63 bytes must be readable.
func scanMarks(text []byte, m *marks, other byte) {
	switch width {
	case 2:
		scanMarksAVX512(text, m, other)
	case 1:
		scanMarksAVX2(text, m, other)
	default:
		scanMarksGo(text, m)
	}
}

// width says which assembly the processor can run, and the system keeps the
// registers of.
var width = vectors()

// wide says that there is one: then the bits are noted.
var wide = width > 0

//go:noescape
func scanMarksAVX2(text []byte, m *marks, other byte)

//go:noescape
func scanMarksAVX512(text []byte, m *marks, other byte)

func vectors() uint8 {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasBMI1 || !x.HasBMI2 || !x.HasPOPCNT:
		return 0
	case x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512VBMI2:
		return 2
	}
	return 1
}
