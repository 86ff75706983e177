//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"
)

// compaction reads a topic of which the broker has really compacted records
// away, up to whole batches, and whose log ends with the marker of a
// transaction.
func (l *kafkaLab) compaction(t *testing.T) {
	l.createTopic("compacted", 1,
		kafka.ConfigEntry{ConfigName: "cleanup.policy", ConfigValue: "compact"}, kafka.ConfigEntry{ConfigName: "segment.ms", ConfigValue: "200"},
		kafka.ConfigEntry{ConfigName: "min.cleanable.dirty.ratio", ConfigValue: "0.001"}, kafka.ConfigEntry{ConfigName: "delete.retention.ms", ConfigValue: "0"})
	k := l.producer()
	wrote := int64(0)
	put := func(k *kgo.Client, key string, value []byte) {
		t.Helper()
		if err := k.ProduceSync(t.Context(), &kgo.Record{Topic: "compacted", Key: []byte(key), Value: value}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		wrote++
	}
	for round := range 6 {
		for key := range 10 {
			put(k, fmt.Sprint(key), []byte(kafkaLine(200+round, key)))
		}
		time.Sleep(250 * time.Millisecond) // the next record begins a segment
	}
	for key := range 5 {
		put(k, fmt.Sprint(key), nil)
	}
	limit := time.Now().Add(patience)
	for id := 0; l.keys(t, "compacted")["0"] > 0; id++ {
		if time.Now().After(limit) {
			t.Fatalf("nothing is compacted: %s", l.tail("first"))
		}
		put(k, "clock", []byte(kafkaLine(300, id)))
		time.Sleep(250 * time.Millisecond)
	}
	tx := l.producer(kgo.TransactionalID("compacted"))
	if err := tx.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	put(tx, "last", []byte(kafkaLine(204, 1)))
	if err := tx.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	m := l.member(t, "--topic", "compacted", "--group", "compacted")
	m.shows(fmt.Sprintf(`flagwatch_kafka_committed_offset{topic="compacted",partition="0"} %d`, wrote+1), `flagwatch_kafka_lag{topic="compacted",partition="0"} 0`,
		`flagwatch_kafka_halted{topic="compacted",partition="0"} 0`, `flagwatch_kafka_lost_offsets_total{reason="retention"} 0`, `flagwatch_kafka_lost_offsets_total{reason="poison"} 0`)
	body, _ := m.get("/api/v1/report")
	for code, want := range map[int]int{200: 0, 201: 0, 204: 1, 205: 5} {
		if got := codeCount(t, body, code); got != want {
			t.Errorf("%d records of code %d, want %d", got, code, want)
		}
	}
	if r := l.records(t, "--brokers", l.addr("PLAINTEXT"), "--topic", "compacted"); r.Totals.Access == 0 || r.Totals.Access > uint64(wrote) {
		t.Errorf("%+v of %d", r, wrote)
	}
}

// keys are how many records of each key another client finds in a topic.
func (l *kafkaLab) keys(t *testing.T, topic string) map[string]int {
	t.Helper()
	ends, err := l.ends(topic, 1)
	if err != nil {
		t.Fatal(err)
	}
	k, err := kgo.NewClient(kgo.SeedBrokers(l.addr("PLAINTEXT")), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().AtStart()}}))
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	found := map[string]int{}
	for at := int64(0); at < ends[0]; {
		f := k.PollFetches(t.Context())
		if err := f.Err(); err != nil {
			t.Fatal(err)
		}
		f.EachRecord(func(r *kgo.Record) {
			if r.Value != nil {
				found[string(r.Key)]++
			}
			at = r.Offset + 1
		})
	}
	return found
}

// codeCount is how many records of a code a report has.
func codeCount(t *testing.T, report string, code int) (n int) {
	t.Helper()
	var r struct {
		Codes []struct{ Code, Count int }
	}
	fromJSON(t, report, &r)
	for _, c := range r.Codes {
		if c.Code == code {
			n += c.Count
		}
	}
	return n
}

const ownCause = `causes:
  - id: cart-is-small
    title: The cart is small
    severity: warning
    match:
      - when: flag:UO
    meaning: It takes a hundred requests at once.
`

