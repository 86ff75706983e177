//go:build !unix

package safe

const (
	openFlags = 0
	noFollow  = 0
)
