package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	kafka "github.com/segmentio/kafka-go"
)

// errFatal is what an error Is that no repetition heals.
var errFatal = errors.New("the group can not be joined")

const protocolType, protocolName = "consumer", "roundrobin"

// join makes the process a member, and returns what it owns.
func (m *member) join(ctx context.Context) (*generation, error) {
	known, err := m.c.parts(ctx)
	if err != nil {
		return nil, err
	}
	r, err := m.ask(ctx)
	if err != nil {
		return nil, err
	}
	m.id = r.MemberID
	gen := &generation{id: r.GenerationID, member: r.MemberID, instance: m.opt.InstanceID, known: known, claims: map[part]*claim{}}
	gen.leader = r.LeaderID == r.MemberID && len(r.Members) > 0
	req := &kafka.SyncGroupRequest{
		GroupID: m.opt.Group, GenerationID: gen.id, MemberID: gen.member, GroupInstanceID: gen.instance,
		ProtocolType: protocolType, ProtocolName: protocolName,
	}
	if gen.leader {
		if req.Assignments, err = m.assign(ctx, r.Members, known); err != nil {
			return nil, err
		}
	}
	s, err := m.c.api.SyncGroup(ctx, req)
	if err == nil {
		err = s.Error
	}
	if err != nil {
		return nil, m.lost(err)
	}
	return gen, m.claim(ctx, gen, s.Assignment)
}

// ask joins, once more with the id that a new member is given.
func (m *member) ask(ctx context.Context) (*kafka.JoinGroupResponse, error) {
	for {
		r, err := m.long.JoinGroup(ctx, &kafka.JoinGroupRequest{
			GroupID: m.opt.Group, SessionTimeout: m.opt.Session, RebalanceTimeout: m.opt.Rebalance,
			MemberID: m.id, GroupInstanceID: m.opt.InstanceID, ProtocolType: protocolType,
			Protocols: []kafka.GroupProtocol{{Name: protocolName, Metadata: kafka.GroupProtocolSubscription{Topics: m.opt.Topics}}},
		})
		if err == nil && errors.Is(r.Error, kafka.MemberIDRequired) && r.MemberID != "" && r.MemberID != m.id {
			m.id = r.MemberID
			continue
		}
		if err == nil {
			err = r.Error
		}
		if err != nil {
			return nil, m.lost(err)
		}
		return r, nil
	}
}

// lost takes from an error of a group request what it says about the
// membership.
func (m *member) lost(err error) error {
	switch {
	case errors.Is(err, kafka.UnknownMemberId):
		m.id = ""
	case errors.Is(err, kafka.FencedInstanceID):
		return fmt.Errorf("%w: another member has the instance id %s by now: %w", errFatal, m.opt.InstanceID, err)
	case errors.Is(err, kafka.InconsistentGroupProtocol):
		return fmt.Errorf("%w: group %s has members that are not flagwatch's: %w", errFatal, m.opt.Group, err)
	case errors.Is(err, kafka.InvalidSessionTimeout), errors.Is(err, kafka.InvalidGroupId), errors.Is(err, kafka.GroupMaxSizeReached):
		return fmt.Errorf("%w: %w", errFatal, err)
	}
	return fmt.Errorf("group %s: %w", m.opt.Group, m.c.explain(err))
}

// assign deals the partitions out: the leader's work. Members without change
// keep what they had as long as neither members nor partitions change.
func (m *member) assign(ctx context.Context, members []kafka.JoinGroupResponseMember, known map[part]int) ([]kafka.SyncGroupRequestAssignment, error) {
	starts, err := m.starts(ctx, known)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(members, func(a, b kafka.JoinGroupResponseMember) int {
		return strings.Compare(a.GroupInstanceID+"\x00"+a.ID, b.GroupInstanceID+"\x00"+b.ID)
	})
	list := make([]kafka.SyncGroupRequestAssignment, len(members))
	for i, member := range members {
		list[i] = kafka.SyncGroupRequestAssignment{MemberID: member.ID, Assignment: kafka.GroupProtocolAssignment{AssignedPartitions: map[string][]int{}, UserData: starts}}
	}
	at := 0
	for _, p := range slices.SortedFunc(maps.Keys(known), compareParts) {
		for range members {
			i := at % len(members)
			at++
			if slices.Contains(members[i].Metadata.Topics, p.topic) {
				owned := list[i].Assignment.AssignedPartitions
				owned[p.topic] = append(owned[p.topic], p.id)
				break
			}
		}
	}
	return list, nil
}

// starts resolves End once, for topics of which the group has no offset at
// all: what is written before the first commit, or to a partition that is
// added later, is not skipped.
func (m *member) starts(ctx context.Context, known map[part]int) ([]byte, error) {
	if m.opt.Start != End {
		return nil, nil
	}
	have, err := m.c.fetchCommitted(ctx, slices.Collect(maps.Keys(known)))
	if err != nil {
		return nil, err
	}
	old := maps.Clone(m.seen) // one that was deleted and made again is no reason to skip anything
	for p, c := range have {
		old[p.topic] = old[p.topic] || c.offset >= 0
	}
	var fresh []part
	for p := range known {
		if !old[p.topic] {
			fresh = append(fresh, p)
		}
	}
	ends, err := m.c.offsets(ctx, fresh, kafka.LastOffset)
	if err != nil {
		return nil, err
	}
	byTopic := map[string]map[int]int64{}
	for p, end := range ends {
		if byTopic[p.topic] == nil {
			byTopic[p.topic] = map[int]int64{}
		}
		byTopic[p.topic][p.id] = end
	}
	return json.Marshal(byTopic)
}

// claim finds out where each owned partition goes on.
func (m *member) claim(ctx context.Context, gen *generation, a kafka.GroupProtocolAssignment) error {
	var owned []part
	for topic, ids := range a.AssignedPartitions {
		for _, id := range ids {
			owned = append(owned, part{topic, id})
		}
	}
	if len(owned) == 0 {
		return nil
	}
	starts := map[string]map[int]int64{}
	if len(a.UserData) > 0 {
		if err := json.Unmarshal(a.UserData, &starts); err != nil {
			return fmt.Errorf("group %s: the leader's assignment: %w", m.opt.Group, err)
		}
	}
	have, err := m.c.fetchCommitted(ctx, owned)
	if err != nil {
		return err
	}
	first, err := m.c.offsets(ctx, owned, kafka.FirstOffset)
	if err != nil {
		return err
	}
	for _, p := range owned {
		at := have[p]
		c := &claim{part: p, gen: gen, until: -1, next: at.offset, owned: at.offset, history: at.takenOver(m.process), carry: newCarry(m.opt.Formats)}
		if at.offset < 0 {
			c.next = first[p]
			if end, ok := starts[p.topic][p.id]; ok {
				c.next = end
			}
			c.history = nil
		}
		c.want, c.begin, c.handed = c.next, c.next, c.next
		gen.claims[p] = c
	}
	return m.r.commitBegin(ctx, gen)
}
