package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	kafka "github.com/segmentio/kafka-go"
)

// A part is a partition of a topic.
type part struct {
	topic string
	id    int
}

// name is the partition's as a stream.
func (p part) name() string { return fmt.Sprintf("%s/%d", p.topic, p.id) }

func compareParts(a, b part) int {
	if c := strings.Compare(a.topic, b.topic); c != 0 {
		return c
	}
	return a.id - b.id
}

// A client asks brokers. It is safe for concurrent use.
type client struct {
	opt       Options
	transport *kafka.Transport
	api       *kafka.Client
	met       atomic.Bool // the brokers can be used as configured
}

// clientID is what brokers log and count by.
const clientID = "flagwatch"

func newClient(opt Options) *client {
	dialer := &net.Dialer{Timeout: 3 * time.Second}
	t := &kafka.Transport{
		Dial: dialer.DialContext, DialTimeout: 4 * time.Second, IdleTimeout: time.Minute,
		MetadataTTL: 3 * time.Second, MetadataTopics: opt.Topics,
		ClientID: clientID, TLS: opt.TLS, SASL: opt.SASL,
	}
	return &client{opt: opt, transport: t, api: &kafka.Client{
		Addr: kafka.TCP(opt.Brokers...), Timeout: opt.Timeout, Transport: t,
	}}
}

func (c *client) close() { c.transport.CloseIdleConnections() }

// needs are the requests that are used, with the newest version that kafka-go
// speaks.
var needs = []struct {
	key  int
	name string
	max  int
}{
	{1, "Fetch", 11}, {2, "ListOffsets", 5}, {3, "Metadata", 8}, {8, "OffsetCommit", 7}, {9, "OffsetFetch", 5}, {10, "FindCoordinator", 2},
	{11, "JoinGroup", 7}, {12, "Heartbeat", 4}, {13, "LeaveGroup", 4}, {14, "SyncGroup", 5},
}

// minFetch is the first version that the brokers' record format comes with.
const minFetch = 4

// check asks a broker which versions it speaks: kafka-go does not compare them.
func (c *client) check(ctx context.Context) error {
	r, err := c.api.ApiVersions(ctx, &kafka.ApiVersionsRequest{})
	if err == nil {
		err = r.Error
	}
	if err != nil {
		return c.explain(err)
	}
	for _, need := range needs {
		i := slices.IndexFunc(r.ApiKeys, func(k kafka.ApiVersionsResponseApiKey) bool { return k.ApiKey == need.key })
		switch {
		case i < 0:
			return fmt.Errorf("the broker does not know the request %s", need.name)
		case r.ApiKeys[i].MinVersion > need.max:
			return fmt.Errorf("the broker is too new: %s from version %d on, and flagwatch knows it up to %d", need.name, r.ApiKeys[i].MinVersion, need.max)
		case need.name == "Fetch" && r.ApiKeys[i].MaxVersion < minFetch:
			return fmt.Errorf("the broker is too old: %s up to version %d, and flagwatch needs %d", need.name, r.ApiKeys[i].MaxVersion, minFetch)
		}
	}
	return nil
}

// parts returns the partitions of all topics, and who leads them.
func (c *client) parts(ctx context.Context) (map[part]int, error) {
	r, err := c.api.Metadata(ctx, &kafka.MetadataRequest{Topics: c.opt.Topics})
	if err != nil {
		return nil, c.explain(err)
	}
	leaders := map[part]int{}
	for _, t := range r.Topics {
		if t.Error != nil {
			return nil, c.topicError(ctx, t.Name, t.Error)
		}
		for _, p := range t.Partitions {
			leaders[part{t.Name, p.ID}] = p.Leader.ID
		}
	}
	return leaders, nil
}

// topicError tells a topic that is missing from one that may not be read: a
// broker says the same of both, but to ListOffsets.
func (c *client) topicError(ctx context.Context, topic string, err error) error {
	if errors.Is(err, kafka.TopicAuthorizationFailed) {
		return fmt.Errorf("topic %s: not allowed: grant READ and DESCRIBE on it", topic)
	}
	p := part{topic, 0}
	if _, e := c.offsets(ctx, []part{p}, kafka.FirstOffset); errors.Is(e, kafka.TopicAuthorizationFailed) {
		return e
	}
	if errors.Is(err, kafka.UnknownTopicOrPartition) {
		return fmt.Errorf("topic %s: there is none, or it may not be described: %w", topic, shorter(err))
	}
	return fmt.Errorf("topic %s: %w", topic, shorter(err))
}

