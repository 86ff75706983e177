package pipeline

import (
	"bytes"
	"runtime/debug"
	"slices"

	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
)

// What a run keeps of layouts that it worked out.
const (
	maxLearners = 4096 // streams; of more, those before are looked at again
	maxLearned  = 3    // layouts of a stream, the latest first
	maxPause    = 64
	glance      = 1 << 10 // bytes of a batch that are looked at in each of three places
)

// A Learned is a layout that was worked out from the lines of a stream, since
// no known one reads them.
type Learned struct {
	Stream    *source.Stream
	At        source.Position // where the batch began that showed it
	Again     bool            // the stream had another one before
	Inference *parser.Inference
}

// A learner works out the layouts of one stream. It is under turn, and what it
// does depends on the stream's batches alone: however many workers count them,
// they are read alike.
type learner struct {
	sample  parser.Sample
	formats []*parser.Format // the latest first
	names   []string         // their format strings
	met     bool             // a batch
	pause   int              // batches that were not looked at after the last vain look
	rest    int              // how many of them there still are
}

// learn looks at a batch that was just taken, and returns its stream's learner.
func (r *run) learn(b *source.Batch) *learner {
	l := r.learners[b.Stream]
	if l == nil {
		if len(r.learners) >= maxLearners {
			clear(r.learners)
		}
		l = &learner{}
		r.learners[b.Stream] = l
	}
	if l.rest > 0 {
		l.rest--
		return l
	}
	r.look(l, b)
	return l
}

// look looks for a layout in a batch: in all of a stream's first one, and later
// where a glance shows lines that nothing reads. A panic costs the layout only.
func (r *run) look(l *learner, b *source.Batch) {
	defer func() {
		if v := recover(); v != nil && r.opt.Fault != nil {
			r.opt.Fault(v, debug.Stack())
		}
	}()
	looker, met := r.lookerFor(l.formats), l.met
	l.met = true
	if met && len(b.Data) > 3*glance && !showsStrays(looker, b.Data) || l.sample.AddOf(looker, b.Data) == 0 {
		return
	}
	in := l.sample.Infer()
	if in == nil || slices.Contains(l.names, in.Format) {
		l.pause = min(2*l.pause+1, maxPause)
		l.rest = l.pause
		return
	}
	if r.opt.Learned != nil {
		r.opt.Learned(Learned{b.Stream, b.From, len(l.names) > 0, in})
	}
	l.sample, l.pause = parser.Sample{}, 0
	l.names = append([]string{in.Format}, l.names[:min(len(l.names), maxLearned-1)]...)
	l.formats = append([]*parser.Format{r.layout(in)}, l.formats[:min(len(l.formats), maxLearned-1)]...)
}

// showsStrays says whether the beginning, the middle or the end of a block has
// lines that nothing reads.
func showsStrays(p *parser.Parser, data []byte) bool {
	for i := range 3 {
		part := data[(len(data)-glance)*i/2:]
		if i > 0 {
			part = part[bytes.IndexByte(part, '\n')+1:]
		}
		part = part[:min(glance, len(part))]
		if end := bytes.LastIndexByte(part, '\n') + 1; end > 0 {
			part = part[:end]
		}
		var s parser.Sample
		if s.AddOf(p, part) > 0 {
			return true
		}
	}
	return false
}

// lookerFor returns a parser to look at a stream with. That of streams without
// layouts of their own, which are nearly all, is kept.
func (r *run) lookerFor(formats []*parser.Format) *parser.Parser {
	code := parser.Fields(parser.ResponseCode)
	if len(formats) > 0 {
		return parser.NewParser(code, slices.Concat(r.opt.Formats, formats)...)
	}
	if r.looker == nil {
		r.looker = parser.NewParser(code, r.opt.Formats...)
	}
	return r.looker
}

// layout is the layout of an inference: the same one for all streams that have
// it, so that they share a parser.
func (r *run) layout(in *parser.Inference) *parser.Format {
	for _, f := range r.layouts {
		if f.name == in.Format {
			return f.format
		}
	}
	r.layouts = append(r.layouts, layout{in.Format, in.Layout()})
	return in.Layout()
}

// A layout is one that was worked out, with its format string.
type layout struct {
	name   string
	format *parser.Format
}

// parserFor returns the worker's parser for a stream with the layouts. Only
// those that were used last are kept.
func (w *worker) parserFor(formats []*parser.Format) *parser.Parser {
	if len(formats) == 0 {
		return w.plain
	}
	for _, o := range w.others {
		if slices.Equal(o.formats, formats) {
			return o.parser
		}
	}
	if len(w.others) >= maxOthers {
		w.others = slices.Delete(w.others, 0, 1)
	}
	o := learnedParser{formats, parser.NewParser(w.run.opt.Want, slices.Concat(w.run.opt.Formats, formats)...)}
	w.others = append(w.others, o)
	return o.parser
}

const maxOthers = 8

// A learnedParser is a worker's parser for streams with layouts that were
// worked out.
type learnedParser struct {
	formats []*parser.Format
	parser  *parser.Parser
}
