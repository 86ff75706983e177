// Package ledger makes counts and the places they were counted up to durable
// together.
package ledger

import (
	"context"
	"errors"

	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/sinks"
)

// ErrFenced is what a Commit error Is when another process owns the group by
// now. It reads the epoch's records again, so their counts are dropped here.
var ErrFenced = errors.New("fenced")

// An Epoch is what was counted in one group since its last epoch: exactly the
// records between the ends of that epoch and these. Streams without news are
// not in it.
type Epoch struct {
	Group int
	Ends  []StreamEnd
	Delta *sinks.Delta
	Last  bool // of the run: Delta is the ledger's to keep
}

// A StreamEnd is how far a stream was counted.
type StreamEnd struct {
	Stream *source.Stream
	End    source.Position
}

// A Ledger commits epochs: all of one or nothing of it, and only what is
// committed is visible anywhere. An error that Is ErrFenced means nothing was
// committed and never will be; any other error stops the run.
//
// Commit is called by one goroutine at a time. The epoch and all it points to
// but the streams belong to the caller again when it returns, and the Delta of
// the last epoch to nobody. The end of a run
// does not end ctx, so that the last epoch is still committed: an
// implementation has time limits of its own.
type Ledger interface {
	Commit(ctx context.Context, e Epoch) error
}
