//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// maxRSS is the most memory, in bytes, that a process had resident. It is
// never less than what this program had when it started the process, which is
// why this program keeps its own memory small.
func maxRSS(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
