//go:build e2e

package e2e

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A kafkaAdmin does what an operator of the cluster does.
type kafkaAdmin struct {
	t      *testing.T
	client *kafka.Client
}

func (a kafkaAdmin) createTopic(name string, partitions int, config ...kafka.ConfigEntry) {
	a.t.Helper()
	r, err := a.client.CreateTopics(a.t.Context(), &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{{
		Topic: name, NumPartitions: partitions, ReplicationFactor: 1, ConfigEntries: config,
	}}})
	if err == nil {
		err = r.Errors[name]
	}
	if err != nil {
		a.t.Fatalf("topic %s: %v", name, err)
	}
}

// ends are the offsets behind the last records of a topic's partitions.
func (a kafkaAdmin) ends(topic string, partitions int) (map[int]int64, error) {
	req := &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{}}
	for p := range partitions {
		req.Topics[topic] = append(req.Topics[topic], kafka.LastOffsetOf(p))
	}
	r, err := a.client.ListOffsets(a.t.Context(), req)
	if err != nil {
		return nil, err
	}
	ends := map[int]int64{}
	for _, o := range r.Topics[topic] {
		if o.Error != nil {
			return nil, o.Error
		}
		ends[o.Partition] = o.LastOffset
	}
	return ends, nil
}

// committed are the offsets that a group has of them.
func (a kafkaAdmin) committed(group, topic string, partitions int) (map[int]int64, error) {
	req := &kafka.OffsetFetchRequest{GroupID: group, Topics: map[string][]int{}}
	for p := range partitions {
		req.Topics[topic] = append(req.Topics[topic], p)
	}
	r, err := a.client.OffsetFetch(a.t.Context(), req)
	if err == nil {
		err = r.Error
	}
	if err != nil {
		return nil, err
	}
	have := map[int]int64{}
	for _, o := range r.Topics[topic] {
		have[o.Partition] = o.CommittedOffset
	}
	return have, nil
}

// allow grants a user what a reader needs.
func (a kafkaAdmin) allow(user, topic, group string) {
	a.t.Helper()
	var list []kafka.ACLEntry
	add := func(kind kafka.ResourceType, name string, op kafka.ACLOperationType) {
		list = append(list, kafka.ACLEntry{
			ResourceType: kind, ResourceName: name, ResourcePatternType: kafka.PatternTypeLiteral,
			Principal: "User:" + user, Host: "*", Operation: op, PermissionType: kafka.ACLPermissionTypeAllow,
		})
	}
	if topic != "" {
		add(kafka.ResourceTypeTopic, topic, kafka.ACLOperationTypeRead)
		add(kafka.ResourceTypeTopic, topic, kafka.ACLOperationTypeDescribe)
	}
	if group != "" {
		add(kafka.ResourceTypeGroup, group, kafka.ACLOperationTypeRead)
	}
	r, err := a.client.CreateACLs(a.t.Context(), &kafka.CreateACLsRequest{ACLs: list})
	if err != nil {
		a.t.Fatal(err)
	}
	for _, err := range r.Errors {
		if err != nil {
			a.t.Fatal(err)
		}
	}
}

// kafkaProducer returns a producer with partitions of the caller's choice.
func (a kafkaAdmin) producer(opts ...kgo.Opt) *kgo.Client {
	a.t.Helper()
	k, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(a.client.Addr.String()), kgo.RecordPartitioner(kgo.ManualPartitioner())}, opts...)...)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(k.Close)
	return k
}

// kafkaLine is a record in Envoy's default format.
// https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#default-format-string
func kafkaLine(code, id int) string {
	return fmt.Sprintf("[2026-03-01T09:%02d:%02d.000Z] \"GET /cart/%d HTTP/1.1\" %d - 0 12 3 2 \"-\" \"curl/8.5.0\" \"%s\" \"cart\" \"10.1.0.7:8080\"", id/60%60, id%60, id, code, strconv.Itoa(id))
}
