package classify

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/flagwatch/flagwatch/parser"
)

// What a classifier remembers at most before it starts afresh.
const (
	maxSets     = 1 << 14
	maxPlans    = 1 << 13
	maxTexts    = 1 << 10 // a power of two
	maxBranches = 1 << 16
	maxLately   = 1 << 8 // by the upper byte of a hash

	fewMisses = 1 << 8 // messages that are looked through before it pays to choose keys
)

// first is the first key of a verdict: what is cheap to read of a record.
type first struct {
	flags   parser.FlagSet
	code    int16 // -1: none
	grpc    int16 // -1: none
	failed  bool
	kind    parser.Kind
	emitter parser.Emitter
	level   uint8
	notes   uint8                // bits of the notes that are there
	texts   [earlyColumns]uint16 // numbers of sets of phrases
}

// absent is the number of a text that is not there.
const absent = 0

// nothing is the number of the set without a phrase.
const nothing = 1

// look is a first key with its sets of phrases: what terms are tested on.
type look struct {
	first
	found [earlyColumns]found
}

// memo is what one goroutine's classifier remembers.
type memo struct {
	seed     maphash.Seed
	sets     map[found]uint16
	list     []found // by number
	texts    [earlyColumns][]text
	plans    map[first]*plan
	lately   [maxLately]recent
	endings  [maxLately]ending
	branches int // of all plans
	words    []uint64

	misses int // messages that were looked through
	keys   [parser.NumEmitters][numLevels]*keys
	room   padded
}

// A recent is a first key that was met lately, with its plan.
type recent struct {
	first first
	plan  *plan
}

// An ending is how records of one dialect ended, by a hash, with its plan.
type ending struct {
	hash uint64
	plan *plan
}

// slot spreads first keys over those that were met lately.
func (k *first) slot() uint64 {
	t := &k.texts
	h := (uint64(k.flags) ^ uint64(uint16(k.code))<<32 ^ uint64(uint16(k.grpc))<<16 ^ uint64(k.emitter)<<48 ^ uint64(k.level)<<56) * wordMix
	h = (h ^ h>>32 ^ uint64(t[0]) ^ uint64(t[1])<<16 ^ uint64(t[2])<<32 ^ uint64(t[3])<<48) * wordMix
	h = (h ^ h>>32 ^ uint64(t[4]) ^ uint64(t[5])<<16) * wordMix
	return h >> 56
}

// A text is a value that was looked through before.
type text struct {
	hash uint64
	set  uint16
}

func newMemo() memo {
	m := memo{seed: maphash.MakeSeed(), words: make([]uint64, 0, maxWords)}
	m.forget()
	return m
}

func (m *memo) forget() {
	clear(m.lately[:])
	clear(m.endings[:])
	m.sets, m.list, m.plans, m.branches = map[found]uint16{{}: nothing}, make([]found, nothing+1), map[first]*plan{}, 0
	for i := range m.texts {
		clear(m.texts[i])
	}
}

// A plan is what is left to ask once the first key is known: a tree of
// questions that grows as they are asked. No record is asked more than its own
// path needs.
type plan struct {
	rules []int // candidates in order; the last one may have nothing to ask
	root  *branch
}

// A branch is a question and what follows from its answers, or the end: the
// number of a rule, -1 for none.
type branch struct {
	question int                       // -1 at the end
	test     func(*parser.Record) bool // of the question
	rule     int
	next     [2]*branch // by the answer, nil while it never came
}

// plan returns the plan of a record, a remembered one if there is one.
func (c *Classifier) plan(r *parser.Record, failed bool) *plan {
	m := &c.memo
	if len(m.list) >= maxSets || len(m.plans) >= maxPlans || m.branches >= maxBranches {
		m.forget()
	}
	h, known := r.Ending(m.seed)
	if !known {
		return c.planOf(r, failed)
	}
	h += uint64(r.Dialect) << 1
	if failed {
		h++
	}
	e := &m.endings[h%maxLately]
	if e.plan == nil || e.hash != h {
		*e = ending{h, c.planOf(r, failed)}
	}
	return e.plan
}

