package kafka

import (
	"context"
	"io"
	"testing"
	"time"

	kafka "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/flagwatch/flagwatch/bench/gen"
	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/pipeline"
	"github.com/flagwatch/flagwatch/internal/source"
)

const benchSize = 64 << 20

// A benchTopic is an access log in one partition.
type benchTopic struct {
	addrs   []string
	records int64
	size    int64
}

func newBenchTopic(b *testing.B, codec kgo.CompressionCodec) *benchTopic {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "access"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	k, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.ProducerBatchCompression(codec))
	if err != nil {
		b.Fatal(err)
	}
	defer k.Close()
	g, err := gen.New(gen.Config{Dialect: "istio-text", Fail: 0.06, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	t := &benchTopic{addrs: c.ListenAddrs()}
	for t.size < benchSize {
		v := g.Append(nil)
		t.size += int64(len(v))
		t.records++
		k.Produce(b.Context(), &kgo.Record{Topic: "access", Value: v[:len(v)-1]}, nil)
	}
	if err := k.Flush(b.Context()); err != nil {
		b.Fatal(err)
	}
	return t
}

// benchEach measures a way to read with each codec.
func benchEach(b *testing.B, read func(*benchTopic, *testing.B)) {
	for _, codec := range []struct {
		name string
		kgo.CompressionCodec
	}{{"none", kgo.NoCompression()}, {"lz4", kgo.Lz4Compression()}, {"zstd", kgo.ZstdCompression()}} {
		b.Run(codec.name, func(b *testing.B) {
			t := newBenchTopic(b, codec.CompressionCodec)
			b.SetBytes(t.size)
			b.ReportAllocs()
			for b.Loop() {
				read(t, b)
			}
		})
	}
}

func BenchmarkFetch(b *testing.B)  { benchEach(b, (*benchTopic).fetch) }
func BenchmarkReader(b *testing.B) { benchEach(b, (*benchTopic).next) }
func BenchmarkCount(b *testing.B)  { benchEach(b, (*benchTopic).count) }

// BenchmarkRatio reads in turns in all three ways, and says how fast the other
// two are, by the clock, as multiples of the bare loop.
func BenchmarkRatio(b *testing.B) {
	var spent [3]time.Duration
	var of *benchTopic
	benchEach(b, func(t *benchTopic, b *testing.B) {
		if of != t {
			of, spent = t, [3]time.Duration{}
		}
		for i, read := range []func(*benchTopic, *testing.B){(*benchTopic).fetch, (*benchTopic).next, (*benchTopic).count} {
			begin := time.Now()
			read(t, b)
			spent[i] += time.Since(begin)
		}
		b.ReportMetric(float64(spent[0])/float64(spent[1]), "next/fetch")
		b.ReportMetric(float64(spent[0])/float64(spent[2]), "count/fetch")
	})
}

// open begins a bounded reading.
func (t *benchTopic) open(b *testing.B) *Reader {
	r, err := OpenRange(b.Context(), Options{Brokers: t.addrs, Topics: []string{"access"}}, Range{})
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// next reads the topic up to Next.
func (t *benchTopic) next(b *testing.B) {
	r := t.open(b)
	defer r.Close()
	var batch source.Batch
	var err error
	for err == nil {
		err = r.Next(b.Context(), &batch)
	}
	if err != io.EOF {
		b.Fatal(err)
	}
}

// count does all that `kafka --until-end` does but the report.
func (t *benchTopic) count(b *testing.B) {
	r := t.open(b)
	defer r.Close()
	if err := pipeline.Run(b.Context(), r, ledger.NewMemory(), pipeline.Options{Early: true}); err != nil {
		b.Fatal(err)
	}
}

// fetch is a bare loop over kafka-go's Client.Fetch.
func (t *benchTopic) fetch(b *testing.B) {
	transport := &kafka.Transport{}
	defer transport.CloseIdleConnections()
	client := &kafka.Client{Addr: kafka.TCP(t.addrs...), Transport: transport, Timeout: 10 * time.Second}
	buf := make([]byte, 4096)
	for at := int64(0); at < t.records; {
		r, err := client.Fetch(context.Background(), &kafka.FetchRequest{Topic: "access", Offset: at, MinBytes: 1, MaxBytes: 1 << 20, MaxWait: 500 * time.Millisecond})
		if err != nil {
			b.Fatal(err)
		}
		for {
			rec, err := r.Records.ReadRecord()
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(rec.Value, buf[:rec.Value.Len()]); err != nil {
				b.Fatal(err)
			}
			rec.Value.Close()
			at = rec.Offset + 1
		}
	}
}
