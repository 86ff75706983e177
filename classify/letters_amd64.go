package classify

// scanLetters says of each byte of the first n chunks what it is.
//
//go:noescape
func scanLetters(p *padded, n int)
