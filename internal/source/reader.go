package source

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
)

// Stdin is the name of standard input as an input.
const Stdin = "stdin"

// Options are choices for a Reader. The zero value is ready for use.
type Options struct {
	Lines bool // count physical lines into Position.Line

	block int // bytes a read asks for; for tests
}

// An Input is what became of one input.
type Input struct {
	Name  string
	Bytes int64 // handed out, discarded ones too
	Live  bool  // a pipe or a terminal: it ends when its writer ends it
	Begun bool
	Done  bool // read to its end, or given up because of Err
	Err   error
}

// A Reader is the Source that reads standard input and files, one after the
// other in the order given. It owns what it opens.
type Reader struct {
	stdin *os.File
	opt   Options
	at    int // input that is being read, or the next
	cur   *cutter

	mu     sync.Mutex
	inputs []Input
	paths  []string
}

// New returns a reader of the arguments: "-" is stdin, a directory stands for
// the regular files below it that are not hidden, links to files included; a
// pattern that is no file's name is expanded, "**" crossing directories. A
// file that expansion finds is read once, however often it is found; one that
// is named twice is read twice. No argument is "-". What can not be found or
// opened becomes an Input with its error, and the rest is read; only a
// malformed pattern is an error here.
func New(args []string, stdin *os.File, opt Options) (*Reader, error) {
	if opt.block == 0 {
		opt.block = blockSize
	}
	x := expansion{seen: map[string]bool{}}
	if len(args) == 0 {
		args = []string{"-"}
	}
	for _, arg := range args {
		if err := x.add(arg); err != nil {
			return nil, err
		}
	}
	return &Reader{stdin: stdin, opt: opt, inputs: x.inputs, paths: x.paths}, nil
}

// Next is Source's. A worker that reads a regular file reads it itself.
func (r *Reader) Next(ctx context.Context, b *Batch) error {
	for {
		if r.cur == nil && !r.begin() {
			return r.end()
		}
		err := r.cur.next(ctx, b)
		if err == nil {
			r.mu.Lock()
			r.inputs[r.at].Bytes += b.Bytes()
			r.mu.Unlock()
			return nil
		}
		if err == ctx.Err() {
			return err
		}
		r.finish(err)
	}
}

// begin opens the next input that can be opened.
func (r *Reader) begin() bool {
	for ; r.at < len(r.inputs); r.at++ {
		in, live, err := r.open()
		r.mu.Lock()
		s := &r.inputs[r.at]
		s.Begun, s.Live, s.Err, s.Done = true, live, err, err != nil
		r.mu.Unlock()
		if err == nil {
			r.cur = &cutter{in: in, stream: &Stream{Name: s.Name}, lines: r.opt.Lines, block: r.opt.block}
			return true
		}
	}
	return false
}

func (r *Reader) open() (in input, live bool, err error) {
	s, path := r.inputs[r.at], r.paths[r.at]
	switch {
	case s.Err != nil:
		return nil, false, s.Err
	case path == "":
		in, live, err = openStdin(r.stdin)
	default:
		in, live, err = open(path)
	}
	if err != nil {
		err = &InputError{s.Name, NotOpened, cause(err)}
	}
	return in, live, err
}

// finish closes the current input, which ended with err.
func (r *Reader) finish(err error) {
	r.cur.in.close()
	r.cur = nil
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.inputs[r.at]
	s.Done = true
	if err != io.EOF {
		s.Err = &InputError{s.Name, s.Bytes, cause(err)}
	}
	r.at++
}

func (r *Reader) end() error {
	if err := r.Err(); err != nil {
		return err
	}
	return io.EOF
}

// Err joins the errors of all inputs that are known so far. It may be called at any time.
func (r *Reader) Err() error {
	var list []error
	for _, s := range r.Inputs() {
		if s.Err != nil {
			list = append(list, s.Err)
		}
	}
	return errors.Join(list...)
}

// Inputs says what has become of each input. It may be called at any time.
func (r *Reader) Inputs() []Input {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Input(nil), r.inputs...)
}
