package classify

import "golang.org/x/sys/cpu"

// wide says that the processor can run the assembly, and the system keeps the
// registers of.
var wide = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2

// scan says whether one of the words may stand in a text; the room is the
// caller's.
func (s *signSet) scan(text []byte, room *padded) bool {
	if wide {
		return scanSigns(text, s)
	}
	return s.scanGo(text, room)
}

//go:noescape
func scanSigns(text []byte, s *signSet) bool
