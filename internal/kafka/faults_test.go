package kafka

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// TestVersions (K01-K07) demands that brokers from 2.1 to the newest are
// understood, with no request that Kafka 4.0 refuses: see newCluster.
func TestVersions(t *testing.T) {
	for name, v := range map[string]*kversion.Versions{
		"2.1": kversion.V2_1_0(), "3.9": kversion.V3_9_0(), "4.0": kversion.V4_0_0(), "4.1": kversion.V4_1_0(), "stable": kversion.Stable(),
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, kfake.MaxVersions(v), kfake.SeedTopics(2, "access"))
			c.produce("access", 0, lines(200, 0, 20)...)
			c.produce("access", 1, lines(503, 0, 10)...)
			m := c.run(c.options("flagwatch", "access"))
			wait(t, "30 records", func() bool { return recordsOf(m) == 30 })
			if err := m.stop(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestCodecs (K08) demands that each codec gives the same records.
func TestCodecs(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(5, "access"))
	for p, codec := range []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()} {
		k, err := kgo.NewClient(kgo.SeedBrokers(c.addrs...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(codec))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range lines(200+p, 0, 300) {
			k.Produce(t.Context(), &kgo.Record{Topic: "access", Partition: int32(p), Value: []byte(text)}, nil)
		}
		if err := k.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		k.Close()
	}
	m := c.run(c.options("flagwatch", "access"))
	wait(t, "1500 records", func() bool { return recordsOf(m) == 1500 })
	if got, want := fmt.Sprint(codesOf(m)), "map[200:300 201:300 202:300 203:300 204:300]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestRetention (K14) demands that records which were deleted before they were
// read are counted as lost, exactly, and that reading goes on.
func TestRetention(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "access"))
	c.produce("access", 0, lines(200, 0, 10)...)
	m := c.run(c.options("flagwatch", "access"))
	wait(t, "10 records", func() bool { return recordsOf(m) == 10 })
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	c.produce("access", 0, lines(200, 10, 100)...)
	if err := c.DeleteRecords("access", 0, 37); err != nil {
		t.Fatal(err)
	}
	again := c.run(c.options("flagwatch", "access"))
	wait(t, "the rest", func() bool { return recordsOf(again) == 63 })
	if n := again.reader.Status().Lost[Retention]; n != 27 {
		t.Errorf("%d offsets are said to be lost, want 27", n)
	}
}

