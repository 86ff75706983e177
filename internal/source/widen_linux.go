package source

import (
	"os"
	"syscall"
)

// setPipeSize is F_SETPIPE_SZ: https://man7.org/linux/man-pages/man2/F_SETPIPE_SZ.2const.html
const setPipeSize = 1031

// widen asks for a pipe of 1 MiB instead of 64 KiB: fewer switches between its
// two ends. It is no matter if the system refuses.
func widen(f *os.File) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	conn.Control(func(fd uintptr) { syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, 1<<20) })
}
