package ledger

import (
	"context"
	"sync"

	"github.com/flagwatch/flagwatch/sinks"
)

// Memory is the Ledger of a run that starts over when it is interrupted:
// standard input, files, archives. It is safe for concurrent use.
type Memory struct {
	mu  sync.Mutex
	sum *sinks.Snapshot
	any bool // was committed
}

// NewMemory returns a Memory without counts.
func NewMemory() *Memory { return &Memory{sum: sinks.NewSnapshot()} }

// Commit is Ledger's; it never fails.
func (m *Memory) Commit(_ context.Context, e Epoch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Last && !m.any {
		m.sum = sinks.Adopt(e.Delta)
	} else {
		m.sum.Merge(e.Delta)
	}
	m.any = true
	return nil
}

// ViewMetrics is View: it takes no less.
func (m *Memory) ViewMetrics(f func(*sinks.Snapshot)) { m.View(f) }

// View calls f with all that is committed. The snapshot is f's until f
// returns, and commits wait for it: what is to be kept is merged into another.
func (m *Memory) View(f func(*sinks.Snapshot)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(m.sum)
}
