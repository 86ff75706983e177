//go:build unix

package safe

import "syscall"

const (
	openFlags = syscall.O_NONBLOCK | syscall.O_CLOEXEC | syscall.O_NOCTTY
	noFollow  = syscall.O_NOFOLLOW
)
