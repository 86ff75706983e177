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
	id   string // of the cluster
	dir  string
	libs string
	port map[string]int // by listener
	node
	kafkaAdmin
}

// A node is the process of a broker.
type node struct {
	name string // of its settings and its log
	cmd  *exec.Cmd
	done chan struct{}
}

// The broker's listeners. Who comes in by PLAINTEXT may do all. BAD answers,
// and sends clients on to an address where nobody is.
var listeners = []string{"PLAINTEXT", "SASL_PLAINTEXT", "SSL", "SASL_SSL", "BAD", "CONTROLLER", "NOBODY", "SECOND"}

const (
	brokerName     = "broker.lab"
	brokerUser     = "counter"
	brokerPassword = "open sesame"
)

const firstSettings = `process.roles=broker,controller
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
log.dirs=$DIR/first.data
` + commonSettings

// The second broker leaves the control of the cluster to the first one.
const secondSettings = `process.roles=broker
node.id=2
controller.quorum.bootstrap.servers=127.0.0.1:$CONTROLLER
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:$SECOND
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=$DIR/second.data
` + commonSettings

const commonSettings = `authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.session.timeout.ms=1000
broker.heartbeat.interval.ms=200
log.retention.check.interval.ms=1000
log.cleaner.backoff.ms=200
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
	b := &broker{t: t, id: clusterID(), dir: t.TempDir(), libs: libs, port: map[string]int{}, node: node{name: "first"}}
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
	b.format(b.name, "--standalone",
		"--add-scram", "SCRAM-SHA-256=[name="+brokerUser+",password="+brokerPassword+"]", "--add-scram", "SCRAM-SHA-512=[name="+brokerUser+",password="+brokerPassword+"]")
	b.start()
	t.Cleanup(b.kill)
	return b
}

// format prepares the storage of a node.
func (b *broker) format(name string, args ...string) {
	b.t.Helper()
	format := b.java(append([]string{"kafka.tools.StorageTool", "format", "-t", b.id, "-c", b.file(name + ".properties")}, args...)...)
	if out, err := format.CombinedOutput(); err != nil {
		b.t.Fatalf("formatting the storage of the %s broker: %v: %s", name, err, out)
	}
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
	fill := strings.NewReplacer(pairs...)
	text := fill.Replace(firstSettings)
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
		"first.properties": text, "second.properties": fill.Replace(secondSettings), "log4j2.properties": brokerLogging, "password": brokerPassword + "\n", "wrong": "guess\n",
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
	b.launch(&b.node)
	b.await(1)
}

// launch starts the process of a node.
func (b *broker) launch(n *node) {
	b.t.Helper()
	log, err := os.OpenFile(b.file(n.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		b.t.Fatal(err)
	}
	defer log.Close()
	n.cmd = b.java("kafka.Kafka", b.file(n.name+".properties"))
	n.cmd.Stdout, n.cmd.Stderr = log, log
	n.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := n.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	n.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		cmd.Wait()
		close(done)
	}(n.cmd, n.done)
}

// await waits until a number of brokers is there.
func (b *broker) await(brokers int) {
	b.t.Helper()
	for limit := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		select {
		case <-b.done:
			b.t.Fatalf("the broker ended: %s", b.tail("first"))
		default:
		}
		r, err := b.metadata()
		if err == nil && len(r.Brokers) == brokers && r.Controller.Port != 0 {
			return
		}
		if time.Now().After(limit) {
			b.t.Fatalf("there are not %d brokers: %v: %s %s", brokers, err, b.tail("first"), b.tail("second"))
		}
	}
}

// metadata asks the broker: a transport that has asked before would answer from
// its memory, for a broker that is gone too.
func (b *broker) metadata() (*kafka.MetadataResponse, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	transport := &kafka.Transport{}
	defer transport.CloseIdleConnections()
	client := &kafka.Client{Addr: kafka.TCP(b.addr("PLAINTEXT")), Transport: transport}
	return client.Metadata(ctx, &kafka.MetadataRequest{})
}

// tail is the end of a node's log.
func (b *broker) tail(name string) string {
	data, _ := os.ReadFile(b.file(name + ".log"))
	return string(data[max(0, len(data)-2000):])
}

// kill ends the process at once, as a crash does.
func (n *node) kill() {
	n.cmd.Process.Kill()
	<-n.done
}

// patience is how long anything may take on a machine that is busy with other
// things.
const patience = 3 * time.Minute
