package kafka

import (
	"sync/atomic"
	"time"

	"github.com/flagwatch/flagwatch/internal/source"
)

// A generation is what one member owns between two rebalances: all of it is
// committed or dropped together, so it is one Group of streams. A coordinator
// refuses commits by generation, never by partition, and writes those of one
// request as one.
type generation struct {
	group    int // of the streams
	id       int
	member   string
	instance string
	leader   bool
	claims   map[part]*claim // does not change once it is started
	known    map[part]int    // all partitions there were

	fenced atomic.Bool // nothing of it can be committed any more
}

// A claim is the reading of one partition. All but the first fields are under
// the reader's lock.
type claim struct {
	part
	gen   *generation
	until int64 // where to stop; -1: never
	begin int64 // where it began

	next    int64 // all before has been converted
	want    int64 // offset to fetch: next, or behind what arrived and waits to be converted
	handed  int64 // all before has been handed out
	owned   int64 // all before is committed; -1: nothing is
	history []handover
	closed  bool // nothing of it is handed out any more
	gone    bool // the topic was deleted: its offsets can not be committed
	done    bool // until is reached, and all is in the queue
	queued  int  // chunks that wait to be handed out

	busy    bool          // a fetch is under way
	last    chan struct{} // closed when all that arrived is converted; nil: nothing has arrived yet
	after   time.Time     // when to fetch next
	fails   int           // fetches in a row that failed in the same way
	carry   carry         // of who converts
	streams map[place]*source.Stream
	status  PartitionStatus
}

// A place is where a message says that it comes from.
type place struct{ namespace, pod, container string }

// maxPlaces is how many streams of one partition are remembered.
const maxPlaces = 1024

// stream returns the stream of a place. The reader's lock is held.
func (c *claim) stream(at place) *source.Stream {
	s := c.streams[at]
	if s == nil {
		if len(c.streams) >= maxPlaces {
			clear(c.streams)
		}
		s = &source.Stream{Name: c.name(), Namespace: at.namespace, Pod: at.pod, Container: at.container, Group: c.gen.group}
		if c.streams == nil {
			c.streams = map[place]*source.Stream{}
		}
		c.streams[at] = s
	}
	return s
}
