//go:build !amd64

package classify

// scan says whether one of the words may stand in a text; the room is the
// caller's.
func (s *signSet) scan(text []byte, room *padded) bool { return s.scanGo(text, room) }
