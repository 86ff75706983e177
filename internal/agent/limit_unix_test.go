//go:build unix

package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Many more logs than the process may have files open, which is less than the
// configuration says: all are counted, kept and served.
func TestFewFilesAllowed(t *testing.T) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	few := old
	few.Cur = 64
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old)
	const logs = 150
	r := start(t, line(time.Now()))
	for i := 1; i < logs; i++ {
		dir := filepath.Join(r.dir, "pods", strings.Replace(podDir, "cart", fmt.Sprintf("cart%d", i), 1))
		r.check(os.MkdirAll(dir, 0o755))
		r.check(os.WriteFile(filepath.Join(dir, "0.log"), []byte(line(time.Now())), 0o644))
	}
	r.get("/metrics", fmt.Sprintf(`flagwatch_records_total{kind="access"} %d`, logs))
	r.end()
}
