//go:build !amd64

package parser

// valueScanners are those that this machine can run.
func valueScanners() map[string]func([]byte, *marks) {
	return map[string]func([]byte, *marks){"plain": scanValues}
}

// matchers are those that this machine can run.
func matchers() map[string]func(*windows, *outline) {
	return map[string]func(*windows, *outline){"plain": matchWindows}
}
