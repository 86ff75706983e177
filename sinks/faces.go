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

// faceOf is the hash of a record's face and of its verdict; it is false when the
// bytes that decide are not at hand. The causes of a classifier are its own, so
// the rule tells all of a verdict to whoever knows the cause.
func (t *faces) faceOf(r *parser.Record, v *classify.Verdict, proxy uint16) (uint64, bool) {
	if v.Rule() == 0 && v.Cause != nil {
		return 0, false
	}
	h, known := r.Face(t.seed)
	verdict := uint64(v.Rule()) | uint64(proxy)<<16 | uint64(v.Side)<<32 | uint64(v.Confidence)<<40
	if v.Failed {
		verdict |= 1 << 48
	}
	return fold(h, verdict), known
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

// put remembers a face.
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
	f := &t.slots[t.slot(h)]
	if f.profile == nil {
		t.used++
	}
	*f = face{h, p}
}

func (t *faces) reset() {
	clear(t.slots)
	t.used = 0
}
