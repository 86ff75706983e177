//go:build unix

package tail

import (
	"math"
	"syscall"
)

// FileLimit is how many files the system lets the process have open.
// Source: https://pubs.opengroup.org/onlinepubs/9799919799/functions/getrlimit.html
func FileLimit() int {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return math.MaxInt
	}
	return int(min(uint64(r.Cur), math.MaxInt))
}
