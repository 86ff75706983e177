//go:build unix

package tail

import (
	"io/fs"
	"syscall"
)

// inode returns device, inode and number of links.
func inode(info fs.FileInfo) (dev, ino, links uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev), uint64(st.Ino), uint64(st.Nlink)
	}
	return 0, 0, 1
}
