package kafka

import (
	"context"
	"io"
	"testing"
	"time"

	kafka "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/flagwatch/flagwatch/internal/source"
)

const benchRecords = 200_000

func benchTopic(b *testing.B, codec kgo.CompressionCodec) (addrs []string, size int64) {
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
	for id := range benchRecords {
		v := []byte(line(200, "-", id))
		size += int64(len(v)) + 1
		k.Produce(b.Context(), &kgo.Record{Topic: "access", Value: v}, nil)
	}
	if err := k.Flush(b.Context()); err != nil {
		b.Fatal(err)
	}
	return c.ListenAddrs(), size
}

var benchCodecs = map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()}

// BenchmarkReader is a topic up to Next; BenchmarkFetch beside it is a bare
// loop over kafka-go's Client.Fetch.
func BenchmarkReader(b *testing.B) {
	for name, codec := range benchCodecs {
		b.Run(name, func(b *testing.B) {
			addrs, size := benchTopic(b, codec)
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				r, err := OpenRange(b.Context(), Options{Brokers: addrs, Topics: []string{"access"}}, Range{})
				if err != nil {
					b.Fatal(err)
				}
				var batch source.Batch
				for err = r.Next(b.Context(), &batch); err == nil; err = r.Next(b.Context(), &batch) {
				}
				if err != io.EOF {
					b.Fatal(err)
				}
				r.Close()
			}
		})
	}
}

func BenchmarkFetch(b *testing.B) {
	for name, codec := range benchCodecs {
		b.Run(name, func(b *testing.B) {
			addrs, size := benchTopic(b, codec)
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				fetchAll(b, addrs)
			}
		})
	}
}

func fetchAll(b *testing.B, addrs []string) {
	t := &kafka.Transport{}
	defer t.CloseIdleConnections()
	client := &kafka.Client{Addr: kafka.TCP(addrs...), Transport: t, Timeout: 10 * time.Second}
	for at := int64(0); at < benchRecords; {
		r, err := client.Fetch(context.Background(), &kafka.FetchRequest{Topic: "access", Offset: at, MinBytes: 1, MaxBytes: 1 << 20, MaxWait: 500 * time.Millisecond})
		if err != nil {
			b.Fatal(err)
		}
		buf := make([]byte, 4096)
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
