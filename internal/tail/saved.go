package tail

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/flagwatch/flagwatch/internal/source"
)

// savedVersion is of the JSON that Save writes.
const savedVersion = 1

// Saved is what a Tailer knows of its streams at the places that were
// committed.
type Saved struct {
	Version int           `json:"version"`
	Streams []SavedStream `json:"streams"`
}

// A SavedStream is one log.
type SavedStream struct {
	Dir         string            `json:"dir"`
	Base        string            `json:"base,omitempty"` // "" in a container's directory
	Input       string            `json:"input,omitempty"`
	Position    int64             `json:"position"`           // bytes of the stream that were counted
	Skipping    bool              `json:"skipping,omitempty"` // within a record that is too long
	Carry       []byte            `json:"carry,omitempty"`    // bytes of a record that began in a finished generation
	Generations []SavedGeneration `json:"generations"`        // the last one is unfinished, if any
	Copies      []SavedCopy       `json:"copies,omitempty"`
}

// A SavedGeneration is one content of a log.
type SavedGeneration struct {
	Identity
	Path     string `json:"path"`
	Packed   bool   `json:"packed,omitempty"`
	Finished bool   `json:"finished,omitempty"`
	Cut      bool   `json:"truncated,omitempty"`
	Passed   bool   `json:"passed,omitempty"` // a copy that has more follows
	Offset   int64  `json:"offset"`           // counted bytes
	Size     int64  `json:"size"`             // bytes there when it was seen last
	Marker   string `json:"marker"`           // hash of what stands in front of Offset
}

// ParseSaved reads what Save wrote.
func ParseSaved(data []byte) (*Saved, error) {
	var v Saved
	if len(data) == 0 {
		return &v, nil
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, fmt.Errorf("saved positions: %w", err)
	}
	if v.Version > savedVersion {
		return nil, fmt.Errorf("saved positions are of version %d, this program knows up to %d", v.Version, savedVersion)
	}
	return &v, nil
}

// commit notes which places were committed.
func (s *stream) commit(at int64) {
	for i, m := range s.marks {
		if m.at == at {
			s.saved = m
			s.marks = append(s.marks[:0], s.marks[i+1:]...)
			return
		}
	}
}

// save describes a stream at its committed place.
func (s *stream) save() SavedStream {
	at := s.saved.at
	v := SavedStream{Dir: s.dir, Base: s.base, Input: s.src.Input, Position: at, Skipping: s.saved.skipping}
	idle := at == s.pos // all that was handed out is committed: what is held follows
	for _, g := range s.gens {
		end := g.end()
		switch {
		case !g.begun:
			return v
		case g.finished && end <= at:
			v.add(g, g.off, g.marker)
		case g.finished && idle && end <= at+int64(len(s.held)) && !g.apart:
			v.add(g, g.off, g.marker)
			v.Carry = s.held[:end-at]
		case g.base >= at:
			v.unfinished(g, 0, hashOf(nil))
			return v
		default:
			off := at - g.base
			marker, b := s.saved.marker, s.saved.before
			switch {
			case at == g.start && g.startMarker != "": // what stands before it in the stream is of another one
				marker = g.startMarker
			case marker == "":
				marker = hashOf(b[max(0, int64(len(b))-off):])
			}
			v.unfinished(g, off, marker)
			return v
		}
	}
	return v
}

func (v *SavedStream) add(g *generation, off int64, marker string) {
	v.Generations = append(v.Generations, SavedGeneration{g.id, g.path, g.packed, true, g.cut, g.passed, off, g.size, marker})
}

func (v *SavedStream) unfinished(g *generation, off int64, marker string) {
	v.Generations = append(v.Generations, SavedGeneration{g.id, g.path, g.packed, false, false, g.passed, off, g.size, marker})
}

// restore is the opposite of save; the files are still to be found.
func (s *stream) restore(v *SavedStream) {
	s.known = true
	s.pos, s.framer.Skipping = v.Position, v.Skipping
	s.held = v.Carry
	at := v.Position
	for _, x := range v.Generations {
		g := &generation{id: x.Identity, path: x.Path, packed: x.Packed, finished: x.Finished, cut: x.Cut, passed: x.Passed, off: x.Offset, size: x.Size, marker: x.Marker, begun: true}
		g.label, _ = labelOf(v.Base, filepath.Base(x.Path))
		g.base = at - g.off
		if g.finished {
			s.at++
		} else {
			g.base = s.end() - g.off
		}
		s.gens = append(s.gens, g)
	}
	s.saved = mark{at: s.pos, skipping: s.framer.Skipping}
	if n := len(v.Generations); n > 0 {
		s.saved.marker = v.Generations[n-1].Marker
	}
	s.restoreCopies(v)
}

// save notes what was committed and appends what is to be known of all streams.
func (f *follower) save(list []SavedStream, ends map[*source.Stream]int64) []SavedStream {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.order {
		if at, ok := ends[&s.src]; ok {
			s.commit(at)
		}
		if s.known {
			v := s.save()
			s.saveCopies(&v)
			v.Carry = bytes.Clone(v.Carry)
			list = append(list, v)
		}
	}
	for _, s := range f.saved { // it has not begun
		list = append(list, *s)
	}
	return list
}
