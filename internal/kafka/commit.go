package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	kafka "github.com/segmentio/kafka-go"

	"github.com/flagwatch/flagwatch/internal/ledger"
)

// stopTime is how long a commit is still tried when the run ends.
const stopTime = 4 * time.Second

// Commit is ledger.Offsets'. It asks until there is an answer that decides.
func (r *Reader) Commit(ctx context.Context, group int, to map[string]int64, token string) error {
	r.commit.Lock()
	defer r.commit.Unlock()
	gen, ends := r.ends(group, to)
	if gen == nil || gen.fenced.Load() {
		return ledger.ErrFenced
	}
	doubt := false // whether an attempt may have been applied without our knowing
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		err := r.commitOnce(ctx, gen, ends, token)
		switch {
		case err == nil:
			r.own(gen, ends)
			return nil
		case isRefusal(err):
			return r.refusedCommit(ctx, gen, to, token, doubt, err)
		}
		doubt = true
		r.trouble(fmt.Errorf("commit: %w", r.c.explain(err)))
		if r.late() {
			return fmt.Errorf("the last commit had no answer, so its counts are left out here: %w", r.c.explain(err))
		}
		sleep(ctx, pause)
	}
}

// ends finds the claims that are committed.
func (r *Reader) ends(group int, to map[string]int64) (*generation, map[*claim]int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	gen := r.gens[group]
	if gen == nil {
		return nil, nil
	}
	ends := map[*claim]int64{}
	for _, c := range gen.claims {
		if end, ok := to[c.name()]; ok {
			ends[c] = end
		}
	}
	return gen, ends
}

func (r *Reader) late() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.stopped.IsZero() && time.Since(r.stopped) > stopTime
}

// errRecreated is why counts are dropped that may be of a new topic's records,
// read at the offsets of the old one: those will be read again.
var errRecreated = errors.New("a topic was deleted and made again")

func (r *Reader) commitOnce(ctx context.Context, gen *generation, ends map[*claim]int64, token string) error {
	ctx, cancel := context.WithTimeout(ctx, r.opt.Timeout)
	defer cancel()
	if err := r.verify(ctx, ends); err != nil {
		return err
	}
	return r.send(ctx, gen, ends, token)
}

// verify looks whether a topic was deleted and made again since the last
// commit: the offsets of the old one must not be written for the new one.
func (r *Reader) verify(ctx context.Context, ends map[*claim]int64) error {
	have, err := r.c.fetchCommitted(ctx, partsOf(ends))
	if err != nil {
		return err
	}
	for c := range ends {
		if r.recreated(c, have[c.part]) {
			err = errRecreated
		}
	}
	return err
}

func partsOf(ends map[*claim]int64) []part {
	var list []part
	for c := range ends {
		list = append(list, c.part)
	}
	return slices.SortedFunc(slices.Values(list), compareParts)
}

func (r *Reader) send(ctx context.Context, gen *generation, ends map[*claim]int64, token string) error {
	req := &kafka.OffsetCommitRequest{GroupID: r.opt.Group, GenerationID: gen.id, MemberID: gen.member, InstanceID: gen.instance, Topics: map[string][]kafka.OffsetCommit{}}
	r.mu.Lock()
	for c, end := range ends {
		meta := metadata{token: token, handed: c.history}
		req.Topics[c.topic] = append(req.Topics[c.topic], kafka.OffsetCommit{Partition: c.id, Offset: end, Metadata: meta.String()})
	}
	r.mu.Unlock()
	res, err := r.c.api.OffsetCommit(ctx, req)
	if err != nil {
		return err
	}
	return r.outcome(res)
}

// outcome is that of all partitions: a coordinator writes the offsets of one
// request together. What it leaves out alone are partitions whose topic is
// gone, or may not be read any more.
func (r *Reader) outcome(res *kafka.OffsetCommitResponse) error {
	var failed error
	applied := false
	for topic, list := range res.Topics {
		for _, p := range list {
			if p.Error == nil {
				applied = true
			} else if failed == nil || isRefusal(p.Error) {
				failed = fmt.Errorf("%s: %w", part{topic, p.Partition}.name(), p.Error)
			}
		}
	}
	if applied && failed != nil {
		r.opt.Say("the coordinator took only a part of a commit: " + r.c.explain(failed).Error())
		return nil
	}
	return failed
}

// isRefusal says whether an error means that the commit was not applied and
// never will be.
func isRefusal(err error) bool {
	if err == errRecreated {
		return true
	}
	for _, code := range [...]kafka.Error{
		kafka.IllegalGeneration, kafka.UnknownMemberId, kafka.RebalanceInProgress, kafka.FencedInstanceID,
		kafka.UnknownTopicOrPartition, kafka.OffsetMetadataTooLarge, kafka.TopicAuthorizationFailed, kafka.GroupAuthorizationFailed,
	} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// isUnready says whether a coordinator is not there yet.
func isUnready(err error) bool {
	return errors.Is(err, kafka.GroupCoordinatorNotAvailable) || errors.Is(err, kafka.NotCoordinatorForGroup) || errors.Is(err, kafka.GroupLoadInProgress)
}

// refusedCommit drops the counts, unless an earlier attempt was applied.
func (r *Reader) refusedCommit(ctx context.Context, gen *generation, to map[string]int64, token string, doubt bool, err error) error {
	for doubt {
		applied, e := r.Applied(ctx, to, token)
		if e == nil && applied {
			break
		}
		if e == nil {
			doubt = false
			break
		}
		if r.late() {
			return fmt.Errorf("the last commit had no answer, so its counts are left out here: %w", e)
		}
		sleep(ctx, minPause)
	}
	gen.fenced.Store(true)
	nudge(r.again)
	if doubt {
		return nil
	}
	r.mu.Lock()
	r.counters.Rejected++
	r.mu.Unlock()
	if err != errRecreated && !errors.Is(err, kafka.RebalanceInProgress) && !errors.Is(err, kafka.IllegalGeneration) && !errors.Is(err, kafka.UnknownMemberId) {
		r.trouble(fmt.Errorf("commit: %w", r.c.explain(err)))
	}
	return fmt.Errorf("%w: %w", ledger.ErrFenced, err)
}

// own notes what is committed.
func (r *Reader) own(gen *generation, ends map[*claim]int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c, end := range ends {
		c.owned = end
	}
}

// Applied is ledger.Offsets': it looks for the commit in what the group has
// now, and in what the owners since then found.
func (r *Reader) Applied(ctx context.Context, to map[string]int64, token string) (bool, error) {
	var list []part
	for _, name := range slices.Sorted(maps.Keys(to)) {
		p, err := parsePart(name)
		if err != nil {
			return false, err
		}
		list = append(list, p)
	}
	have, err := r.c.fetchCommitted(ctx, list)
	if err != nil {
		return false, err
	}
	for _, p := range list {
		if have[p].has(to[p.name()], token) {
			return true, nil
		}
	}
	return false, nil
}

// commitBegin commits where the partitions begin that the group has nothing
// of, so that it has something from now on.
func (r *Reader) commitBegin(ctx context.Context, gen *generation) error {
	ends := map[*claim]int64{}
	for _, c := range gen.claims {
		if c.owned < 0 {
			ends[c] = c.begin
		}
	}
	if len(ends) == 0 {
		return nil
	}
	if err := r.send(ctx, gen, ends, r.member.process+"-0"); err != nil {
		return r.member.lost(err)
	}
	r.own(gen, ends)
	return nil
}