// offsets returns an offset of each partition: kafka.FirstOffset,
// kafka.LastOffset, or that of the first record not before a time in
// milliseconds; the last offset when there is none.
func (c *client) offsets(ctx context.Context, parts []part, at int64) (map[part]int64, error) {
	req := &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{}, IsolationLevel: kafka.ReadCommitted}
	for _, p := range parts {
		req.Topics[p.topic] = append(req.Topics[p.topic], kafka.OffsetRequest{Partition: p.id, Timestamp: at})
	}
	r, err := c.api.ListOffsets(ctx, req)
	if err != nil {
		return nil, c.explain(err)
	}
	found, late := map[part]int64{}, []part(nil)
	for topic, list := range r.Topics {
		for _, o := range list {
			p := part{topic, o.Partition}
			switch {
			case errors.Is(o.Error, kafka.TopicAuthorizationFailed):
				return nil, fmt.Errorf("topic %s: not allowed: grant READ and DESCRIBE on it: %w", topic, shorter(o.Error))
			case o.Error != nil:
				return nil, fmt.Errorf("%s: %w", p.name(), shorter(o.Error))
			case at == kafka.FirstOffset:
				found[p] = o.FirstOffset
			case at == kafka.LastOffset:
				found[p] = o.LastOffset
			default:
				late = append(late, p)
				for offset := range o.Offsets {
					if offset >= 0 {
						found[p], late = offset, late[:len(late)-1]
					}
				}
			}
		}
	}
	if len(late) > 0 {
		last, err := c.offsets(ctx, late, kafka.LastOffset)
		if err != nil {
			return nil, err
		}
		for p, offset := range last {
			found[p] = offset
		}
	}
	return found, nil
}

// A committed is what the group has of a partition. The offset is -1 when it
// has nothing.
type committed struct {
	offset int64
	meta   metadata
}

// fetchCommitted asks the coordinator for the group's offsets.
func (c *client) fetchCommitted(ctx context.Context, parts []part) (map[part]committed, error) {
	req := &kafka.OffsetFetchRequest{GroupID: c.opt.Group, Topics: map[string][]int{}}
	for _, p := range parts {
		req.Topics[p.topic] = append(req.Topics[p.topic], p.id)
	}
	r, err := c.api.OffsetFetch(ctx, req)
	if err == nil {
		err = r.Error
	}
	found := map[part]committed{}
	if errors.Is(err, kafka.GroupIdNotFound) {
		for _, p := range parts {
			found[p] = committed{offset: -1}
		}
		return found, nil
	}
	if err != nil {
		return nil, c.explain(err)
	}
	for topic, list := range r.Topics {
		for _, o := range list {
			if o.Error != nil {
				return nil, fmt.Errorf("%s: %w", part{topic, o.Partition}.name(), c.explain(o.Error))
			}
			found[part{topic, o.Partition}] = committed{o.CommittedOffset, parseMetadata(o.Metadata)}
		}
	}
	if len(found) < len(parts) {
		return nil, fmt.Errorf("group %s: the coordinator left out offsets", c.opt.Group)
	}
	return found, nil
}

// explain says in words what brokers say in codes, or by hanging up.
func (c *client) explain(err error) error {
	if err == nil {
		return nil
	}
	text := ""
	switch {
	case errors.Is(err, kafka.SASLAuthenticationFailed):
		text = "the broker refuses the user or the password"
	case errors.Is(err, kafka.GroupAuthorizationFailed):
		text = "not allowed: grant READ on group " + c.opt.Group
	case errors.Is(err, kafka.TopicAuthorizationFailed):
		text = "not allowed: grant READ and DESCRIBE on the topics"
	case errors.Is(err, kafka.IllegalSASLState):
		text = "the broker's listener wants no SASL"
	case errors.Is(err, kafka.UnsupportedSASLMechanism):
		text = "the broker's listener does not offer this SASL mechanism"
	case strings.Contains(err.Error(), "expecting TLS"):
		text = "the broker's listener wants TLS: --tls"
	case errors.Is(err, context.DeadlineExceeded):
		text = "no answer from " + strings.Join(c.opt.Brokers, ", ") + " or the addresses that they advertise"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		text, err = "the broker hung up"+c.doubt(), io.EOF
	}
	if text != "" {
		return fmt.Errorf("%s: %w", text, err)
	}
	return shorter(err)
}

// shorter leaves out of an error which request met it, so that the same trouble
// is told in the same words.
func shorter(err error) error {
	if code, ok := errors.AsType[kafka.Error](err); ok {
		return brokerError{code}
	}
	op, ok := errors.AsType[*net.OpError](err)
	switch {
	case !ok || op.Addr == nil:
		return err
	case op.Op == "dial":
		return fmt.Errorf("no connection to %s: %w", op.Addr, op.Err)
	}
	return fmt.Errorf("the connection to %s broke: %w", op.Addr, op.Err)
}

// A brokerError is a broker's code without kafka-go's remarks on it.
type brokerError struct{ code kafka.Error }

func (e brokerError) Error() string { return fmt.Sprintf("%s (%d)", e.code.Title(), e.code) }
func (e brokerError) Unwrap() error { return e.code }

// doubt is what a broker that hangs up may mean. One that was of use before is
// only gone.
func (c *client) doubt() string {
	switch {
	case c.met.Load():
		return ""
	case c.opt.TLS != nil:
		return ": does its listener speak TLS?"
	case c.opt.SASL == nil:
		return ": does its listener want TLS or SASL?"
	}
	return ": is the password right, and does its listener want TLS?"
}

// parsePart reads a stream's name.
func parsePart(name string) (part, error) {
	topic, id, _ := strings.Cut(name, "/")
	n, err := strconv.Atoi(id)
	if err != nil {
		return part{}, fmt.Errorf("partition %q: want topic/number", name)
	}
	return part{topic, n}, nil
}
