package source

import (
	"context"
	"errors"
	"hash/fnv"
	"hash/maphash"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/flagwatch/flagwatch/parser"
)

// Stdin is the name of standard input as an input.
const Stdin = "stdin"

// Options are choices for a Reader. The zero value is ready for use.
type Options struct {
	Lines     bool  // count physical lines into Position.Line
	Ordered   bool  // hand out one input after the other, in the order given
	Parallel  int   // packed inputs that are decoded at once, unless Ordered; 0: one
	MaxWindow int64 // how far back a compressed format may refer; 0: DefaultMaxWindow

	Shard, Shards int // read only the inputs of one of so many shards; Shards 0: all

	Tail         int   // lines to read at the end of each log; 0: all
	Since, Until int64 // leaves out parts of large plain files whose records are not from then, nanoseconds since 1970; 0: no bound

	// TimeOf returns the first time that a record in a block of lines tells, in
	// nanoseconds since 1970. nil: Since and Until leave out nothing.
	TimeOf func(lines []byte) (int64, bool)

	// IsLog tells from the head of an archive's member whether it is a log,
	// when its name does not say so. It is called by several goroutines at
	// once. nil: the name decides.
	IsLog func(head []byte) bool

	// Refuse says why bytes that begin so are no log, "" when they may be one.
	// nil: all may be.
	Refuse func(head []byte) string

	Formats []*parser.Format // that records may be in

	block int // bytes a read asks for; for tests
}

// An Input is what became of one input: a file, or a log in an archive, whose
// name is that of the archive, "!" and its path there.
type Input struct {
	Name    string
	Bytes   int64 // handed out, discarded ones too; of a packed input after decoding
	Size    int64 // of the file; 0: not known, or a member
	Live    bool  // a pipe or a terminal: it ends when its writer ends it
	Begun   bool
	Done    bool // read to its end, or given up because of Err
	Err     error
	Same    string // the input that has the same contents and was read instead
	Skipped int64  // bytes that were not handed out because of Options
	NoLogs  int    // members of an archive that are no logs

	faults int // errors that Err is made of
}

// A row is an input as it was named, with the logs that were found in it. What
// changes is under the Reader's mu, but for file.
type row struct {
	Input
	path    string // "" is stdin
	twin    *row   // by its name the same log, before or after compression
	file    meter  // of a packed input: what was read of it
	members []*Input
}

// A Reader is the Source that reads standard input and files. Plain ones are
// read one after the other in the order given; packed ones are decoded beside
// them. It owns what it opens.
type Reader struct {
	stdin *os.File
	opt   Options
	next  int     // row to begin
	cur   *cutter // the plain input that is being read: nil or &plain
	plain cutter
	row   *row // that of cur

	running int // jobs
	ready   chan item
	free    chan *Batch
	tools   []*tools
	pool    pool

	again []Repeat
	head  [sniffSize]byte // of the input that begins

	mu   sync.Mutex
	rows []*row
}

// New returns a reader of the arguments: "-" is stdin, a directory stands for
// the regular files below it that are not hidden, links to files included; a
// pattern that is no file's name is expanded, "**" crossing directories. A
// file is read once, however often it is named or found: Repeats tells. No
// argument is "-". What can not be found or opened becomes an Input with its
// error, and the rest is read; only a malformed pattern is an error here.
//
// Compressed files and archives are known by their first bytes and read as if
// they were unpacked. A log that lies beside its own compressed copy is read
// once.
func New(args []string, stdin *os.File, opt Options) (*Reader, error) {
	if opt.block == 0 {
		opt.block = blockSize
	}
	if opt.Parallel <= 0 || opt.Ordered {
		opt.Parallel = 1
	}
	if opt.MaxWindow <= 0 {
		opt.MaxWindow = DefaultMaxWindow
	}
	if len(args) == 0 {
		args = []string{"-"}
	}
	x, err := expand(args)
	if err != nil {
		return nil, err
	}
	if opt.Shards > 0 {
		x.rows = slices.DeleteFunc(x.rows, func(w *row) bool { return shardOf(w, opt.Shards) != opt.Shard })
	}
	batches := min(opt.Parallel, len(x.rows)) + 1
	r := &Reader{stdin: stdin, opt: opt, rows: x.rows, again: x.again, ready: make(chan item, batches+opt.Parallel), free: make(chan *Batch, batches)}
	for range batches {
		r.free <- new(Batch)
	}
	findTwins(r.rows)
	return r, nil
}

// shardOf spreads inputs by their names, so that every process finds the same
// shards whatever else is in its list; a log and its compressed copy are in
// one.
func shardOf(w *row, shards int) int {
	h := fnv.New64a()
	io.WriteString(h, unpackedName(w.Name))
	return int(h.Sum64() % uint64(shards))
}

