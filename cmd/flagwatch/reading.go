package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/pipeline"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
)

// Reading is which part of the inputs to read, and how.
type reading struct {
	since, until  string
	tail          int
	only, exclude []string
	maxWindow     string
	shard         string
	progress      *choice
	noProgress    bool
}

func (o *reading) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.since, "since", "", "leave out records before a `time`: how long ago such as 15m or 2d, RFC 3339, or a clock time such as 09:30")
	flags.StringVar(&o.until, "until", "", "leave out records after a `time`")
	flags.IntVar(&o.tail, "tail", 0, "read the last `N` lines of each log; 0: all")
	flags.StringArrayVar(&o.only, "only", nil, "count only records that fit, by cause, flag, code, cluster, host, route, authority or direction: `KEY=VALUE,...`")
	flags.StringArrayVar(&o.exclude, "exclude", nil, "leave out records that fit: `KEY=VALUE,...`")
	flags.StringVar(&o.maxWindow, "max-window", "8MiB", "`memory` that a compressed file may ask for to be unpacked")
	flags.StringVar(&o.shard, "shard", "", "read one of N shards of the files, as `I/N` with I from 0: for many processes that share the work")
	o.addProgressFlags(flags)
}

func (o *reading) addProgressFlags(flags *pflag.FlagSet) {
	o.progress = newChoice("auto", "always", "never")
	flags.Var(o.progress, "progress", "show on standard error how far reading is")
	flags.BoolVar(&o.noProgress, "no-progress", false, "the same as --progress never")
}

// A plan is what reading comes to.
type plan struct {
	source source.Options
	keep   pipeline.Keep
	fields parser.FieldSet // that keep looks at, beside those that are counted
}

// plan checks the options. The formats are for finding times.
func (o *reading) plan(jobs int, ordered bool, c *classify.Classifier, formats []*parser.Format) (p plan, err error) {
	if o.tail < 0 {
		return p, usageError("--tail %d: want 0 or more", o.tail)
	}
	now := time.Now()
	if p.keep.Since, err = instant("since", o.since, now); err != nil {
		return p, err
	}
	if p.keep.Since != 0 {
		p.keep.Before = new(pipeline.Latest)
	}
	if p.keep.Until, err = instant("until", o.until, now); err != nil {
		return p, err
	}
	p.keep.After = new(pipeline.Latest)
	if p.keep.Until != 0 && p.keep.Until < p.keep.Since {
		return p, usageError("--until %s is before --since %s", o.until, o.since)
	}
	window, ok := size(o.maxWindow)
	if !ok && o.maxWindow != "" {
		return p, usageError("--max-window %s: want a size such as 64MiB", o.maxWindow)
	}
	if err := o.selections(&p, c); err != nil {
		return p, err
	}
	shard, shards, err := parseShard(o.shard)
	if err != nil {
		return p, err
	}
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	p.source = source.Options{
		Lines: ordered, Ordered: ordered, Parallel: jobs, MaxWindow: window,
		Shard: shard, Shards: shards, Tail: o.tail, Since: p.keep.Since, Until: p.keep.Until,
		TimeOf: timeOf(formats, p.keep), IsLog: isLog(formats), Formats: formats, Refuse: refuseReport,
	}
	return p, nil
}

func (o *reading) selections(p *plan, c *classify.Classifier) error {
	only, err := parseSelection("only", o.only, c)
	if err != nil {
		return err
	}
	exclude, err := parseSelection("exclude", o.exclude, c)
	if err != nil || only == nil && exclude == nil {
		return err
	}
	p.fields = selectorFields
	p.keep.Match = func(r *parser.Record, v classify.Verdict) bool { return only.all(r, v) && !exclude.one(r, v) }
	return nil
}

func instant(option, text string, now time.Time) (int64, error) {
	if text == "" {
		return 0, nil
	}
	at, err := when(text, now)
	if err != nil {
		return 0, usageError("--%s %s: %w", option, text, err)
	}
	return at.UnixNano(), nil
}

