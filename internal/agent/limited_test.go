package agent

import (
	"net"
	"sync"
	"testing"
)

// TestClosedTwice demands that a connection gives one slot back, whoever closes
// it: a server that ends closes those that are about to end by themselves.
func TestClosedTwice(t *testing.T) {
	slots := make(chan struct{}, 64)
	for range cap(slots) {
		slots <- struct{}{}
	}
	const conns = 32
	for range conns {
		a, b := net.Pipe()
		b.Close()
		c := &counted{Conn: a, slots: slots}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { c.Close() })
		}
		both.Wait()
	}
	if n := cap(slots) - len(slots); n != conns {
		t.Errorf("%d connections gave %d slots back", conns, n)
	}
}