// Next is Source's. A worker that reads a plain file reads it itself.
func (r *Reader) Next(ctx context.Context, b *Batch) error {
	for {
		r.begin(ctx)
		switch it, ok := r.fromJobs(ctx); {
		case ok && it.ended != nil:
			r.endJob(it.ended)
		case ok:
			r.deliver(it, b)
			return nil
		case r.cur != nil:
			if done, err := r.readPlain(ctx, b); done {
				return err
			}
		case ctx.Err() != nil:
			return ctx.Err()
		default:
			return r.end()
		}
	}
}

// begin begins what may be read now.
func (r *Reader) begin(ctx context.Context) {
	for r.cur == nil && r.running < r.opt.Parallel && r.next < len(r.rows) {
		w := r.rows[r.next]
		r.next++
		in, live, err := r.open(w)
		r.mu.Lock()
		w.Begun, w.Live, w.Err, w.Done = true, live, err, err != nil
		r.mu.Unlock()
		f, ok := asFile(in)
		var head []byte
		if ok {
			head = f.headAt(r.head[:])
		}
		switch {
		case err != nil:
		case r.refused(w, in, head):
		case isPacked(head):
			r.startJob(ctx, w, &unread{ctx: ctx, in: in, file: f})
		case live:
			r.begun(w, &sniffer{in: in, refuse: r.opt.Refuse})
		case ok:
			r.beginFile(w, in, f)
		default:
			r.begun(w, in)
		}
	}
}

// refused says whether an input is no log, and notes why.
func (r *Reader) refused(w *row, in input, head []byte) bool {
	if r.opt.Refuse == nil || len(head) == 0 {
		return false
	}
	why := r.opt.Refuse(head)
	if why == "" {
		return false
	}
	in.close()
	r.fail(&w.Input, &InputError{w.Name, NotOpened, &RefusedError{why}})
	return true
}

// beginFile begins the part of a plain file that is to be read.
func (r *Reader) beginFile(w *row, in input, f *file) {
	begin := f.start
	p, err := r.choose(w, f)
	if err != nil {
		in.close()
		r.fail(&w.Input, &InputError{w.Name, NotOpened, cause(err)})
		return
	}
	r.begun(w, in)
	r.cur.pos = Position{p.from - begin, p.lines}
}

func (r *Reader) begun(w *row, in input) {
	s := &Stream{Name: w.Name}
	s.locate(w.path)
	r.row, r.cur = w, &r.plain
	r.cut(r.cur, in, s, &w.Input)
}

// cut makes c, which may have cut another one before, cut a log. What can not
// be read from its end loses its first lines here.
func (r *Reader) cut(c *cutter, in input, s *Stream, stats *Input) {
	if c.stream == nil {
		c.lines, c.block, c.framer = r.opt.Lines, r.opt.block, NewFramer(r.opt.Formats)
	}
	c.restart()
	c.stream, c.pos = s, Position{}
	_, live := in.(*sniffer)
	_, packed := in.(*unpacked)
	if r.opt.Tail > 0 && (live || packed) {
		in = &tailing{in: in, n: r.opt.Tail, moved: func(bytes, lines int64) {
			c.pos.Offset += bytes
			if c.lines {
				c.pos.Line += lines
			}
			r.mu.Lock()
			stats.Skipped += bytes
			r.mu.Unlock()
		}}
	}
	c.in = in
}

func (r *Reader) open(w *row) (in input, live bool, err error) {
	switch {
	case w.Err != nil:
		return nil, false, w.Err
	case w.path == "":
		in, live, err = openStdin(r.stdin)
	default:
		in, live, err = open(w.path)
	}
	if err != nil {
		err = &InputError{w.Name, NotOpened, cause(err)}
	}
	return in, live, err
}

// readPlain reads the current input. It is not done when that has ended.
func (r *Reader) readPlain(ctx context.Context, b *Batch) (done bool, err error) {
	err = r.cur.next(ctx, b)
	if err == nil {
		r.mu.Lock()
		r.row.Bytes += b.Bytes()
		r.mu.Unlock()
		return true, nil
	}
	if err == ctx.Err() {
		return true, err
	}
	in, w := r.cur.in, r.row
	r.cur, r.row = nil, nil
	if err == errPacked {
		if t, ok := in.(*tailing); ok {
			in = t.in
		}
		r.startJob(ctx, w, &unread{ctx: ctx, in: in})
		return false, nil
	}
	in.close()
	if err == io.EOF {
		r.done(&w.Input)
	} else {
		at := w.Bytes
		if _, refused := errors.AsType[*RefusedError](err); refused {
			at = NotOpened
		}
		r.fail(&w.Input, &InputError{w.Name, at, cause(err)})
	}
	return false, nil
}

