package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/pipeline"
	"github.com/flagwatch/flagwatch/internal/safe"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/internal/tail"
	"github.com/flagwatch/flagwatch/sinks"
)

// followed is a tailer that knows how much it handed out.
type followed struct {
	*tail.Tailer
	mu    sync.Mutex
	bytes map[string]int64
}

func (f *followed) Next(ctx context.Context, b *source.Batch) error {
	err := f.Tailer.Next(ctx, b)
	if err == nil {
		f.mu.Lock()
		f.bytes[b.Stream.Name] += b.Bytes()
		f.mu.Unlock()
	}
	return err
}

// inputs are the files that something was read of.
func (f *followed) inputs() (list []source.Input) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(f.bytes)) {
		list = append(list, source.Input{Name: name, Bytes: f.bytes[name], Live: true, Begun: true})
	}
	return list
}

// follow reads files from their beginning and goes on with what is added to
// them, until ctx is done.
func (o *runOptions) follow(ctx context.Context, args []string, errOut io.Writer, opt pipeline.Options, view sinks.ReportOptions) (*result, error) {
	args, err := toFollow(args, errOut)
	if err != nil {
		return nil, err
	}
	src := &followed{Tailer: tail.New([]tail.Input{{Name: "files", Paths: args, Containers: tail.DefaultContainers()}}, tail.Options{Once: true, Formats: opt.Formats}), bytes: map[string]int64{}}
	defer src.Close()
	mem := ledger.NewMemory()
	led, stop := o.watch.start(mem, func(s *sinks.Snapshot) *sinks.Report { return s.ReportWith(view) })
	opt.Epoch = o.watch.epoch()
	err = pipeline.Run(ctx, src, led, opt)
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	res := &result{inputs: src.inputs(), interrupted: true}
	mem.View(func(s *sinks.Snapshot) { res.report = s.ReportWith(view, res.reportInputs()...) })
	res.report.Layouts = o.learned
	return res, nil
}

// toFollow are those of args that can grow. A packed file can not: it is left
// out, and said to be.
func toFollow(args []string, errOut io.Writer) (files []string, err error) {
	if len(args) == 0 || slices.Contains(args, "-") {
		return nil, usageError("--follow: want files; standard input is followed anyway")
	}
	var packed []string
	for _, arg := range args {
		f, err := safe.OpenFile(arg)
		why, isPacked := "", false
		if err == nil {
			why, isPacked = refuseFile(f), source.IsPacked(f)
			f.Close()
		}
		_, refused := errors.AsType[*safe.RefusedError](err)
		switch {
		case why != "":
			return nil, usageError("%s: %s", arg, why)
		case isPacked:
			packed = append(packed, arg)
		case refused:
			return nil, usageError("--follow: %s is no file", arg)
		case err != nil && tail.IsMalformed(arg):
			return nil, usageError("%s: malformed pattern", arg)
		case err == nil || tail.IsPattern(arg):
			files = append(files, arg)
		default:
			return nil, openError(arg, err)
		}
	}
	const why = "--follow: %s is packed, nothing is added to it: read it without --follow"
	if len(files) == 0 {
		return nil, usageError(why+", or follow the log that is written to", packed[0])
	}
	for _, arg := range packed {
		say(errOut, fmt.Sprintf(why, arg))
	}
	return files, nil
}
