//go:build unix

package tail

import (
	"fmt"
	"testing"
	"time"
)

// TestManyGenerations keeps more rotated files than are remembered when their
// files are gone, packed by the kubelet, by logrotate or not at all, and starts
// again: each line is handed out once.
func TestManyGenerations(t *testing.T) {
	const files = 3 * keptFinished
	for name, pack := range map[string]func(r *rig, name string){
		"packed": func(r *rig, name string) { r.gzip(name) },
		"plain":  func(*rig, string) {},
		"copied": func(r *rig, name string) { r.copy(name, name+"-copy").remove(name).rename(name+"-copy", name) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{})
			stamp := func(i int) string { return fmt.Sprintf("x.log.20260317-1011%02d", i) }
			for i := range files {
				r.append("x.log", lines(100*i, 100*i+100)).pass(time.Second).rename("x.log", stamp(i))
				if i > 0 {
					pack(r, stamp(i-1))
				}
				r.pass(10 * time.Second).commit()
				if i%10 == 9 {
					r.start()
				}
			}
			r.append("x.log", lines(100*files, 100*files+5)).pass(10 * time.Second).commit()
			for range 2 {
				r.start()
				r.pass(10 * time.Second).commit()
			}
			r.want(lines(0, 100*files+5))
		})
	}
}
