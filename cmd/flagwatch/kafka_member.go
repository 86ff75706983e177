package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/agent"
	"github.com/flagwatch/flagwatch/internal/kafka"
	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/pipeline"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/sinks"
)

// member reads as a member of a group until ctx ends.
func (o *kafkaOptions) member(ctx context.Context, std streams, opt pipeline.Options, view sinks.ReportOptions) (err error) {
	var journal *ledger.Journal
	if o.state != "" {
		if journal, err = ledger.OpenJournal(o.state, o.conn.Group, restorer(opt.Classifier)); err != nil {
			return fmt.Errorf("kafka: state: %w", err)
		}
		defer journal.Close()
		for _, note := range journal.Notes() {
			say(std.err, "kafka: "+note)
		}
	}
	led := ledger.NewKafka(journal)
	r, err := kafka.Open(ctx, o.conn, led.Process(), led.Resolve)
	if err != nil && ctx.Err() != nil {
		return o.conclude(std, led, kafka.Status{}, view) // told to end before it began
	}
	if err != nil {
		return fmt.Errorf("kafka: %w", err)
	}
	led.Bind(r)
	if o.listen != "" {
		opt.Series = true
		at, stop, err := agent.Serve(o.listen, o.pages(led, r, opt.Classifier.All(), view))
		if err != nil {
			r.Close()
			return fmt.Errorf("kafka: %w", err)
		}
		defer stop()
		say(std.err, "listening on "+at.String())
	}
	shown := make(chan struct{})
	live, quiet := context.WithCancel(ctx)
	o.shown.state = func() string { return statusLine(r.Status()) }
	watch, end := o.shown.watch(std, func(error) { quiet() })
	if o.listen == "" && o.shown.live(std) {
		o.told.hold()
	}
	go func() {
		defer close(shown)
		o.live(live, watch, led, r, view)
	}()
	failed := pipeline.Run(ctx, r, led, opt)
	quiet()
	<-shown
	end()
	o.told.release()
	r.Close()
	if failed = notCanceled(failed); failed != nil {
		failed = fmt.Errorf("kafka: %w", failed)
	}
	return errors.Join(failed, o.conclude(std, led, r.Status(), view))
}

// conclude ends a membership with the report of all that is committed.
func (o *kafkaOptions) conclude(std streams, led *ledger.Kafka, status kafka.Status, view sinks.ReportOptions) error {
	res := &result{inputs: []source.Input{{Name: o.name(), Live: true, Begun: true}}, interrupted: true}
	led.View(func(s *sinks.Snapshot) {
		res.inputs[0].Bytes = int64(s.Identity().Bytes)
		res.report = s.ReportWith(view, res.reportInputs()...)
	})
	return o.print(std, res, status)
}

// A teller says lines at once, in place of a line of progress; while the report
// is redrawn in place, which would draw over them, it keeps the last ones for
// later.
type teller struct {
	out   io.Writer
	mu    sync.Mutex
	held  bool
	erase bool // there may be a line of progress
	kept  []string
}

// maxKept is how many lines are kept.
const maxKept = 20

func (t *teller) say(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.held {
		if t.erase {
			io.WriteString(t.out, eraseLine)
		}
		say(t.out, text)
		return
	}
	t.kept = append(t.kept[max(0, len(t.kept)+1-maxKept):], text)
}

// beside says whether progress is shown.
func (t *teller) beside(progress bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase = progress
}

func (t *teller) hold() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = true
}

func (t *teller) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, text := range t.kept {
		say(t.out, text)
	}
	t.held, t.kept = false, nil
}

// restorer reads counts of the causes that a classifier knows.
func restorer(causes *classify.Classifier) func([]byte) (*sinks.Snapshot, bool, error) {
	return func(data []byte) (*sinks.Snapshot, bool, error) {
		return sinks.RestoreSnapshot(data, func(id string) *classify.Cause {
			c, _ := causes.Cause(id)
			return c
		})
	}
}

func notCanceled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// bornFor is how long a new series of a workload is shown as 0.
const bornFor = time.Minute

// pages are what --listen serves.
func (o *kafkaOptions) pages(led *ledger.Kafka, r *kafka.Reader, causes []classify.Cause, view sinks.ReportOptions) agent.Pages {
	return agent.Pages{
		Metrics: func(w io.Writer) {
			opt := sinks.MetricOptions{Version: moduleVersion(), GoVersion: runtime.Version(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Causes: causes, Now: time.Now(), BornFor: bornFor}
			led.View(func(s *sinks.Snapshot) { s.WriteMetrics(w, opt) })
			status := r.Status()
			status.WriteMetrics(w)
			sinks.WriteProcessMetrics(w)
		},
		Report: func(since time.Duration) (report *sinks.Report) {
			led.View(func(s *sinks.Snapshot) {
				if since > 0 {
					s = s.Since(time.Now().Add(-since))
				}
				report = s.ReportWith(view).Redact()
				report.AttachSnapshot()
			})
			report.Version = version()
			return report
		},
		Unready: func() string {
			status := r.Status()
			if status.Unready(time.Minute) != "" {
				return "not ready" // the status line says why, to whom it concerns
			}
			return ""
		},
	}
}

// live shows the report while the reading goes on.
func (o *kafkaOptions) live(ctx context.Context, w watcher, led *ledger.Kafka, r *kafka.Reader, view sinks.ReportOptions) {
	if w.show == nil || o.listen != "" {
		return
	}
	pause := time.NewTimer(w.every)
	defer pause.Stop()
	for wait(pause.C, ctx.Done()) {
		began := time.Now()
		var report *sinks.Report
		led.View(func(s *sinks.Snapshot) {
			report = s.ReportWith(view, sinks.Input{Name: statusLine(r.Status()), Bytes: int64(s.Identity().Bytes)})
		})
		w.show(report)
		pause.Reset(max(w.every, drawingShare*time.Since(began)))
	}
}

// statusLine says how far the member is.
func statusLine(s kafka.Status) string {
	lag, lost := int64(0), int64(0)
	for _, p := range s.Partitions {
		lag += p.Lag
	}
	for _, n := range s.Lost {
		lost += n
	}
	line := fmt.Sprintf("kafka: %s, %s behind", plural(len(s.Partitions), "partition", "partitions"), plural(lag, "record", "records"))
	if lost > 0 {
		line += fmt.Sprintf(", %d lost", lost)
	}
	if why := s.Unready(time.Minute); why != "" {
		line += "; " + why
	}
	return line
}