// startJob starts to decode a packed input.
func (r *Reader) startJob(ctx context.Context, w *row, src *unread) {
	j := &job{r: r, row: w, ctx: ctx, seed: maphash.MakeSeed()}
	if n := len(r.tools); n > 0 {
		j.tools, r.tools = r.tools[n-1], r.tools[:n-1]
	} else {
		j.tools = newTools(&share{pool: &r.pool, limit: r.opt.MaxWindow})
	}
	j.tools.share.ctx = ctx
	r.running++
	go j.run(src)
}

func (r *Reader) endJob(j *job) {
	r.running--
	r.tools = append(r.tools, j.tools)
}

// fromJobs takes what a job has sent. It waits when there is nothing else to
// read.
func (r *Reader) fromJobs(ctx context.Context) (it item, ok bool) {
	switch {
	case r.running == 0:
		return it, false
	case r.cur != nil:
		select {
		case it = <-r.ready:
			return it, true
		default:
			return it, false
		}
	}
	select {
	case it = <-r.ready:
		return it, true
	case <-ctx.Done():
		return it, false
	}
}

// deliver exchanges the batch of a job for the caller's.
func (r *Reader) deliver(it item, b *Batch) {
	*b, *it.b = *it.b, *b
	r.free <- it.b
	r.mu.Lock()
	it.input.Bytes += b.Bytes()
	r.mu.Unlock()
}

// end is the end of all input, for which no memory is needed any more.
func (r *Reader) end() error {
	r.plain, r.tools = cutter{}, nil
	for len(r.free) > 0 {
		<-r.free
	}
	if err := r.Err(); err != nil {
		return err
	}
	return io.EOF
}

// done notes that an input was read to its end.
func (r *Reader) done(in *Input) {
	r.mu.Lock()
	in.Done = true
	r.mu.Unlock()
}

// maxFaults is how many errors of one input are told.
const maxFaults = 3

// fail notes an error of an input.
func (r *Reader) fail(in *Input, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	in.Done = true
	in.faults++
	switch {
	case in.faults <= maxFaults:
		in.Err = errors.Join(in.Err, err)
	case in.faults == maxFaults+1:
		in.Err = errors.Join(in.Err, &InputError{in.Name, NotOpened, errors.New("and more damages")})
	}
	if in.faults == 1 {
		in.Err = err
	}
}

// member notes a log that was found in an archive.
func (r *Reader) member(w *row, name string) *Input {
	in := &Input{Name: name, Begun: true}
	r.mu.Lock()
	defer r.mu.Unlock()
	w.members = append(w.members, in)
	return in
}

// noLog notes a member of an archive that is not read.
func (r *Reader) noLog(w *row) {
	r.mu.Lock()
	w.NoLogs++
	r.mu.Unlock()
}

// closeRow notes the end of a packed input.
func (r *Reader) closeRow(w *row, archive bool) {
	if archive && len(w.members) == 0 && w.Err == nil {
		r.fail(&w.Input, &InputError{w.Name, NotOpened, errors.New("no log in this archive")})
	}
	r.done(&w.Input)
}

// same notes that an input is a copy of another.
func (r *Reader) same(w *row) {
	r.mu.Lock()
	w.Same, w.Done = w.twin.Name, true
	r.mu.Unlock()
}

// sameMember notes that a member of an archive is a copy of another.
func (r *Reader) sameMember(w *row, name, of string) {
	r.mu.Lock()
	w.members = append(w.members, &Input{Name: name, Begun: true, Done: true, Same: of})
	r.mu.Unlock()
}

// Repeats are the files that were named or found again.
func (r *Reader) Repeats() []Repeat { return r.again }

// Err joins the errors of all inputs that are known so far. It may be called at any time.
func (r *Reader) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []error
	for in := range r.inputs {
		if in.Err != nil {
			list = append(list, in.Err)
		}
	}
	return errors.Join(list...)
}

// Inputs says what has become of each input. In place of an archive without
// errors stand its logs. It may be called at any time.
func (r *Reader) Inputs() (list []Input) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list = make([]Input, 0, len(r.rows))
	for in := range r.inputs {
		list = append(list, *in)
	}
	return list
}

// inputs yields what Inputs returns; under mu.
func (r *Reader) inputs(yield func(*Input) bool) {
	for _, w := range r.rows {
		if (len(w.members) == 0 || w.Err != nil || !w.Done) && !yield(&w.Input) {
			return
		}
		for _, in := range w.members {
			if !yield(in) {
				return
			}
		}
	}
}

// Progress says how many bytes of how many were read, as they lie on disk; of
// pipes nothing is known. It may be called at any time.
func (r *Reader) Progress() (read, size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.rows {
		size += w.Size
		switch n := w.file.n.Load(); {
		case w.Done:
			read += w.Size
		case n > 0:
			read += n
		case w.Size > 0:
			read += w.Bytes
		}
	}
	return read, size
}
