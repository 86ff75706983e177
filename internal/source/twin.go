package source

import (
	"bufio"
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// packedEndings are what compressing a file adds to its name.
var packedEndings = []string{".gz", ".zst", ".lz4", ".xz", ".bz2", ".sz", ".s2"}

// unpackedName is the name of a file before it was compressed.
func unpackedName(path string) string {
	if ext := strings.ToLower(filepath.Ext(path)); slices.Contains(packedEndings, ext) {
		return path[:len(path)-len(ext)]
	}
	return path
}

// findTwins finds the logs that lie beside their own compressed copies, as
// their names tell: rotation leaves both for a while, or for ever when it is
// interrupted. Whether they are the same is for later.
func findTwins(rows []*row) {
	first := make(map[string]*row, len(rows))
	for _, w := range rows {
		if w.path != "" && unpackedName(w.path) == w.path {
			first[w.path] = w
		}
	}
	for _, w := range rows {
		name := unpackedName(w.path)
		if w.path == "" || name == w.path {
			continue
		}
		other := first[name]
		if other == nil {
			first[name] = w
		} else if other.path != w.path {
			w.twin = other
		}
	}
}

// duplicate says whether the job's input has the contents of its twin, and
// notes it. Contents are compared in full: nothing less tells equal heads of
// different logs. A copy that is damaged is a copy as far as it can be read.
func (j *job) duplicate() bool {
	f, err := openTwin(j.row.twin.path)
	if err != nil {
		return false
	}
	defer f.close()
	a, giveA := j.tools.plain(&unread{ctx: j.ctx, in: f, file: f})
	defer giveA()
	b, giveB := j.tools.plain(&j.row.file)
	defer giveB()
	same, err := j.equal(a, b)
	if same {
		if err != io.EOF {
			j.fail(&j.row.Input, err)
		}
		j.r.same(j.row)
		return true
	}
	j.file.rewind(0)
	return false
}

func openTwin(path string) (*file, error) {
	in, _, err := open(path)
	if err != nil {
		return nil, err
	}
	f, ok := in.(*file)
	if !ok {
		in.close()
		return nil, io.ErrUnexpectedEOF
	}
	return f, nil
}

// equal compares the original with a copy. The error is the copy's, io.EOF
// when it ends as the original does.
func (j *job) equal(original, copied io.Reader) (same bool, err error) {
	a, b := bufio.NewReaderSize(original, rawSize), make([]byte, rawSize)
	for j.ctx.Err() == nil {
		n, err := copied.Read(b)
		want, _ := a.Peek(n)
		if !bytes.Equal(want, b[:n]) {
			return false, nil
		}
		a.Discard(n)
		if err == io.EOF {
			_, more := a.Peek(1)
			return more == io.EOF, err
		}
		if err != nil {
			return true, err
		}
	}
	return false, nil
}
