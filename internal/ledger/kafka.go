package ledger

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/flagwatch/flagwatch/sinks"
)

// Offsets is where a consumer group's offsets are kept, and who may change
// them is decided.
type Offsets interface {
	// Commit commits the offsets of streams of one group, by name, with a
	// token that says whose commit it is. nil means that it was applied, an
	// error that Is ErrFenced that it never will be. Any other error leaves
	// it open.
	Commit(ctx context.Context, group int, to map[string]int64, token string) error

	// Applied says whether a commit that was left open was applied. It must
	// not be asked before later attempts are impossible.
	Applied(ctx context.Context, to map[string]int64, token string) (bool, error)
}

// Kafka is the Ledger of a member of a consumer group. Counts are visible when
// the coordinator has taken the offset behind them, and only then: a zombie's
// counts are refused together with its offset.
//
// With a Journal the counts outlive the process: the intent to commit is
// written first, so that a successor can find out whether the commit that a
// process died over was applied. It is safe for concurrent use.
type Kafka struct {
	offsets Offsets
	journal *Journal // nil: counts end with the process
	process string
	seq     int

	mu  sync.Mutex
	sum *sinks.Snapshot
}

// NewKafka returns a Ledger that takes the counts of a journal over, if there
// is one. The journal stays the caller's to close.
func NewKafka(journal *Journal) *Kafka {
	k := &Kafka{journal: journal, process: rand.Text()[:13], sum: sinks.NewSnapshot()}
	if journal != nil {
		k.sum = journal.counts
	}
	return k
}

// Process is what all tokens of this process begin with.
func (k *Kafka) Process() string { return k.process }

// Bind says where offsets are committed, before the first commit.
func (k *Kafka) Bind(o Offsets) { k.offsets = o }

// Resolve finds out what became of the commit that an earlier process died
// over. It is called before the first commit, as soon as nothing of that
// process can be committed any more.
func (k *Kafka) Resolve(ctx context.Context, o Offsets) error {
	if k.journal == nil || k.journal.open == nil {
		return nil
	}
	applied, err := o.Applied(ctx, k.journal.open.To, k.journal.open.Token)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	if applied {
		k.sum.MergeSnapshot(k.journal.delta)
		k.sum.Stamp(now)
	}
	k.journal.open, k.journal.delta = nil, nil
	return k.journal.settle(applied, now)
}

// Commit is Ledger's.
func (k *Kafka) Commit(ctx context.Context, e Epoch) error {
	k.seq++
	in := intent{Token: fmt.Sprintf("%s-%d", k.process, k.seq), To: map[string]int64{}}
	for _, end := range e.Ends {
		in.To[end.Stream.Name] = max(in.To[end.Stream.Name], end.End.Offset)
	}
	if k.journal != nil {
		if err := k.journal.write(in, e.Delta); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	err := k.offsets.Commit(ctx, e.Group, in.To, in.Token)
	if err != nil && !errors.Is(err, ErrFenced) {
		return err
	}
	if failed := k.settle(e.Delta, err == nil); failed != nil {
		return failed
	}
	return err
}

// settle makes counts visible, or drops them.
func (k *Kafka) settle(d *sinks.Delta, applied bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	if applied {
		k.sum.Merge(d)
		k.sum.Stamp(now)
	}
	if k.journal == nil {
		return nil
	}
	err := k.journal.settle(applied, now)
	if err == nil && k.journal.full() {
		err = k.journal.rewrite(k.sum)
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// View calls f with all that is committed. The snapshot is f's until f
// returns, and commits wait for it.
func (k *Kafka) View(f func(*sinks.Snapshot)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f(k.sum)
}