// ownCauses demands that what a team's own rules found outlives the process.
func (l *kafkaLab) ownCauses(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(ownCause), 0o600); err != nil {
		t.Fatal(err)
	}
	l.createTopic("owned", 1)
	k := l.producer()
	for round := 1; round <= 3; round++ {
		value := strings.Replace(kafkaLine(503, round), "503 -", "503 UO", 1)
		if err := k.ProduceSync(t.Context(), &kgo.Record{Topic: "owned", Value: []byte(value)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		m := l.member(t, "--topic", "owned", "--group", "owned", "--state-dir", filepath.Join(dir, "state"), "--rules", filepath.Join(dir, "rules.yaml"))
		m.shows(fmt.Sprintf(`flagwatch_records_total{kind="access"} %d`, round))
		body, _ := m.get("/api/v1/report")
		var r struct {
			Causes []struct {
				ID      string
				Records int
			}
		}
		fromJSON(t, body, &r)
		if len(r.Causes) != 1 || r.Causes[0].ID != "cart-is-small" || r.Causes[0].Records != round {
			t.Errorf("start %d: %+v", round, r.Causes)
		}
		m.stop()
	}
}

// comeAndGo lets a second broker join the cluster, lead, crash, return, and
// leave again, and the group's coordinator move there and back.
func (l *kafkaLab) comeAndGo(t *testing.T) {
	const partitions = 4
	second := &node{name: "second"}
	l.format(second.name)
	l.launch(second)
	t.Cleanup(func() { second.kill() })
	l.await(2)
	l.createTopic("moving", partitions)
	m := l.member(t, "--topic", "moving", "--group", "movers", "--state-dir", t.TempDir(), "--session-timeout", "6s")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wrote := make(chan struct{})
	k := l.producer(kgo.RecordRetries(1000), kgo.UnknownTopicRetries(-1), kgo.DefaultProduceTopic("moving"))
	go func() {
		defer close(wrote)
		for id := 0; ctx.Err() == nil; id++ {
			k.Produce(context.Background(), &kgo.Record{Partition: int32(id % partitions), Value: []byte(kafkaLine(200, id))}, nil)
			time.Sleep(2 * time.Millisecond)
		}
		k.Flush(context.Background())
	}()
	l.place("moving", partitions, 2)
	l.caughtUp(t, partitions)
	l.place("__consumer_offsets", 1, 2)
	l.caughtUp(t, partitions)
	second.kill()
	l.await(1)
	l.launch(second)
	l.await(2)
	l.caughtUp(t, partitions)
	l.place("__consumer_offsets", 1, 1)
	l.place("moving", 2, 1)
	l.caughtUp(t, partitions)
	l.place("moving", partitions, 1)
	l.caughtUp(t, partitions)
	second.kill()
	l.await(1)
	cancel()
	<-wrote
	l.caughtUp(t, partitions)
	ends, err := l.ends("moving", partitions)
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, end := range ends {
		total += end
	}
	m.shows(fmt.Sprintf(`flagwatch_records_total{kind="access"} %d`, total), `flagwatch_kafka_lost_offsets_total{reason="truncated"} 0`)
	if body, _ := m.get("/metrics"); strings.Contains(body, `kind="access"} 0`) || total == 0 {
		t.Errorf("%d records", total)
	}
	t.Logf("%d records", total)
}

// place moves partitions of a topic to a broker, and waits until they are led
// there.
func (a kafkaAdmin) place(topic string, partitions, broker int) {
	a.t.Helper()
	req := &kafka.AlterPartitionReassignmentsRequest{Topic: topic, Timeout: 10 * time.Second}
	for p := range partitions {
		req.Assignments = append(req.Assignments, kafka.AlterPartitionReassignmentsRequestAssignment{PartitionID: p, BrokerIDs: []int{broker}})
	}
	r, err := a.client.AlterPartitionReassignments(a.t.Context(), req)
	if err == nil {
		err = r.Error
	}
	if err != nil {
		a.t.Fatal(err)
	}
	for limit := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		led := 0
		m, err := a.client.Metadata(a.t.Context(), &kafka.MetadataRequest{Topics: []string{topic}})
		if err == nil {
			for _, p := range m.Topics[0].Partitions {
				if p.ID < partitions && p.Leader.ID == broker && len(p.Replicas) == 1 {
					led++
				}
			}
		}
		if led == partitions {
			return
		}
		if time.Now().After(limit) {
			a.t.Fatalf("%d of %d partitions of %s are led by broker %d: %v", led, partitions, topic, broker, err)
		}
	}
}

// caughtUp waits until the group has committed what the log holds by now.
func (l *kafkaLab) caughtUp(t *testing.T, partitions int) {
	t.Helper()
	var ends map[int]int64
	for limit := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		var err error
		if ends == nil {
			ends, err = l.ends("moving", partitions)
		}
		behind := 0
		if err == nil {
			var have map[int]int64
			if have, err = l.committed("movers", "moving", partitions); err == nil {
				for p, end := range ends {
					if have[p] < end {
						behind++
					}
				}
				if behind == 0 {
					return
				}
			}
		}
		if time.Now().After(limit) {
			t.Fatalf("%d partitions are behind: %v", behind, err)
		}
	}
}

func fromJSON(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
}
