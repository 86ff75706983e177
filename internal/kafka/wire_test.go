package kafka

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/flagwatch/flagwatch/internal/source"
)

// A wire is a network that harms what the brokers send.
type wire struct {
	find, put []byte      // replaced in what is sent; same length
	deaf      atomic.Bool // nothing is sent any more
	dials     atomic.Int64
}

// listen is for kfake.ListenFn.
func (w *wire) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	return &wireListener{l, w}, err
}

type wireListener struct {
	net.Listener
	w *wire
}

func (l *wireListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	l.w.dials.Add(1)
	return &wireConn{c, l.w}, err
}

type wireConn struct {
	net.Conn
	w *wire
}

func (c *wireConn) Write(p []byte) (int, error) {
	if c.w.deaf.Load() {
		return len(p), nil
	}
	if c.w.find != nil {
		return c.Conn.Write(bytes.ReplaceAll(p, c.w.find, c.w.put))
	}
	return c.Conn.Write(p)
}

// harmed is a topic of two partitions; in the first one a batch is damaged on
// its way.
func harmed(t *testing.T) *cluster {
	w := &wire{find: []byte("damage-me"), put: []byte("dAmage-me")}
	c := newCluster(t, kfake.SeedTopics(2, "access"), kfake.ListenFn(w.listen))
	c.produce("access", 0, lines(200, 0, 10)...)
	c.produce("access", 0, "damage-me", "x", "y")
	c.produce("access", 0, lines(201, 0, 10)...)
	c.produce("access", 1, lines(202, 0, 10)...)
	return c
}

// TestChecksum (K19) demands that a damaged batch is not counted, that its
// partition stands still with a reason, and that the others go on.
func TestChecksum(t *testing.T) {
	c := harmed(t)
	m := c.run(c.options("flagwatch", "access"))
	wait(t, "the halt", func() bool {
		for _, p := range m.reader.Status().Partitions {
			if strings.Contains(p.Halted, "offset 10") && strings.Contains(p.Halted, "checksum") {
				return true
			}
		}
		return false
	})
	wait(t, "the records that can be read", func() bool { return recordsOf(m) == 20 })
	s := m.reader.Status()
	if why := s.Unready(time.Minute); !strings.Contains(why, "decoded") {
		t.Errorf("ready: %q", why)
	}
	if got, want := fmt.Sprint(codesOf(m)), "map[200:10 202:10]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestChecksumSkipped(t *testing.T) {
	c := harmed(t)
	opt := c.options("flagwatch", "access")
	opt.Poison = Skip
	m := c.run(opt)
	wait(t, "the records behind", func() bool { return recordsOf(m) == 30 })
	if n := m.reader.Status().Lost[Poisoned]; n != 3 {
		t.Errorf("%d offsets are said to be lost, want 3", n)
	}
}

// TestBomb (K20) demands that a batch which becomes too large is refused
// without the memory that it wants.
func TestBomb(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(2, "access"), kfake.BrokerConfigs(map[string]string{"message.max.bytes": "104857600"}))
	k, err := kgo.NewClient(kgo.SeedBrokers(c.addrs...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.ZstdCompression()),
		kgo.ProducerBatchMaxBytes(300<<20), kgo.BrokerMaxWriteBytes(400<<20), kgo.MaxBufferedBytes(400<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if err := k.ProduceSync(t.Context(), &kgo.Record{Topic: "access", Value: make([]byte, 256<<20)}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	c.produce("access", 1, lines(200, 0, 10)...)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := c.run(c.options("flagwatch", "access"))
	wait(t, "the other partition, and the halt", func() bool {
		for _, p := range m.reader.Status().Partitions {
			if strings.Contains(p.Halted, "larger than") {
				return recordsOf(m) == 10
			}
		}
		return false
	})
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 64<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

// TestHalfOpen (K24) demands that a connection on which nothing comes any more
// is noticed, and that nothing is lost over it.
func TestHalfOpen(t *testing.T) {
	w := &wire{}
	c := newCluster(t, kfake.SeedTopics(1, "access"), kfake.ListenFn(w.listen))
	opt := c.options("flagwatch", "access")
	opt.Timeout = time.Second
	m := c.run(opt)
	c.produce("access", 0, lines(200, 0, 10)...)
	wait(t, "10 records", func() bool { return recordsOf(m) == 10 })
	w.deaf.Store(true)
	wait(t, "the trouble", func() bool { return m.reader.Status().Trouble != "" })
	w.deaf.Store(false)
	c.client.Close()
	c.client = nil
	c.produce("access", 0, lines(200, 10, 20)...)
	wait(t, "20 records", func() bool { return recordsOf(m) == 20 })
	wait(t, "the end of the trouble", func() bool { return m.reader.Status().Trouble == "" })
}

// TestGivesUp demands that a bounded reading whose broker is gone for good ends
// with what it has, and says so.
func TestGivesUp(t *testing.T) {
	w := &wire{}
	c := newCluster(t, kfake.SeedTopics(1, "access"), kfake.ListenFn(w.listen))
	c.produce("access", 0, lines(200, 0, 10)...)
	opt := c.options("", "access")
	opt.Timeout = 200 * time.Millisecond
	r, err := OpenRange(t.Context(), opt, Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.mu.Lock()
	r.claims[0].until, r.claims[0].done = 1000, false // more than there is
	r.mu.Unlock()
	w.deaf.Store(true)
	var b source.Batch
	for err == nil {
		err = r.Next(t.Context(), &b)
	}
	if !errors.Is(err, source.ErrIncomplete) || !strings.Contains(err.Error(), "given up after") || !strings.Contains(err.Error(), "access/0") {
		t.Errorf("%v", err)
	}
}

// TestFinalErrors demands that what no repetition heals is said within five
// seconds, in words, and without a storm of attempts.
func TestFinalErrors(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	var mu sync.Mutex
	var held []net.Conn
	go func() {
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			held = append(held, conn)
			mu.Unlock()
			go io.Copy(io.Discard, conn)
		}
	}()
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		for _, conn := range held {
			conn.Close()
		}
	}()
	c := newCluster(t, kfake.SeedTopics(1, "access"))
	for name, test := range map[string]struct {
		brokers, topic string
		want           string
	}{
		"no topic":      {c.addrs[0], "missing", "topic missing: there is none"},
		"nobody there":  {"127.0.0.1:1", "access", "connection refused"},
		"silent":        {silent.Addr().String(), "access", "127.0.0.1"},
		"no port":       {"localhost", "access", "want host:port"},
		"unknown names": {"nowhere.invalid:9092", "access", "nowhere.invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			_, err := Open(t.Context(), Options{Brokers: []string{test.brokers}, Topics: []string{test.topic}, Group: "g"}, "p", nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if d := time.Since(begin); d > busy*5*time.Second {
				t.Errorf("it took %v", d)
			}
		})
	}
}