// planOf is plan for a record whose ending was not met lately.
func (c *Classifier) planOf(r *parser.Record, failed bool) *plan {
	m := &c.memo
	k := c.first(r)
	k.failed = failed
	last := &m.lately[k.slot()]
	if last.plan != nil && last.first == k {
		return last.plan
	}
	p := m.plans[k]
	if p == nil {
		p = c.newPlan(k)
		m.plans[k] = p
	}
	*last = recent{k, p}
	return p
}

// first reads the first key of a record.
func (c *Classifier) first(r *parser.Record) (k first) {
	k.kind, k.code, k.grpc = r.Kind, -1, -1
	from, to := 0, accessColumns
	if r.Kind == parser.Event && r.Has(parser.ResponseCodeDetails) {
		k.kind = parser.Access // the proxy's debug log tells how it answered a request
	} else if r.Kind == parser.Event {
		from, to = accessColumns, earlyColumns
		k.emitter, k.level = r.Emitter, levelOf(r.Bytes(parser.Level))
	} else {
		k.flags, _ = r.Flags()
		if code, ok := r.Code(); ok {
			k.code = int16(code)
		}
		if r.Has(parser.GRPCStatus) {
			if n, ok := parser.GRPCStatusNumber(r.Bytes(parser.GRPCStatus)); ok {
				k.grpc = int16(n)
			}
		}
	}
	for i, n := range notes {
		if n.read(r) != nil {
			k.notes |= 1 << i
		}
	}
	for i := from; i < to; i++ {
		if text := textOf(r, columns[i].field); text != nil {
			k.texts[i] = c.set(&k, i, text)
		}
	}
	return k
}

// textOf is what is looked through of a column. What a stream's error was
// before it changed is another story than the one that the record tells.
func textOf(r *parser.Record, f parser.Field) []byte {
	if f != parser.Message {
		return r.Bytes(f)
	}
	text := r.Text()
	for i := indexFrom(text, 0, '('); i >= 0; i = indexFrom(text, i+1, '(') {
		if i > 0 && text[i-1] == ' ' && bytes.HasPrefix(text[i:], []byte("(previously ")) {
			return text[:i-1]
		}
	}
	return text
}

// set returns the number of the set of phrases that a text has.
func (c *Classifier) set(k *first, column int, value []byte) uint16 {
	m := &c.memo
	if m.texts[column] == nil {
		m.texts[column] = make([]text, maxTexts)
	}
	h := maphash.Bytes(m.seed, value)
	t := &m.texts[column][h%maxTexts]
	if t.hash == h && t.set != absent {
		return t.set
	}
	*t = text{h, nothing}
	if column != messageColumn || c.mayTell(k, value) {
		t.set = c.numberOf(c.look(column, value))
	}
	return t.set
}

// quiet says whether an event surely has no cause: its message has no words that
// a rule for such an event asks for.
func (c *Classifier) quiet(r *parser.Record) bool {
	m := &c.memo
	if m.misses < fewMisses || r.Has(parser.ResponseCodeDetails) {
		return false
	}
	k := c.keysOf(r.Emitter, levelOf(r.Bytes(parser.Level)))
	return !k.free && k.quiet(r.Text(), &m.room)
}

// keysOf chooses the keys for messages of an emitter and a level, once.
func (c *Classifier) keysOf(emitter parser.Emitter, level uint8) *keys {
	own := &c.memo.keys[emitter][level]
	if *own == nil {
		*own = c.newKeys(messageColumn, first{kind: parser.Event, emitter: emitter, level: level})
	}
	return *own
}

// mayTell says whether a message may have a phrase that the verdict of such an
// event depends on. Where all rules ask for phrases, that of one which is not
// quiet may.
func (c *Classifier) mayTell(k *first, message []byte) bool {
	m := &c.memo
	if m.misses++; m.misses < fewMisses {
		return true
	}
	keys := c.keysOf(k.emitter, k.level)
	return !keys.free || keys.in(message, &m.room)
}

// look finds the phrases of a text.
func (c *Classifier) look(column int, value []byte) found {
	m := &c.memo
	m.words = m.words[:0]
	if len(value) > maxText {
		m.words = m.room.words(m.words, value[:maxText/2])
		value = value[len(value)-maxText/2:]
	}
	m.words = m.room.words(m.words, value)
	return c.phrases[column].find(m.words)
}

