//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"
)

// codecNames are what the clients call the codecs, in Kafka's numbers.
var codecNames = []string{"none", "gzip", "snappy", "lz4", "zstd"}

// clients writes the same lines with each client and each codec: every topic
// must come to what the lines come to as a file. They compress differently:
// the Java client writes snappy in pieces, and zstd without a size.
func (l *kafkaLab) clients(t *testing.T) {
	var text bytes.Buffer
	for id := range 1500 {
		fmt.Fprintln(&text, strings.Replace(kafkaLine(200+id%4*100, id), "curl/8.5.0", strings.Repeat("agent ", id%7), 1))
	}
	file := filepath.Join(t.TempDir(), "lines.log")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	asFile, err := exec.Command(l.bin, "-o", "json", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := counted(t, asFile)
	lines := bytes.Split(bytes.TrimSpace(text.Bytes()), []byte("\n"))
	for name, write := range map[string]func(*testing.T, string, int, [][]byte, string){
		"kafka-go": l.writeKafkaGo, "franz-go": l.writeFranz, "librdkafka": l.writeLibrdkafka, "java": l.writeJava,
	} {
		for codec, codecName := range codecNames {
			t.Run(name+" "+codecName, func(t *testing.T) {
				topic := name + "-" + codecName
				l.createTopic(topic, 1)
				write(t, topic, codec, lines, file)
				got, errs, code := l.read("--brokers", l.addr("PLAINTEXT"), "--topic", topic)
				if code != 0 {
					t.Fatalf("exit %d: %s", code, errs)
				}
				if got := counted(t, []byte(got)); got != want {
					t.Errorf("the topic gives\n%s\nthe file\n%s", got, want)
				}
			})
		}
	}
}

func (l *kafkaLab) writeKafkaGo(t *testing.T, topic string, codec int, lines [][]byte, _ string) {
	w := &kafka.Writer{Addr: l.client.Addr, Transport: l.client.Transport, Topic: topic, Compression: kafka.Compression(codec), RequiredAcks: kafka.RequireAll}
	var list []kafka.Message
	for _, line := range lines {
		list = append(list, kafka.Message{Value: line})
	}
	if err := w.WriteMessages(t.Context(), list...); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func (l *kafkaLab) writeFranz(t *testing.T, topic string, codec int, lines [][]byte, _ string) {
	list := []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()}
	k := l.producer(kgo.ProducerBatchCompression(list[codec]))
	for _, line := range lines {
		k.Produce(t.Context(), &kgo.Record{Topic: topic, Value: line}, nil)
	}
	if err := k.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (l *kafkaLab) writeJava(t *testing.T, topic string, codec int, _ [][]byte, file string) {
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd := l.java("org.apache.kafka.tools.ConsoleProducer", "--bootstrap-server", l.addr("PLAINTEXT"), "--topic", topic, "--compression-codec", codecNames[codec])
	cmd.Stdin = in
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

const librdkafkaProducer = `import sys, confluent_kafka
brokers, topic, codec, path = sys.argv[1:]
producer = confluent_kafka.Producer({'bootstrap.servers': brokers, 'compression.type': codec, 'linger.ms': 50})
for line in open(path, 'rb').read().splitlines():
    producer.produce(topic, value=line)
sys.exit(producer.flush(120))
`

func (l *kafkaLab) writeLibrdkafka(t *testing.T, topic string, codec int, _ [][]byte, file string) {
	if out, err := l.librdkafka(t, librdkafkaProducer, topic, codecNames[codec], file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// librdkafka is a program of Python over the C library.
func (l *kafkaLab) librdkafka(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("python3", append([]string{"-c", program, l.addr("PLAINTEXT")}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+installLibrdkafka(t))
	return cmd
}

// It says how many partitions it has, whenever that changes, and leaves when
// nobody listens any more.
const librdkafkaConsumer = `import sys, select, confluent_kafka
brokers, group, topic, strategy = sys.argv[1:]
consumer = confluent_kafka.Consumer({'bootstrap.servers': brokers, 'group.id': group, 'session.timeout.ms': 10000,
    'auto.offset.reset': 'earliest', 'partition.assignment.strategy': strategy})
consumer.subscribe([topic])
had = 0
while not select.select([sys.stdin], [], [], 0)[0]:
    consumer.poll(0.1)
    has = len(consumer.assignment())
    if has != had:
        print(has, flush=True)
    had = has
consumer.close()
`

// foreignMembers lets a member of another make into the group: one that deals
// out in the same way shares the partitions, one that does not is named.
func (l *kafkaLab) foreignMembers(t *testing.T) {
	join := func(group, strategy string) (partitions *bufio.Scanner, leave func()) {
		cmd := l.librdkafka(t, librdkafkaConsumer, group, "access", strategy)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			in.Close()
			cmd.Wait()
		})
		said := bufio.NewScanner(out)
		if !said.Scan() || said.Text() != "2" {
			t.Fatalf("the consumer has %q partitions, want 2", said.Text())
		}
		go io.Copy(io.Discard, out)
		return said, func() { in.Close() }
	}
	_, leave := join("shared", "roundrobin")
	m := l.member(t, "--topic", "access", "--group", "shared")
	m.shows("flagwatch_kafka_partitions 1", "flagwatch_kafka_up 1")
	leave()
	m.shows("flagwatch_kafka_partitions 2", "flagwatch_kafka_up 1")
	join("ranged", "range")
	out, err := exec.Command(l.bin, "kafka", "--brokers", l.addr("PLAINTEXT"), "--topic", "access", "--group", "ranged").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "group ranged has members that are not flagwatch's") {
		t.Errorf("%v: %s", err, out)
	}
}