// TestRecreated (K15) demands that a topic that was deleted and made again is
// read from its beginning, be it shorter or longer than what was committed.
func TestRecreated(t *testing.T) {
	for _, n := range []int{5, 50} {
		c := newCluster(t, kfake.SeedTopics(2, "access"))
		c.produce("access", 0, lines(200, 0, 20)...)
		c.produce("access", 1, lines(200, 0, 20)...)
		m := c.run(c.options("flagwatch", "access"))
		wait(t, "40 records", func() bool { return recordsOf(m) == 40 })
		if err := c.DeleteTopic("access"); err != nil {
			t.Fatal(err)
		}
		if err := c.CreateTopic("access", 2, nil); err != nil {
			t.Fatal(err)
		}
		c.client.PurgeTopicsFromClient("access")
		for p := range int32(2) {
			c.produce("access", p, lines(503, 0, n)...)
		}
		wait(t, fmt.Sprintf("%d new records", n), func() bool { return recordsOf(m) >= 40+2*uint64(n) })
		if err := m.stop(); err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(codesOf(m)), fmt.Sprintf("map[200:40 503:%d]", 2*n); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// addPartitions makes the partitions of a topic more.
func (c *cluster) addPartitions(topic string, n int32) {
	c.t.Helper()
	req := kmsg.NewPtrCreatePartitionsRequest()
	t := kmsg.NewCreatePartitionsRequestTopic()
	t.Topic, t.Count = topic, n
	req.Topics = append(req.Topics, t)
	r, err := req.RequestWith(c.t.Context(), c.producer())
	if err != nil {
		c.t.Fatal(err)
	}
	if code := r.Topics[0].ErrorCode; code != 0 {
		c.t.Fatalf("CreatePartitions: %d", code)
	}
}

// TestNewPartitions (K16) demands that no record of a partition that is added
// is skipped, although the group began at the end.
func TestNewPartitions(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(3, "access"))
	c.produce("access", 0, lines(500, 0, 30)...)
	opt := c.options("flagwatch", "access")
	opt.Start = End
	runs := []*run{c.run(opt), c.run(opt)}
	wait(t, "both members", func() bool { return runs[0].parts()+runs[1].parts() == 3 && runs[0].joined() && runs[1].joined() })
	c.produce("access", 0, lines(200, 0, 5)...)
	c.addPartitions("access", 6)
	c.client.PurgeTopicsFromClient("access")
	for p := range int32(6) {
		c.produce("access", p, lines(201, 0, 10)...)
	}
	wait(t, "65 records", func() bool { return recordsOf(runs...) >= 65 })
	for _, m := range runs {
		if err := m.stop(); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := fmt.Sprint(codesOf(runs...)), "map[200:5 201:60]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestStartEndDowntime (K17) demands that what is written while no member is
// there is not skipped, although none has counted anything yet.
func TestStartEndDowntime(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(2, "access"))
	c.produce("access", 0, lines(500, 0, 30)...)
	opt := c.options("flagwatch", "access")
	opt.Start = End
	m := c.run(opt)
	wait(t, "the member", m.joined)
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	c.produce("access", 0, lines(200, 0, 10)...)
	c.produce("access", 1, lines(200, 0, 10)...)
	again := c.run(opt)
	wait(t, "20 records", func() bool { return recordsOf(again) >= 20 })
	if got, want := fmt.Sprint(codesOf(m, again)), "map[200:20]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestTransactions (K18) demands that records of transactions count when they
// are committed, and not otherwise, and that markers hold nothing up.
func TestTransactions(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "access"))
	k, err := kgo.NewClient(kgo.SeedBrokers(c.addrs...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID("writer"))
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	transact := func(code int, commit kgo.TransactionEndTry) {
		t.Helper()
		if err := k.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		for _, text := range lines(code, 0, 10) {
			k.Produce(t.Context(), &kgo.Record{Topic: "access", Value: []byte(text)}, nil)
		}
		if err := k.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := k.EndTransaction(t.Context(), commit); err != nil {
			t.Fatal(err)
		}
	}
	transact(200, kgo.TryCommit)
	transact(500, kgo.TryAbort)
	transact(201, kgo.TryCommit)
	transact(501, kgo.TryAbort)
	m := c.run(c.options("flagwatch", "access"))
	wait(t, "20 records, and no lag", func() bool {
		s := m.reader.Status()
		return recordsOf(m) == 20 && len(s.Partitions) == 1 && s.Partitions[0].Lag == 0 && s.Partitions[0].Committed == 44
	})
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	s := m.reader.Status()
	if s.ControlRecords != 4 || s.Aborted != 20 {
		t.Errorf("%d markers and %d records of given-up transactions, want 4 and 20", s.ControlRecords, s.Aborted)
	}
	if got, want := fmt.Sprint(codesOf(m)), "map[200:10 201:10]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestLeadersMove (K22) demands exact counts while leaders and coordinators
// move.
func TestLeadersMove(t *testing.T) {
	c := newCluster(t, kfake.NumBrokers(3), kfake.SeedTopics(6, "access"))
	m := c.run(c.options("flagwatch", "access"))
	total := uint64(0)
	for round := range int32(5) {
		for p := range int32(6) {
			c.produce("access", p, lines(200, 0, 20)...)
			total += 20
			if err := c.MoveTopicPartition("access", p, (p+round)%3); err != nil {
				t.Fatal(err)
			}
		}
		if round == 2 {
			c.RehashCoordinators()
		}
		begin := time.Now()
		wait(t, "the round", func() bool { return recordsOf(m) >= total })
		if d := time.Since(begin); d > busy*10*time.Second {
			t.Errorf("round %d took %v", round, d)
		}
	}
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	if got := recordsOf(m); got != total {
		t.Errorf("%d records, want %d", got, total)
	}
}
