//go:build !amd64

package classify

// scanLetters says of each byte of the first n chunks what it is.
func scanLetters(p *padded, n int) { p.scanGo(n) }
