//go:build e2e

package e2e

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
)

// A broker is a real Apache Kafka of one node, in KRaft mode, on loopback.
type broker struct {
	t    *testing.T
	dir  string
	libs string
	cmd  *exec.Cmd
	done chan struct{}
	port map[string]int // by listener
	kafkaAdmin
}

// The broker's listeners. Who comes in by PLAINTEXT may do all. BAD answers,
// and sends clients on to an address where nobody is.
var listeners = []string{"PLAINTEXT", "SASL_PLAINTEXT", "SSL", "SASL_SSL", "BAD", "CONTROLLER", "NOBODY"}

const (
	brokerName     = "broker.lab"
	brokerUser     = "counter"
	brokerPassword = "open sesame"
)

const brokerSettings = `process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:$CONTROLLER
controller.listener.names=CONTROLLER
listeners=$LISTEN,BAD://127.0.0.1:$BAD,CONTROLLER://127.0.0.1:$CONTROLLER
advertised.listeners=$LISTEN,BAD://127.0.0.1:$NOBODY
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL,BAD:PLAINTEXT,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
ssl.keystore.type=PEM
ssl.keystore.location=$DIR/broker.pem
ssl.truststore.type=PEM
ssl.truststore.location=$DIR/ca.pem
listener.name.ssl.ssl.client.auth=required
ssl.principal.mapping.rules=RULE:^CN=([^,]+).*$/$1/
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
log.dirs=$DIR/data
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.session.timeout.ms=1000
broker.heartbeat.interval.ms=200
log.retention.check.interval.ms=1000
log.cleaner.dedupe.buffer.size=2097152
log.index.size.max.bytes=1048576
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
`

const brokerLogging = `rootLogger.level=info
rootLogger.appenderRef.c.ref=c
appender.c.type=Console
appender.c.name=c
appender.c.layout.type=PatternLayout
appender.c.layout.pattern=%d{ABSOLUTE} %p %c{1} %m%n
`

// startBroker makes and starts one; it ends with the test.
func startBroker(t *testing.T, libs string) *broker {
	t.Helper()
	b := &broker{t: t, dir: t.TempDir(), libs: libs, port: map[string]int{}}
	var open []net.Listener
	for _, name := range listeners {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, l)
		b.port[name] = l.Addr().(*net.TCPAddr).Port
	}
	for _, l := range open {
		l.Close()
	}
	b.kafkaAdmin = kafkaAdmin{t, &kafka.Client{Addr: kafka.TCP(b.addr("PLAINTEXT")), Timeout: 10 * time.Second, Transport: &kafka.Transport{MetadataTTL: time.Second}}}
	b.write()
	format := b.java("kafka.tools.StorageTool", "format", "--standalone", "-t", clusterID(), "-c", b.file("server.properties"),
		"--add-scram", "SCRAM-SHA-256=[name="+brokerUser+",password="+brokerPassword+"]", "--add-scram", "SCRAM-SHA-512=[name="+brokerUser+",password="+brokerPassword+"]")
	if out, err := format.CombinedOutput(); err != nil {
		t.Fatalf("formatting the broker's storage: %v: %s", err, out)
	}
	b.start()
	t.Cleanup(b.kill)
	return b
}

// clusterID is one that does not look like an option.
func clusterID() string {
	var id [16]byte
	rand.Read(id[:])
	id[0] &= 0x7f
	return base64.RawURLEncoding.EncodeToString(id[:])
}

func (b *broker) addr(listener string) string { return fmt.Sprintf("127.0.0.1:%d", b.port[listener]) }

func (b *broker) file(name string) string { return filepath.Join(b.dir, name) }

// write writes the settings and the certificates.
func (b *broker) write() {
	var listen []string
	for _, name := range listeners[:4] {
		listen = append(listen, name+"://"+b.addr(name))
	}
	pairs := []string{"$DIR", b.dir, "$LISTEN", strings.Join(listen, ",")}
	for name, port := range b.port {
		pairs = append(pairs, "$"+name, fmt.Sprint(port))
	}
	text := strings.NewReplacer(pairs...).Replace(brokerSettings)
	const jaas = "org.apache.kafka.common.security."
	for _, l := range []string{"sasl_plaintext", "sasl_ssl"} {
		text += fmt.Sprintf("listener.name.%s.plain.sasl.jaas.config=%splain.PlainLoginModule required user_%s=\"%s\";\n", l, jaas, brokerUser, brokerPassword)
		for _, n := range []string{"256", "512"} {
			text += fmt.Sprintf("listener.name.%s.scram-sha-%s.sasl.jaas.config=%sscram.ScramLoginModule required;\n", l, n, jaas)
		}
	}
	now, day := time.Now(), 24*time.Hour
	ca, other := newPair("Kafka Root", nil, now.Add(-day), now.Add(day)), newPair("Other Root", nil, now.Add(-day), now.Add(day))
	server, client := newPair(brokerName, &ca, now.Add(-day), now.Add(day)), newPair("flagwatch", &ca, now.Add(-day), now.Add(day))
	for name, content := range map[string]string{
		"server.properties": text, "log4j2.properties": brokerLogging, "password": brokerPassword + "\n", "wrong": "guess\n",
		"broker.pem": server.keyPEM() + server.certPEM() + ca.certPEM(), "ca.pem": ca.certPEM(), "other.pem": other.certPEM(),
		"client.pem": client.certPEM(), "client.key": client.keyPEM(),
	} {
		if err := os.WriteFile(b.file(name), []byte(content), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *broker) java(args ...string) *exec.Cmd {
	cmd := exec.Command("java", append([]string{
		"-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Dlog4j2.configurationFile=" + b.file("log4j2.properties"), "-cp", filepath.Join(b.libs, "*"),
	}, args...)...)
	cmd.Dir = b.dir
	return cmd
}

// start starts the process and waits until it answers.
func (b *broker) start() {
	b.t.Helper()
	log, err := os.OpenFile(b.file("broker.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		b.t.Fatal(err)
	}
	defer log.Close()
	b.cmd = b.java("kafka.Kafka", b.file("server.properties"))
	b.cmd.Stdout, b.cmd.Stderr = log, log
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := b.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		cmd.Wait()
		close(done)
	}(b.cmd, b.done)
	for limit := time.Now().Add(60 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		select {
		case <-b.done:
			b.t.Fatalf("the broker ended: %s", b.tail())
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		r, err := b.client.Metadata(ctx, &kafka.MetadataRequest{})
		cancel()
		if err == nil && len(r.Brokers) > 0 && r.Controller.Port != 0 {
			return
		}
		if time.Now().After(limit) {
			b.t.Fatalf("the broker does not answer: %v: %s", err, b.tail())
		}
	}
}

// tail is the end of the broker's log.
func (b *broker) tail() string {
	data, _ := os.ReadFile(b.file("broker.log"))
	return string(data[max(0, len(data)-2000):])
}

// kill ends the process at once, as a crash does.
func (b *broker) kill() {
	b.cmd.Process.Kill()
	<-b.done
}
