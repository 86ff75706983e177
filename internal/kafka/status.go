package kafka

import "time"

// A Loss says why offsets were never read.
type Loss uint8

const (
	Retention Loss = iota // deleted before they were read
	Recreated             // of a topic that was deleted and made again
	Truncated             // the log became shorter than what was read of it
	Poisoned              // they could not be decoded
	NumLosses
)

var losses = [NumLosses]string{"retention", "recreated", "truncated", "poison"}

func (l Loss) String() string { return losses[l] }

// A PartitionStatus is how far one partition is.
type PartitionStatus struct {
	Topic         string
	Partition     int
	Next          int64 // offset that is fetched next
	Committed     int64 // -1: nothing
	LogStart      int64
	HighWatermark int64 // behind the last record that may be read
	Lag           int64
	LastSuccess   time.Time // of a fetch
	Halted        string    // why it stands still
}

// Counters only grow.
type Counters struct {
	Bytes          int64
	ControlRecords int64 // of transactions; they hold nothing to count
	Aborted        int64 // records of transactions that were given up
	Rebalances     int64
	Rejected       int64 // commits
	Stalls         int64 // all connections were made anew
	Lost           [NumLosses]int64
}

// Health says whether the reading goes on.
type Health struct {
	Joined  bool
	Trouble string    // the last one, "" when it is over
	Alive   time.Time // last sign of life of the coordinator
}

// A Status is what is known at one time.
type Status struct {
	Health
	Counters
	Insecure   bool              // certificates are not verified
	Partitions []PartitionStatus // of this member
}

// Status may be called at any time.
func (r *Reader) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Status{Health: r.health, Counters: r.counters, Insecure: r.opt.TLS != nil && r.opt.TLS.InsecureSkipVerify}
	for _, c := range r.claims {
		p := c.status
		p.Next, p.Committed = c.next, c.owned
		p.Lag = max(0, p.HighWatermark-max(c.owned, c.begin))
		s.Partitions = append(s.Partitions, p)
	}
	return s
}

// Unready says why the process does not read as it should: "" when it is a
// member and all its partitions make progress.
func (s *Status) Unready(patience time.Duration) string {
	switch {
	case s.Trouble != "":
		return s.Trouble
	case !s.Joined:
		return "not a member of the group"
	}
	for _, p := range s.Partitions {
		if p.Halted != "" {
			return p.Topic + ": " + p.Halted
		}
		if time.Since(p.LastSuccess) > patience {
			return "a partition of " + p.Topic + " has not been fetched since " + p.LastSuccess.UTC().Format(time.RFC3339)
		}
	}
	return ""
}
