//go:build unix

package tail

import (
	"fmt"
	"io/fs"
	"sync/atomic"
	"testing"
	"time"
)

// A countingDisk counts what it is asked for.
type countingDisk struct {
	Disk
	opens, names, stats atomic.Int64
}

func (d *countingDisk) Open(path string) (File, string, error) {
	d.opens.Add(1)
	return d.Disk.Open(path)
}

func (d *countingDisk) Names(dir string) ([]string, error) {
	d.names.Add(1)
	return d.Disk.Names(dir)
}

func (d *countingDisk) Stat(path string) (fs.FileInfo, error) {
	d.stats.Add(1)
	return d.Disk.Stat(path)
}

// An idle node costs little: directories are asked when they changed, and
// read only then.
func TestIdleCost(t *testing.T) {
	disk := &countingDisk{}
	r := newRig(t, Options{System: disk}, "pods")
	const pods = 50
	for i := range pods {
		r.append(fmt.Sprintf("pods/shop_cart-%d_0b0e/istio-proxy/0.log", i), cri("F", lines(0, 1)))
	}
	<-time.After(200 * time.Millisecond) // the directories' clock is coarse
	r.pass(3 * time.Second)
	disk.opens.Store(0)
	disk.names.Store(0)
	disk.stats.Store(0)
	const seconds = 60
	r.pass(seconds * time.Second)
	opens, names, stats := disk.opens.Load(), disk.names.Load(), disk.stats.Load()
	if opens > 0 || names > 0 || stats > 3*pods*seconds {
		t.Errorf("%d pods, %d seconds: %d opened, %d directories read, %d asked", pods, seconds, opens, names, stats)
	}
}
