package source

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
)

// The header of a member: POSIX.1-2017, pax, "ustar Interchange Format".
const (
	tarHeader  = 512
	tarMagicAt = 257
	tarSumAt   = 148
	tarMagic   = "ustar"
)

func isTar(head []byte) bool {
	return len(head) >= tarMagicAt+len(tarMagic) && string(head[tarMagicAt:tarMagicAt+len(tarMagic)]) == tarMagic
}

// isTarHeader says whether b begins with a header whose sum is right, so that
// one is also found among bytes of any kind.
func isTarHeader(b []byte) bool {
	if len(b) < tarHeader || !isTar(b) {
		return false
	}
	want, err := strconv.ParseInt(strings.Trim(string(b[tarSumAt:tarSumAt+8]), " \x00"), 8, 64)
	sum := int64(8 * ' ') // the sum itself counts as blanks
	for i, c := range b[:tarHeader] {
		if i < tarSumAt || i >= tarSumAt+8 {
			sum += int64(c)
		}
	}
	return err == nil && sum == want
}

// tar reads the members of an archive. Behind a damage it goes on with the next
// member that can be found.
func (j *job) tar(name string, r *raw, under *decoding, depth int) {
	t := tar.NewReader(r)
	for j.ctx.Err() == nil {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			_, err = io.Copy(io.Discard, r)
			j.failArchive(err)
			return
		case err != nil:
			if !j.tarGoesOn(name, r, under, err) {
				return
			}
			t = tar.NewReader(r)
		case h.Typeflag == tar.TypeReg:
			j.walkMember(name, h.Name, t, depth)
		}
	}
}

// tarGoesOn moves to the next member behind a damage. It notes the damage,
// unless a member that goes on behind it has told of it.
func (j *job) tarGoesOn(name string, r *raw, under *decoding, err error) (again bool) {
	at := j.file.at()
	if again = j.tarAgain(name, r, under, err); !again || err != j.told {
		j.failAt(&j.row.Input, at, explainTar(err))
	}
	return again
}

// tarAgain is tarGoesOn for a damage that is noted.
func (j *job) tarAgain(name string, r *raw, under *decoding, noted error) bool {
	for under != nil {
		if err := under.err; err != nil {
			if err == io.EOF || !damaged(err) {
				return false
			}
			if err != noted {
				j.failArchive(err)
			}
			lost, again := under.resync()
			j.lose(name, lost)
			if !again {
				return false
			}
		}
		// What was decoded before the damage may end the search once more.
		if findTar(r) {
			return true
		}
	}
	return findTar(r)
}

// findTar moves to the next header of a member.
func findTar(r *raw) bool {
	for {
		buf, err := r.Peek(rawSize)
		for at := 0; ; {
			i := bytes.Index(buf[at:], []byte(tarMagic))
			if i < 0 {
				break
			}
			if begin := at + i - tarMagicAt; begin >= 0 && isTarHeader(buf[begin:]) {
				r.Discard(begin)
				return true
			}
			at += i + 1
		}
		if err != nil {
			r.Discard(len(buf))
			return false
		}
		r.Discard(len(buf) - tarHeader)
	}
}

// lose accounts for bytes of an archive that belong to no member.
func (j *job) lose(name string, lost int64) {
	if lost == 0 {
		return
	}
	b := j.takeBatch()
	if b == nil {
		return
	}
	(&cutter{stream: &Stream{Name: name}}).lose(b, lost)
	j.r.ready <- item{b: b, input: j.member(name)}
}

func explainTar(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("truncated tar")
	case errors.Is(err, tar.ErrHeader):
		return &corruptError{"tar", errors.New("malformed header")}
	}
	return err
}
