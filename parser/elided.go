package parser

import "bytes"

// People who quote a record leave columns out and write three dots in their
// place. What stands in front of the dots is read like a line that breaks off
// there. Behind them columns can not be counted, so only what its own shape
// gives away is read: the cluster, and the upstream host in front of it.

// elision returns the offset of the first dots that stand alone outside of
// quotes; negative when there are none.
func elision(s []byte) int {
	for at := 0; ; {
		i := bytes.Index(s[at:], []byte(" ..."))
		if i < 0 {
			return -1
		}
		i += at + 1
		if at = i + len("..."); (at == len(s) || s[at] == ' ') && bytes.Count(s[:i], []byte{'"'})&1 == 0 {
			return i
		}
	}
}

// readBehind reads what stands behind the dots of a record whose front was
// just read.
func (p *Parser) readBehind(s []byte) {
	r := &p.rec
	r.Partial = true
	var before []byte
	for i := skipBlanks(s, 0); i < len(s) && !r.present.Has(UpstreamCluster); {
		end := wordEnd(s, i)
		word := s[i:end]
		_, value, named := bytes.Cut(word, []byte{'='})
		if !named {
			value = word
		}
		if name := bytes.TrimRight(bytes.Trim(value, "\"`"), "."); isClusterName(name) {
			p.keepCopy(UpstreamCluster, name)
			if n := len(before) - 1; n > 1 && before[0] == '"' && before[n] == '"' && isHostPort(before[1:n]) {
				p.keepCopy(UpstreamHost, before[1:n])
			}
			return
		}
		before, i = word, skipBlanks(s, end)
	}
}

// keepCopy stores a copy of a value, if it is wanted.
func (p *Parser) keepCopy(f Field, v []byte) {
	r := &p.rec
	r.layout |= 1 << f
	if p.want.Has(f) && !r.present.Has(f) {
		lo := len(r.scratch)
		r.scratch = append(r.scratch, v...)
		r.setScratch(f, lo)
	}
}
