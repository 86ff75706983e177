package source

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strings"
)

// maxMemberName is how much of the name of an archive's member is kept.
const maxMemberName = 1024

// A job reads one packed input in a goroutine of its own: it decodes, and cuts
// what the layers of formats contain into batches.
type job struct {
	r     *Reader
	row   *row
	tools *tools
	ctx   context.Context
	file  *raw

	archive bool  // it holds members
	told    error // the last one that was noted
	seed    maphash.Seed
	logs    map[string]contents // of members, by their names before compression
}

// An item is what jobs send: a batch of a member, or the end of a job.
type item struct {
	b     *Batch
	input *Input // what b is of; under the Reader's mu
	ended *job
}

// run is the goroutine. It owns src.
func (j *job) run(src *unread) {
	defer src.in.close()
	j.row.file.r = src
	j.file = j.tools.raw(&j.row.file)
	j.read()
	j.tools.rest()
	if j.ctx.Err() == nil {
		j.r.closeRow(j.row, j.archive)
	}
	j.r.ready <- item{ended: j}
}

// read reads the input. A decoder that panics makes it one that could not be
// read; the decoders of the job are then used no more.
func (j *job) read() {
	defer func() {
		if v := recover(); v != nil {
			j.fail(&j.row.Input, fmt.Errorf("a fault of flagwatch, please report it: %v", v))
			j.tools = newTools(j.tools.share)
		}
	}()
	if j.row.twin == nil || !j.duplicate() {
		j.walk(j.row.Name, j.row.path, j.file, nil, 1)
	}
	j.tools.done(j.file)
}

// walk reads what r holds, layer by layer. The decoding that r reads from is
// given when there is one.
func (j *job) walk(name, path string, r *raw, under *decoding, depth int) {
	head, _ := r.Peek(sniffSize)
	c := codecOf(head)
	j.archive = j.archive || c == nil && (isTar(head) || isZip(head))
	switch {
	case depth > maxLayers && (c != nil || isTar(head) || isZip(head)):
		j.fail(j.member(name), fmt.Errorf("more than %d formats around each other", maxLayers-1))
	case c != nil:
		d := &decoding{codec: c, raw: r, dec: j.tools.take(c)}
		inner := j.tools.raw(&meter{r: d})
		j.walk(name, path, inner, d, depth+1)
		j.tools.done(inner)
		j.tools.give(c, d.dec)
	case isTar(head):
		j.tar(name, r, under, depth)
	case isZip(head):
		j.zip(name, r, depth)
	case name != j.row.Name && !j.isLog(path, r):
		j.r.noLog(j.row)
	case name == j.row.Name && j.refused(head):
	default:
		j.leaf(name, path, r, under)
	}
}

// refused says whether what was packed is no log, and notes why.
func (j *job) refused(head []byte) bool {
	if j.r.opt.Refuse == nil {
		return false
	}
	why := j.r.opt.Refuse(head)
	if why != "" {
		j.failAt(&j.row.Input, NotOpened, &RefusedError{"what is packed in it " + why})
	}
	return why != ""
}

// isLog tells whether to read a member of an archive.
func (j *job) isLog(path string, r *raw) bool {
	if saysLog(path) {
		return true
	}
	if j.r.opt.IsLog == nil {
		return false
	}
	head, _ := r.Peek(rawSize)
	return j.r.opt.IsLog(head)
}

func (j *job) zip(name string, r *raw, depth int) {
	z := newZip(r.Reader)
	for j.ctx.Err() == nil {
		err := z.next()
		if err == io.EOF {
			_, err = io.Copy(io.Discard, r)
			j.failArchive(err)
			return
		}
		if err != nil {
			j.failArchive(err)
			return
		}
		if err := z.unreadable(); err != nil {
			j.fail(j.member(name+"!"+short(z.name)), err)
		} else if !strings.HasSuffix(z.name, "/") {
			j.walkMember(name, z.name, z, depth)
		}
	}
}

func (j *job) walkMember(archive, path string, r io.Reader, depth int) {
	name := archive + "!" + short(path)
	r, copied := j.isCopy(name, r)
	if copied {
		return
	}
	inner := j.tools.raw(&meter{r: r})
	j.walk(name, path, inner, nil, depth+1)
	j.tools.done(inner)
}

func short(name string) string { return name[:min(len(name), maxMemberName)] }

// leaf reads a log.
func (j *job) leaf(name, path string, r *raw, under *decoding) {
	in, t := j.member(name), &tally{r: r}
	src := &unpacked{r: t}
	if name == j.row.Name {
		src.r = r
	} else {
		t.sum.SetSeed(j.seed)
		defer j.remember(name, t)
	}
	s := &Stream{Name: name}
	s.locate(path)
	c := &j.tools.cutter
	j.r.cut(c, src, s, in)
	for {
		b := j.takeBatch()
		if b == nil {
			return
		}
		err := c.next(j.ctx, b)
		if err == nil {
			j.r.ready <- item{b: b, input: in}
			continue
		}
		lost, again := j.goOn(in, err, under)
		if lost > 0 {
			c.lose(b, lost)
			j.r.ready <- item{b: b, input: in}
		} else {
			j.r.free <- b
		}
		if !again {
			return
		}
		c.restart()
		src.err = nil
	}
}

// goOn notes how a log ended. Behind a damage it goes to where the log goes
// on, and returns how many bytes of the file are lost.
func (j *job) goOn(in *Input, err error, under *decoding) (lost int64, again bool) {
	switch {
	case j.ctx.Err() != nil:
		return 0, false
	case err == io.EOF:
		j.r.done(in)
		return 0, false
	}
	j.fail(in, err)
	if under == nil || !damaged(err) {
		return 0, false
	}
	return under.resync()
}

// damaged tells a damage of the data from the failure to read it.
func damaged(err error) bool {
	var window *windowError
	return !errors.As(err, &window)
}

// takeBatch waits for a batch to fill.
func (j *job) takeBatch() *Batch {
	select {
	case b := <-j.r.free:
		return b
	case <-j.ctx.Done():
		return nil
	}
}

// member returns what is known of a log in the job's input, which may be the
// input itself.
func (j *job) member(name string) *Input {
	if name == j.row.Name {
		return &j.row.Input
	}
	return j.r.member(j.row, name)
}

// fail notes an error, and where in the file it came up.
func (j *job) fail(in *Input, err error) { j.failAt(in, j.file.at(), err) }

func (j *job) failAt(in *Input, at int64, err error) {
	j.told = err
	if j.ctx.Err() == nil {
		j.r.fail(in, &InputError{in.Name, at, cause(err)})
	}
}

func (j *job) failArchive(err error) {
	if err != nil {
		j.fail(&j.row.Input, err)
	}
}

// unpacked is the input of a log in a packed file.
type unpacked struct {
	r   io.Reader
	err error // until the log goes on behind a damage
}

// read fills p, so that batches are as large as those of a plain file.
func (u *unpacked) read(ctx context.Context, p []byte, _ bool) (n int, err error) {
	for n < len(p) && u.err == nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		var m int
		m, u.err = u.r.Read(p[n:])
		n += m
	}
	if n > 0 {
		return n, nil
	}
	return 0, u.err
}

func (u *unpacked) close() {}
