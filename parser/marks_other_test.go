//go:build !amd64

package parser

// scanners are those that this machine can run.
func scanners() map[string]func([]byte, *marks, byte) {
	return map[string]func([]byte, *marks, byte){"plain": scanMarks}
}
