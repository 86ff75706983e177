// Package kafka reads topics: as a member of a consumer group whose commits
// decide what is counted, or once from one place to another.
//
// It is built on the requests of kafka-go's Client and Transport, not on its
// Reader: what is committed must be committed by the generation that read it.
package kafka

import (
	"crypto/tls"
	"fmt"
	"strings"
	"time"

	"github.com/segmentio/kafka-go/sasl"

	"github.com/flagwatch/flagwatch/parser"
)

// A Start is where a partition begins that the group has no offset of.
type Start uint8

const (
	First Start = iota
	End         // what is written from now on; partitions that are added later begin at their first record all the same
)

// A Poison says what to do with records that can not be read.
type Poison uint8

const (
	Halt Poison = iota // the partition stands still, the others go on
	Skip               // they are counted as lost
)

// Options say what to read and how. Brokers and Topics are needed.
type Options struct {
	Brokers    []string // host:port
	Topics     []string
	Group      string
	InstanceID string // of a static member; "" for a dynamic one
	Start      Start
	Poison     Poison
	Formats    []*parser.Format // that records may be in
	MessageKey string           // JSON key of the log text in a message, dots for nested ones; "" for those that are known

	TLS  *tls.Config    // nil: none
	SASL sasl.Mechanism // nil: none

	Session   time.Duration // after which the coordinator gives a silent member up; 0: 45 s
	Rebalance time.Duration // how long members may take to join again; 0: 60 s
	Timeout   time.Duration // of a request; 0: 10 s
	MaxWait   time.Duration // how long a broker waits for news; 0: 500 ms
	MaxBytes  int           // a fetch asks for at most, of all partitions together; 0: 1 MiB

	// Say is told what an operator should know, in words. It is called by
	// several goroutines at once. nil: nobody.
	Say func(string)
}

// maxDecoded is how large a batch of records may become when it is
// decompressed.
const maxDecoded = 64 << 20

// filled returns o with its defaults.
func (o Options) filled() (Options, error) {
	for _, b := range o.Brokers {
		if !strings.Contains(b, ":") {
			return o, fmt.Errorf("broker %q: want host:port", b)
		}
	}
	if len(o.Brokers) == 0 || len(o.Topics) == 0 {
		return o, fmt.Errorf("want brokers and topics")
	}
	for d, value := range map[*time.Duration]time.Duration{
		&o.Session: 45 * time.Second, &o.Rebalance: time.Minute, &o.Timeout: 10 * time.Second, &o.MaxWait: 500 * time.Millisecond,
	} {
		if *d <= 0 {
			*d = value
		}
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 1 << 20
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	return o, nil
}