// parseShard reads I/N.
func parseShard(text string) (shard, shards int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	i, n, ok := strings.Cut(text, "/")
	shard, errI := strconv.Atoi(i)
	shards, errN := strconv.Atoi(n)
	if !ok || errI != nil || errN != nil || shard < 0 || shard >= shards {
		return 0, 0, usageError("--shard %s: want I/N such as 0/16, with I below N", text)
	}
	return shard, shards, nil
}

// size reads a number of bytes.
func size(text string) (int64, bool) {
	unit := int64(1)
	for _, u := range []struct {
		name string
		size int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}} {
		if n, ok := strings.CutSuffix(text, u.name); ok {
			text, unit = n, u.size
			break
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n * unit, err == nil && n > 0 && n <= math.MaxInt64/unit
}

// isLog tells from the head of a file whether it holds records of a proxy. It
// is safe for concurrent use.
func isLog(formats []*parser.Format) func([]byte) bool {
	return func(head []byte) bool {
		if refuseReport(head) != "" {
			return false
		}
		p := parser.NewParser(0, formats...)
		p.Reset(padded(head))
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			if r.Kind == parser.Access || r.Kind == parser.Event {
				return true
			}
		}
		var s parser.Sample
		return s.Add(padded(head), formats...) > 0 && s.Infer() != nil
	}
}

// timeOf finds the first time that a record in a block tells, and tells it to
// seen. It is not safe for concurrent use.
func timeOf(formats []*parser.Format, keep pipeline.Keep) func([]byte) (int64, bool) {
	p := parser.NewParser(1<<parser.StartTime, formats...)
	return func(lines []byte) (int64, bool) {
		p.Reset(padded(lines))
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			if at, ok := r.Time(); ok {
				keep.Before.Tell(at)
				if keep.Until != 0 && at > keep.Until {
					keep.After.Tell(at)
				}
				return at, true
			}
		}
		return 0, false
	}
}

// padded is b with the readable bytes behind it that a parser wants.
func padded(b []byte) []byte { return append(make([]byte, 0, len(b)+parser.Padding), b...) }

// tellInputs says on w what became of inputs that were not read as usual.
func (r *result) tellInputs(w io.Writer, verbose bool) {
	tellRepeats(w, r.again)
	for _, in := range r.inputs {
		switch {
		case in.Same != "":
			say(w, fmt.Sprintf("%s: the same log as %s, counted once", in.Name, in.Same))
		case verbose && in.NoLogs > 0:
			say(w, in.Name+": "+plural(in.NoLogs, "other file is no log", "other files are no logs"))
		case verbose && in.Skipped > 0:
			say(w, fmt.Sprintf("%s: %s not read, as asked", in.Name, plural(in.Skipped, "byte", "bytes")))
		}
	}
	skipped := uint64(0)
	for _, v := range r.report.Accounting.Skipped {
		skipped += v.Records
	}
	t := r.report.Totals
	if skipped > 0 && (verbose || t.Access+t.Events == 0) {
		say(w, fmt.Sprintf("%s left out as asked, %d counted", plural(skipped, "record", "records"), t.Records))
	}
	if r.last != 0 && t.Access+t.Events == 0 {
		say(w, "no record is that young: the latest is of "+time.Unix(0, r.last).UTC().Format("2006-01-02 15:04:05 UTC"))
	}
}

// maxRepeats is how many files that were named again are told one by one.
const maxRepeats = 3

func tellRepeats(w io.Writer, list []source.Repeat) {
	for i, again := range list {
		if i == maxRepeats {
			say(w, plural(len(list)-i, "more file was named again, counted once", "more files were named again, each counted once"))
			return
		}
		text := again.Name + ": named twice, counted once"
		if again.Name != again.First {
			text = fmt.Sprintf("%s: the same file as %s, counted once", again.Name, again.First)
		}
		say(w, text)
	}
}