// numberOf returns the number of a set of phrases, a new one if need be.
func (c *Classifier) numberOf(f found) uint16 {
	m := &c.memo
	n, ok := m.sets[f]
	if !ok {
		n = uint16(len(m.list))
		m.sets[f], m.list = n, append(m.list, f)
	}
	return n
}

// newPlan tries the rules on a first key.
func (c *Classifier) newPlan(k first) *plan {
	l := look{first: k}
	for i, n := range k.texts {
		l.found[i] = c.memo.list[n]
	}
	p := &plan{}
	for i := range c.rules {
		if cond := &c.rules[i].condition; cond.possible(&l) {
			p.rules = append(p.rules, i)
			if len(cond.late) == 0 {
				break
			}
		}
	}
	p.root = c.grow(p, nil)
	return p
}

// possible says whether the condition is about such a record and the terms of
// the first key hold.
func (cond *condition) possible(l *look) bool {
	if cond.kind != l.kind {
		return false
	}
	for _, t := range cond.early {
		if t.holds(l) != t.want {
			return false
		}
	}
	return true
}

// decide returns the number of the first rule that fits the record, -1 for
// none.
func (p *plan) decide(c *Classifier, r *parser.Record) int {
	n := p.root
	for n.question >= 0 {
		answer := 0
		if n.test(r) {
			answer = 1
		}
		if n.next[answer] == nil {
			n.next[answer] = c.grow(p, p.path(c, r, n))
		}
		n = n.next[answer]
	}
	return n.rule
}

// path returns what the record was asked down to a branch, with the answers.
func (p *plan) path(c *Classifier, r *parser.Record, to *branch) (known []ask) {
	for n := p.root; ; {
		yes := c.questions[n.question].test(r)
		known = append(known, ask{n.question, yes})
		if n == to {
			return known
		}
		n = n.next[map[bool]int{true: 1}[yes]]
	}
}

// grow makes the branch that follows from what is known: the first rule that is
// not refuted is asked for what it still needs, or is the answer.
func (c *Classifier) grow(p *plan, known []ask) *branch {
	c.memo.branches++
next:
	for _, n := range p.rules {
		open := -1
		for _, a := range c.rules[n].late {
			i := slices.IndexFunc(known, func(k ask) bool { return k.question == a.question })
			switch {
			case i < 0 && open < 0:
				open = a.question
			case i >= 0 && known[i].want != a.want:
				continue next
			}
		}
		b := &branch{question: open, rule: n}
		if open >= 0 {
			b.test = c.questions[open].test
		}
		return b
	}
	return &branch{question: -1, rule: -1}
}

// levels are the levels of events, by the number in the first key, each with
// its spellings: Envoy's, Istio's, klog's and those of Kubernetes events.
var levels = [numLevels][]string{
	{""}, {"trace", "t"}, {"debug", "d"}, {"info", "i", "normal", "notice"}, {"warning", "warn", "w"}, {"error", "err", "e"},
	{"critical", "fatal", "panic", "dpanic", "alert", "emergency", "c", "f"},
}

const numLevels = 7

// A spelling is one of a level.
type spelling struct {
	word  string
	level uint8
}

// levelsByFirst holds them by their first letter.
var levelsByFirst = func() (rows [32][]spelling) {
	for n, words := range levels[1:] {
		for _, word := range words {
			rows[word[0]&31] = append(rows[word[0]&31], spelling{word, uint8(n + 1)})
		}
	}
	return rows
}()

func levelOf(value []byte) uint8 {
	if len(value) == 0 {
		return 0
	}
	words := levelsByFirst[value[0]&31]
	for i := range words {
		s := &words[i]
		if len(s.word) == len(value) && (s.word == string(value) || bytes.EqualFold([]byte(s.word), value)) {
			return s.level
		}
	}
	return 0
}

// earlyFields are the fields of the first key.
func earlyFields() parser.FieldSet {
	s := parser.Fields(parser.ResponseCode, parser.ResponseFlags, parser.GRPCStatus, parser.Level)
	for _, col := range columns[:earlyColumns] {
		s |= parser.Fields(col.field)
	}
	return s
}
