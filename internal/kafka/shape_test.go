package kafka

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/pipeline"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func zstded(t *testing.T, text string) string {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

// bounded reads a topic from end to end.
func (c *cluster) bounded(span Range, change func(*Options)) *sinks.Report {
	c.t.Helper()
	opt := c.options("", "access")
	if change != nil {
		change(&opt)
	}
	r, err := OpenRange(c.t.Context(), opt, span)
	if err != nil {
		c.t.Fatal(err)
	}
	mem := ledger.NewMemory()
	if err := pipeline.Run(c.t.Context(), r, mem, pipeline.Options{Workers: 2, Formats: opt.Formats}); err != nil {
		c.t.Fatal(err)
	}
	r.Close()
	var report *sinks.Report
	mem.View(func(s *sinks.Snapshot) { report = s.Report() })
	return report
}

// TestShapes (K28) demands that a record is found in every shape that a
// message may have.
func TestShapes(t *testing.T) {
	l := line(503, "UF", 1)
	quoted := strings.ReplaceAll(l, `"`, `\"`)
	for name, test := range map[string]struct {
		value string
		key   string
		want  uint64
	}{
		"line":             {value: l, want: 1},
		"line with end":    {value: l + "\n", want: 1},
		"CRLF":             {value: l + "\r\n", want: 1},
		"many lines":       {value: l + "\n" + l + "\n" + l, want: 3},
		"JSON record":      {value: `{"response_code":503,"response_flags":"UF","method":"GET","path":"/","upstream_cluster":"cart"}`, want: 1},
		"log":              {value: `{"log":"` + quoted + `\n","stream":"stdout","time":"2026-03-01T09:00:00Z"}`, want: 1},
		"message":          {value: `{"@timestamp":"2026-03-01T09:00:00Z","message":"` + quoted + `","kubernetes":{"namespace":"shop","pod":{"name":"cart-1"},"container":{"name":"istio-proxy"}}}`, want: 1},
		"body":             {value: `{"body":"` + quoted + `"}`, want: 1},
		"named key":        {value: `{"data":{"text":"` + quoted + `"}}`, key: "data.text", want: 1},
		"list, named key":  {value: `[{"text":"` + quoted + `"},{"text":"` + quoted + `"}]`, key: "text", want: 2},
		"OTLP":             {value: `{"resourceLogs":[{"resource":{"attributes":[{"key":"k8s.pod.name","value":{"stringValue":"cart-1"}}]},"scopeLogs":[{"logRecords":[{"body":{"stringValue":"` + quoted + `"}}]}]}]}`, want: 1},
		"gzip":             {value: zipped(l + "\n" + l + "\n"), want: 2},
		"zstd":             {value: zstded(t, l+"\n"+l+"\n"), want: 2},
		"CRI":              {value: "2026-03-01T09:00:00.000000000Z stdout F " + l, want: 1},
		"no record":        {value: "some text of an application", want: 0},
		"not gzip, though": {value: "\x1f\x8b\x08 nothing of the kind", want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, kfake.SeedTopics(1, "access"))
			c.produce("access", 0, test.value)
			r := c.bounded(Range{}, func(o *Options) { o.MessageKey = test.key })
			if r.Totals.Failed != test.want || r.Totals.Access != test.want {
				t.Errorf("%d access records, %d failed, want %d", r.Totals.Access, r.Totals.Failed, test.want)
			}
		})
	}
}

