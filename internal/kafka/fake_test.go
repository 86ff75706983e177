package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/pipeline"
	"github.com/flagwatch/flagwatch/sinks"
)

// floor is the oldest version of each request that Kafka 4.0 takes.
// https://cwiki.apache.org/confluence/display/KAFKA/KIP-896%3A+Remove+old+client+protocol+API+versions+in+Kafka+4.0
var floor = map[int16]int16{
	0: 3, 1: 4, 2: 1, 3: 0, 8: 2, 9: 1, 10: 0, 11: 2, 12: 0, 13: 0, 14: 0, 17: 0, 18: 0, 36: 0,
}

// A cluster is brokers in this process, which refuse what Kafka 4.0 refuses.
type cluster struct {
	*kfake.Cluster
	t      *testing.T
	mu     sync.Mutex
	below  []string
	addrs  []string
	client *kgo.Client
}

func newCluster(t *testing.T, opts ...kfake.Opt) *cluster {
	t.Helper()
	opts = append([]kfake.Opt{kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(time.Second)}, opts...)
	k, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{Cluster: k, t: t, addrs: k.ListenAddrs()}
	k.Control(func(req kmsg.Request) (kmsg.Response, error, bool) {
		k.KeepControl()
		if least, ok := floor[req.Key()]; ok && req.GetVersion() < least {
			c.mu.Lock()
			c.below = append(c.below, fmt.Sprintf("%T version %d", req, req.GetVersion()))
			c.mu.Unlock()
			return nil, errors.New("below the floor"), true
		}
		return nil, nil, false
	})
	t.Cleanup(func() {
		if c.client != nil {
			c.client.Close()
		}
		k.Close()
		if len(c.below) > 0 {
			t.Errorf("requests that Kafka 4.0 refuses: %v", c.below)
		}
	})
	return c
}

func (c *cluster) producer() *kgo.Client {
	c.t.Helper()
	if c.client == nil {
		k, err := kgo.NewClient(kgo.SeedBrokers(c.addrs...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
		if err != nil {
			c.t.Fatal(err)
		}
		c.client = k
	}
	return c.client
}

// produce writes messages to a partition.
func (c *cluster) produce(topic string, partition int32, values ...string) {
	c.t.Helper()
	var list []*kgo.Record
	for _, v := range values {
		list = append(list, &kgo.Record{Topic: topic, Partition: partition, Value: []byte(v)})
	}
	if err := c.producer().ProduceSync(c.t.Context(), list...).FirstErr(); err != nil {
		c.t.Fatal(err)
	}
}

// line is a record in Envoy's default format with a code of its own.
// https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#default-format-string
func line(code int, flags string, id int) string {
	return fmt.Sprintf("[2026-03-01T09:00:%02d.000Z] \"GET /cart/%d HTTP/1.1\" %d %s 0 12 3 2 \"-\" \"curl/8.5.0\" \"%d\" \"cart\" \"10.1.0.7:8080\"", id%60, id, code, flags, id)
}

func lines(code, from, to int) (list []string) {
	for id := from; id < to; id++ {
		list = append(list, line(code, "-", id))
	}
	return list
}

// A run is a member that counts, as the command does.
type run struct {
	t      *testing.T
	reader *Reader
	ledger *ledger.Kafka
	cancel context.CancelFunc
	done   chan error
}

// options are short times for tests.
func (c *cluster) options(group string, topics ...string) Options {
	return Options{
		Brokers: c.addrs, Topics: topics, Group: group, Session: 3 * time.Second, Rebalance: 5 * time.Second, MaxWait: 50 * time.Millisecond,
		Say: func(s string) { c.t.Log(s) },
	}
}

func (c *cluster) run(opt Options) *run {
	c.t.Helper()
	led := ledger.NewKafka(nil)
	r, err := Open(c.t.Context(), opt, led.Process(), led.Resolve)
	if err != nil {
		c.t.Fatal(err)
	}
	led.Bind(r)
	ctx, cancel := context.WithCancel(context.Background())
	m := &run{t: c.t, reader: r, ledger: led, cancel: cancel, done: make(chan error, 1)}
	go func() {
		err := pipeline.Run(ctx, r, led, pipeline.Options{Workers: 2, Epoch: 50 * time.Millisecond})
		r.Close()
		m.done <- err
	}()
	c.t.Cleanup(m.cancel)
	return m
}

// stop ends the run as SIGTERM does, and returns why it ended.
func (m *run) stop() error {
	m.t.Helper()
	m.cancel()
	select {
	case err := <-m.done:
		m.done <- err
		if errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	case <-time.After(busy * 15 * time.Second):
		m.t.Fatal("the run does not end")
	}
	return nil
}

// codes are the visible counts.
func codesOf(runs ...*run) map[int]uint64 {
	codes := map[int]uint64{}
	for _, m := range runs {
		m.ledger.View(func(s *sinks.Snapshot) {
			for _, c := range s.Report().Codes {
				codes[c.Code] += c.Count
			}
		})
	}
	return codes
}

func recordsOf(runs ...*run) (n uint64) {
	for _, m := range runs {
		m.ledger.View(func(s *sinks.Snapshot) { n += s.Identity().Records })
	}
	return n
}

// busy is how many times longer a machine may take that does other things
// beside.
const busy = 4

// wait waits until something holds.
func wait(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.Now().Add(busy * 20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("in vain: " + what)
		}
	}
}

func (m *run) joined() bool {
	s := m.reader.Status()
	return s.Joined
}

func (m *run) parts() int { return len(m.reader.Status().Partitions) }
