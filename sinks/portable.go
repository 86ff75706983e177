package sinks

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/flagwatch/flagwatch/classify"
)

// maxState bounds what a snapshot in a report may unpack to.
const maxState = 256 << 20

// AttachSnapshot puts into the report all that RestoreSnapshot needs. In a
// redacted report the quoted records are redacted there, too, and there are no
// addresses of clients.
func (r *Report) AttachSnapshot() {
	s := r.snapshot
	if s == nil {
		return
	}
	if r.Redacted {
		s = s.redacted()
	}
	s.sum.combos.arrange()
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed) // the level is valid
	w.Write(s.AppendState(nil))                  // a Buffer takes all
	w.Close()
	r.Snapshot = base64.StdEncoding.EncodeToString(b.Bytes())
}

// ReadReport reads what WriteJSON wrote.
func ReadReport(data []byte) (*Report, error) {
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if r.APIVersion != apiVersion || r.Kind != "Report" {
		return nil, fmt.Errorf("is no report of %s: apiVersion %q, kind %q", apiVersion, r.APIVersion, r.Kind)
	}
	return &r, nil
}

// IsReport tells from its beginning whether a file is what WriteJSON writes.
func IsReport(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	key, value, _ := strings.Cut(strings.TrimLeft(string(head[1:]), " \t\r\n"), ":")
	return strings.TrimRight(key, " ") == `"apiVersion"` && strings.HasPrefix(strings.TrimLeft(value, " "), `"flagwatch.io/`)
}

// RestoreSnapshot returns the Snapshot that the report was computed from. find
// is that of the function of this name.
func (r *Report) RestoreSnapshot(find func(id string) *classify.Cause) (*Snapshot, error) {
	if r.Snapshot == "" {
		return nil, errors.New("has no snapshot: it was not written by -o json")
	}
	packed, err := base64.StdEncoding.DecodeString(r.Snapshot)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	state, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxState+1))
	if err == nil && len(state) > maxState {
		err = errors.New("too large")
	}
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	s, whole, err := RestoreSnapshot(state, find)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	if !whole {
		return nil, fmt.Errorf("snapshot: of version %q, which counts otherwise; merge what one version wrote", r.Version)
	}
	return s, nil
}

// redacted returns a copy that quotes no secrets and names no client.
func (s *Snapshot) redacted() *Snapshot {
	c := NewSnapshot()
	c.MergeSnapshot(s)
	d := c.sum
	for _, list := range []*samples{&d.invalidSamples, &d.suspiciousSamples, &d.noiseSamples, &d.kubectlSamples} {
		for i := range list.list[:list.n] {
			e := &list.list[i]
			e.length = uint8(copy(e.raw[:], redactedRaw(e.raw[:e.length])))
			clear(e.raw[e.length:])
		}
	}
	for _, g := range d.causes.list {
		for i := range g.samples.list[:g.samples.n] {
			e := &g.samples.list[i]
			e.setRaw(redactedRaw(e.raw()))
		}
		g.tops[byClient].reset()
		g.tops[byCaller].reset()
	}
	d.fleet.dropClients()
	d.dropClients()
	d.callers.redact()
	return c
}

func redactedRaw(raw []byte) []byte { return []byte(withoutAddresses(redact(string(raw)))) }

// dropClients drops the pairs of clients, and the names that only they use.
func (d *Delta) dropClients() {
	old, sights := d.pairs, newNames(d.sights.max)
	d.pairs = pairs{}
	for s := range old.list.all {
		p := s.pair
		switch p.dim {
		case byClient, byCaller:
			continue
		case byPath:
			p.name = sights.id(d.sights.name(p.name))
		}
		c := d.pairs.add(p, s.hash)
		c.n, c.when = s.n, s.when
	}
	d.sights = sights
}