// TestHeaders demands that the place of a message is that of its headers.
func TestHeaders(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "access"))
	for i, pod := range []string{"cart-1", "cart-2", "cart-1"} {
		h := []kgo.RecordHeader{{Key: "k8s.namespace.name", Value: []byte("shop")}, {Key: "k8s.pod.name", Value: []byte(pod)}}
		if err := c.producer().ProduceSync(t.Context(), &kgo.Record{Topic: "access", Headers: h, Value: []byte(line(503, "UF", i))}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	places := map[string]uint64{}
	for _, p := range c.bounded(Range{}, nil).Places {
		places[p.Namespace+"/"+p.Pod] = p.Records
	}
	if got, want := fmt.Sprint(places), "map[shop/cart-1:2 shop/cart-2:1]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestLongMessages demands that a message which is a line of eight MiB is
// counted as a file's line of that length is: its head is kept.
func TestLongMessages(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "access"), kfake.BrokerConfigs(map[string]string{"message.max.bytes": "20971520"}))
	k, err := kgo.NewClient(kgo.SeedBrokers(c.addrs...), kgo.ProducerBatchMaxBytes(16<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	for _, v := range []string{line(200, "-", 1), strings.Repeat("x", 8<<20), line(200, "-", 2), "NUL \x00 in a text", line(200, "-", 3)} {
		if err := k.ProduceSync(t.Context(), &kgo.Record{Topic: "access", Value: []byte(v)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	r := c.bounded(Range{}, nil)
	if want := uint64(8<<20 + 1 - headSize); r.Totals.Access != 3 || r.Totals.Records != 5 || r.Accounting.Discarded["oversize"] != want {
		t.Errorf("%+v %+v, want 3 access records of 5, and %d bytes discarded", r.Totals, r.Accounting, want)
	}
}

// TestFormatOfTwoLines demands that the two lines of a record are one, whether
// they are one message or two, also where a chunk ends between messages.
func TestFormatOfTwoLines(t *testing.T) {
	f, err := parser.Compile("%UPSTREAM_CLUSTER% %REQ(:PATH)%\n%RESPONSE_CODE% %RESPONSE_FLAGS%\n")
	if err != nil {
		t.Fatal(err)
	}
	c := newCluster(t, kfake.SeedTopics(1, "access"))
	c.produce("access", 0, "outbound|80||cart.shop.svc.cluster.local /cart\n503 UF")
	const pairs = 20_000 // of two messages; more than a chunk
	var split []string
	for range pairs {
		split = append(split, "outbound|80||stock.shop.svc.cluster.local /stock", "503 UH")
	}
	c.produce("access", 0, split...)
	r := c.bounded(Range{}, func(o *Options) { o.Formats = []*parser.Format{f} })
	if r.Totals.Access != 1+pairs || r.Totals.Records != 1+pairs {
		t.Errorf("%d access records of %d, want %d", r.Totals.Access, r.Totals.Records, 1+pairs)
	}
}

// TestRange demands that a bounded reading reads what it is told, and no more.
func TestRange(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(2, "access"))
	begin := time.Now().Add(-time.Hour).Truncate(time.Second)
	for p := range int32(2) {
		for i := range 60 {
			r := &kgo.Record{Topic: "access", Partition: p, Timestamp: begin.Add(time.Duration(i) * time.Minute), Value: []byte(line(200, "-", i))}
			if err := c.producer().ProduceSync(t.Context(), r).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, test := range map[string]struct {
		span Range
		want uint64
	}{
		"all":           {Range{}, 120},
		"since":         {Range{Since: begin.Add(50 * time.Minute)}, 20},
		"until":         {Range{Until: begin.Add(10 * time.Minute)}, 20},
		"a time":        {Range{Since: begin.Add(10 * time.Minute), Until: begin.Add(15 * time.Minute)}, 10},
		"from offset":   {Range{FromOffset: 55, HasFrom: true}, 10},
		"to offset":     {Range{ToOffset: 5, HasTo: true}, 10},
		"nothing":       {Range{FromOffset: 10, HasFrom: true, ToOffset: 10, HasTo: true}, 0},
		"beyond":        {Range{ToOffset: 1000, HasTo: true}, 120},
		"in the future": {Range{Since: time.Now().Add(time.Hour)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if n := c.bounded(test.span, nil).Totals.Records; n != test.want {
				t.Errorf("%d records, want %d", n, test.want)
			}
		})
	}
	if err := c.CreateTopic("nothing", 3, nil); err != nil {
		t.Fatal(err)
	}
	if n := c.bounded(Range{}, func(o *Options) { o.Topics = []string{"nothing"} }).Totals.Records; n != 0 {
		t.Errorf("%d records of an empty topic", n)
	}
}

// emptyBatch is a batch of offsets whose records were all compacted away.
// https://kafka.apache.org/documentation/#recordbatch
func emptyBatch(base int64, last int32) []byte {
	b := kmsg.RecordBatch{FirstOffset: base, PartitionLeaderEpoch: 0, Magic: 2, LastOffsetDelta: last, ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1}
	b.Length = 49
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

// TestEmptyBatches (K21) demands that batches without records hold nothing up,
// be they the last ones.
func TestEmptyBatches(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "access"))
	c.produce("access", 0, lines(200, 0, 60)...)
	c.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		f := req.(*kmsg.FetchRequest)
		p := f.Topics[0].Partitions[0]
		var batch []byte
		switch at := p.FetchOffset; {
		case at < 10:
			batch = emptyBatch(0, 9)
		case at < 17:
			batch = append(emptyBatch(10, 1), emptyBatch(14, 2)...)
		case at >= 60 && at < 100:
			batch = emptyBatch(60, 39)
		case at < 60:
			return nil, nil, false
		}
		res := f.ResponseKind().(*kmsg.FetchResponse)
		topic, part := kmsg.NewFetchResponseTopic(), kmsg.NewFetchResponseTopicPartition()
		topic.Topic, part.Partition = "access", 0
		part.HighWatermark, part.LastStableOffset, part.RecordBatches = 100, 100, batch
		topic.Partitions = append(topic.Partitions, part)
		res.Topics = append(res.Topics, topic)
		return res, nil, true
	})
	m := c.run(c.options("flagwatch", "access"))
	wait(t, "the end of the log", func() bool {
		s := m.reader.Status()
		return len(s.Partitions) == 1 && s.Partitions[0].Committed == 100 && s.Partitions[0].Lag == 0
	})
	if n := recordsOf(m); n != 60-17 {
		t.Errorf("%d records, want %d", n, 60-17)
	}
	if s := m.reader.Status(); s.Partitions[0].Halted != "" || s.Lost != [NumLosses]int64{} {
		t.Errorf("%+v", s)
	}
}

// TestMetadata demands that what is written beside an offset is read again,
// and that it stays below what a broker takes.
func TestMetadata(t *testing.T) {
	at := committed{offset: -1}
	for i := range 100 {
		token := fmt.Sprintf("PROCESSTOKEN%d-%d", i, 1<<30)
		m := metadata{token: token, handed: at.takenOver("own")}
		if len(m.String()) > 4096 {
			t.Fatalf("%d bytes", len(m.String()))
		}
		at = committed{int64(i) << 40, parseMetadata(m.String())}
		for back := 0; back <= min(i, maxHandovers); back++ {
			if n := i - back; !at.has(int64(n)<<40, fmt.Sprintf("PROCESSTOKEN%d-%d", n, 1<<30)) {
				t.Fatalf("commit %d is not found after %d", n, i)
			}
		}
	}
	if m := parseMetadata("somebody else's"); !m.foreign || m.token != "" {
		t.Errorf("%+v", m)
	}
	if c := (committed{5, metadata{token: "own-3"}}); len(c.takenOver("own")) != 0 {
		t.Error("a process hands over to itself")
	}
}
