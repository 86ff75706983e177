package sinks

import (
	"hash/maphash"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// maxFaces is how many are remembered before it starts afresh.
const maxFaces = maxProfiles

// faces remember the profiles of records by their bytes, so that most failed
// records need not be taken apart. They hold for one epoch.
type faces struct {
	seed  maphash.Seed
	slots []face
	used  int
}

// A face is a record's bytes that decide about its profile, as a hash.
type face struct {
	hash    uint64
	profile *profile // nil: free
}

func newFaces() faces { return faces{seed: maphash.MakeSeed()} }

// faceColumns are the columns that tell profiles apart beside a record's
// ending.
var faceColumns = [...]parser.Field{parser.UpstreamCluster, parser.Authority, parser.RouteName, parser.RequestedServerName}

// faceOf is the hash of a record's face; it is false when the bytes that decide
// are not at hand.
func (t *faces) faceOf(r *parser.Record, v *classify.Verdict, cause, proxy uint16) (uint64, bool) {
	ending, known := r.Ending(t.seed)
	if !known {
		return 0, false
	}
	h := fold(packVerdict(v, cause, proxy), uint64(r.Dialect)|uint64(classify.AnsweredBy(r))<<8)
	if v.Failed {
		h = ^h
	}
	h = fold(h, ending)
	for _, f := range faceColumns {
		h = fold(h, maphash.Bytes(t.seed, r.Bytes(f)))
	}
	return h, true
}

// find is the profile of a face, nil if it is new.
func (t *faces) find(h uint64) *profile {
	if len(t.slots) == 0 {
		return nil
	}
	return t.slots[t.slot(h)].profile
}

// slot is the place of a face, or the free one where it belongs.
func (t *faces) slot(h uint64) uint64 {
	mask := uint64(len(t.slots) - 1)
	i := h & mask
	for t.slots[i].profile != nil && t.slots[i].hash != h {
		i = (i + 1) & mask
	}
	return i
}

// put remembers a face that is new.
func (t *faces) put(h uint64, p *profile) {
	if t.used == maxFaces {
		t.reset()
	}
	if 2*(t.used+1) > len(t.slots) {
		old := t.slots
		t.slots = make([]face, max(64, 2*len(old)))
		for _, f := range old {
			if f.profile != nil {
				t.slots[t.slot(f.hash)] = f
			}
		}
	}
	t.used++
	t.slots[t.slot(h)] = face{h, p}
}

func (t *faces) reset() {
	clear(t.slots)
	t.used = 0
}
