package source

import (
	"bytes"
	"hash/maphash"
	"io"
)

// maxHeld is how large a copy of a log in an archive may be for the copy to be
// compared before it is counted: an archive is read once, from its beginning
// to its end. Kubelets rotate logs at 10 MiB.
const maxHeld = 16 << 20

// contents are what a log in an archive held.
type contents struct {
	name string
	sum  uint64 // seeded: whoever writes logs can not aim at it
	size int64
}

// A tally sums up what is read through it.
type tally struct {
	r    io.Reader
	sum  maphash.Hash
	size int64
	err  error // that ended it
}

func (t *tally) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.sum.Write(p[:n]) // never fails
	t.size += int64(n)
	if err != nil {
		t.err = err
	}
	return n, err
}

// remember notes what a log in an archive held, for copies that may follow.
func (j *job) remember(name string, t *tally) {
	if t.err != io.EOF {
		return
	}
	if j.logs == nil {
		j.logs = map[string]contents{}
	}
	if plain := unpackedName(name); j.logs[plain] == (contents{}) {
		j.logs[plain] = contents{name, t.sum.Sum64(), t.size}
	}
}

// isCopy says whether a member of an archive is a copy of a log in it that was
// read before, and notes that. What it reads of the member is in rest, and all
// of the member if it is no copy.
func (j *job) isCopy(name string, r io.Reader) (rest io.Reader, copied bool) {
	first, ok := j.logs[unpackedName(name)]
	if !ok || first.name == name {
		return r, false
	}
	var held bytes.Buffer
	n, err := io.CopyN(&held, r, maxHeld)
	whole := io.MultiReader(bytes.NewReader(held.Bytes()), r)
	if n == maxHeld || err != io.EOF {
		return whole, false
	}
	plain, give := j.tools.plain(bytes.NewReader(held.Bytes()))
	defer give()
	t := &tally{r: plain}
	t.sum.SetSeed(j.seed)
	if _, err := io.Copy(io.Discard, t); err != nil || t.size != first.size || t.sum.Sum64() != first.sum {
		return whole, false
	}
	j.r.sameMember(j.row, name, first.name)
	return r, true
}
