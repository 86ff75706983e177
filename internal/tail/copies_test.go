//go:build unix

package tail

import (
	"bytes"
	"compress/gzip"
	"os"
	"testing"
	"time"
)

// pack writes a packed copy of a file and leaves the file.
func (r *rig) pack(from, to string) *rig {
	r.t.Helper()
	data, err := os.ReadFile(r.path(from))
	r.check(err)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err = z.Write(data)
	r.check(err)
	r.check(z.Close())
	r.check(os.WriteFile(r.path(to), b.Bytes(), 0o644))
	return r
}

// half writes half of what a copy of a file will be.
func (r *rig) half(from, to string) *rig {
	r.t.Helper()
	data, err := os.ReadFile(r.path(from))
	r.check(err)
	r.check(os.WriteFile(r.path(to), data[:len(data)/2], 0o644))
	return r
}

// A copy of a log beside it is counted once, whatever of it there is and
// whenever it appears, and is read as soon as it alone has something.
func TestCopies(t *testing.T) {
	history := Options{History: true}
	faults := []fault{
		{id: "packed, there from the start", run: func(r *rig) {
			r.append("x.log", lines(0, 900)).pack("x.log", "x.log.gz").pass(8*time.Second).append("x.log", lines(900, 910)).pass(3 * time.Second)
		}, want: lines(0, 910)},
		{id: "packed, with history", opt: history, run: func(r *rig) {
			r.append("x.log", lines(0, 900)).pack("x.log", "x.log.gz").pass(8*time.Second).append("x.log", lines(900, 910)).pass(3 * time.Second)
		}, want: lines(0, 910)},
		{id: "packed, of what is the beginning by now", opt: history, run: func(r *rig) {
			r.append("x.log", lines(0, 900)).pack("x.log", "x.log.gz").append("x.log", lines(900, 950)).pass(8 * time.Second)
		}, want: lines(0, 950)},
		{id: "short ones", opt: history, run: func(r *rig) {
			r.append("x.log", lines(0, 1)).pack("x.log", "x.log.gz").copy("x.log", "x.log.1").append("x.log", lines(1, 2)).pass(8 * time.Second)
		}, want: lines(0, 2)},
		{id: "plain, with history", opt: history, run: func(r *rig) {
			r.append("x.log", lines(0, 900)).copy("x.log", "x.log.1").copy("x.log", "x.log.20260317-101112").append("x.log", lines(900, 950)).pass(8 * time.Second)
		}, want: lines(0, 950)},
		{id: "a rotated file and its packed copy", opt: history, run: func(r *rig) {
			r.append("x.log.1", lines(0, 900)).pack("x.log.1", "x.log.1.gz").append("x.log", lines(900, 950)).pass(8 * time.Second)
		}, want: lines(0, 950)},
		{id: "two packed copies and no plain one", opt: history, run: func(r *rig) {
			r.append("x.log.1", lines(0, 900)).pack("x.log.1", "x.log.2.gz").gzip("x.log.1").append("x.log", lines(900, 950)).pass(8 * time.Second)
		}, want: lines(0, 950)},
		{id: "packed while it is followed", run: func(r *rig) {
			r.append("x.log", lines(0, 900)).pass(2*time.Second).pack("x.log", "x.log.gz").pass(3*time.Second).append("x.log", lines(900, 950)).pass(8 * time.Second)
		}, want: lines(0, 950)},
		{id: "packed while it is followed, then rotated", run: func(r *rig) {
			r.append("x.log", lines(0, 900)).pass(2*time.Second).pack("x.log", "x.log.gz").pass(3*time.Second).append("x.log", lines(900, 950)).
				rename("x.log", "x.log.1").append("x.log", lines(950, 960)).pass(8 * time.Second)
		}, want: lines(0, 960)},
		{id: "over a restart", run: func(r *rig) {
			r.append("x.log", lines(0, 900)).pass(2*time.Second).commit().pack("x.log", "x.log.gz").copy("x.log", "x.log.1").append("x.log", lines(900, 950)).start()
			r.pass(8 * time.Second)
		}, want: lines(0, 950)},
		{id: "a copy in the making", run: func(r *rig) {
			r.append("x.log", lines(0, 900)).pass(2*time.Second).half("x.log", "x.log.1").pass(3*time.Second).copy("x.log", "x.log.1").pass(3*time.Second).
				truncate("x.log", 0).append("x.log", lines(900, 950)).pass(8 * time.Second)
		}, want: lines(0, 950)},
		{id: "a copy in the making of a log that grows", run: func(r *rig) {
			r.append("x.log", lines(0, 900)).pass(2*time.Second).half("x.log", "x.log.1").append("x.log", lines(900, 905)).pass(3*time.Second).append("x.log", lines(905, 906)).copy("x.log", "x.log.1").
				truncate("x.log", 0).append("x.log", lines(906, 950)).pass(8 * time.Second)
		}, want: lines(0, 950)},
		{id: "a copy of what was read some time ago, then a truncation", run: func(r *rig) {
			r.append("x.log", lines(0, 900)).pass(2*time.Second).copy("x.log", "x.log.1").pass(3*time.Second).append("x.log", lines(900, 950)).pass(3*time.Second).
				truncate("x.log", 0).append("x.log", lines(950, 960)).pass(8 * time.Second)
		}, want: lines(0, 960)},
		{id: "packed and truncated", run: func(r *rig) {
			r.append("x.log", lines(0, 900)).pass(2*time.Second).append("x.log", lines(900, 950)).pack("x.log", "x.log.gz").
				truncate("x.log", 0).pass(3*time.Second).append("x.log", lines(950, 960)).pass(8 * time.Second)
		}, want: lines(0, 960)},
		{id: "packed where it stands", run: func(r *rig) {
			r.append("x.log", lines(0, 900)).pass(2*time.Second).commit().append("x.log", lines(900, 950)).gzip("x.log").append("x.log", lines(950, 960)).start()
			r.pass(8 * time.Second)
		}, want: lines(0, 960)},
		{id: "packed where it stood, again and again", opt: history, run: func(r *rig) {
			for i := range 5 {
				r.append("x.log", lines(10*i, 10*i+10)).pass(2 * time.Second).commit().gzip("x.log").start()
				r.pass(8 * time.Second)
			}
		}, want: lines(0, 50)},
		{id: "a packed copy of nothing stands in nobody's way", run: func(r *rig) {
			r.append("x.log", "").pack("x.log", "x.log.gz").append("x.log", lines(0, 900)).pass(2*time.Second).copy("x.log", "x.log.1").truncate("x.log", 0).pass(3*time.Second).
				gzip("x.log.1").append("x.log", lines(900, 950)).pass(8 * time.Second)
		}, want: lines(0, 950)},
		{id: "a copy of a finished generation in the making", run: func(r *rig) {
			r.append("x.log", lines(0, 900)).pass(2*time.Second).rename("x.log", "x.log.1").append("x.log", lines(900, 950)).pass(8*time.Second).half("x.log.1", "x.log.2").pass(3*time.Second).
				copy("x.log.1", "x.log.2").pass(8 * time.Second)
		}, want: lines(0, 950)},
		{id: "unpacked again", run: func(r *rig) {
			r.append("x.log", lines(0, 900)).pass(2*time.Second).copy("x.log", "kept").rename("x.log", "x.log.1").append("x.log", lines(900, 950)).pass(8*time.Second).gzip("x.log.1").pass(8*time.Second).
				half("kept", "x.log.1").pass(3*time.Second).copy("kept", "x.log.1").pass(8 * time.Second)
		}, want: lines(0, 950)},
		{id: "a copy of a log that is deleted unread", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).pass(2*time.Second).commit().append("x.log", lines(5, 900)).copy("x.log", "x.log.1").remove("x.log").append("x.log", lines(900, 950)).start()
			r.pass(8 * time.Second)
		}, want: lines(0, 950)},
		{id: "a packed one of more than the copy that is read", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).pass(2*time.Second).rename("x.log", "x.log.20260317-000001").append("kept", lines(5, 10)).copy("kept", "x.log.20260317-000002").pass(8 * time.Second)
			r.append("kept", lines(10, 20)).pack("kept", "x.log.20260317-000003.gz").pass(8*time.Second).append("x.log", lines(20, 22)).pass(8 * time.Second)
		}, want: lines(0, 22)},
		{id: "a packed one of more than one that was packed before", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).pass(2*time.Second).rename("x.log", "x.log.20260317-000001").append("kept", lines(5, 10)).pack("kept", "x.log.20260317-000002.gz").pass(8 * time.Second)
			r.append("kept", lines(10, 20)).pack("kept", "x.log.20260317-000003.gz").pass(8*time.Second).append("x.log", lines(20, 22)).pass(8 * time.Second)
		}, want: lines(0, 22)},
		{id: "the same beginning is no copy", opt: history, run: func(r *rig) {
			r.append("x.log.1", lines(0, 90)+lines(100, 101)).append("x.log", lines(0, 90)+lines(101, 102)).pass(8 * time.Second)
		}, want: lines(0, 90) + lines(100, 101) + lines(0, 90) + lines(101, 102)},
	}
	runFaults(t, faults)
	for i := range faults {
		faults[i].opt.System = noHandles{}
	}
	runFaults(t, faults)
}

// A pattern that also fits the copy finds one log.
func TestCopiesByPattern(t *testing.T) {
	r := newRig(t, Options{History: true}, "*")
	r.append("x.log", lines(0, 900)).pack("x.log", "x.log.gz").append("y.log", lines(1000, 1001)).pass(8 * time.Second)
	r.want(lines(0, 900) + lines(1000, 1001))
}

// A packed file that is no generation of a log that is there is a log itself.
func TestPackedAlone(t *testing.T) {
	for _, path := range []string{"x.log.gz", "*.gz", "*"} {
		r := newRig(t, Options{}, path)
		r.append("x.log.gz.tmp", lines(0, 9)).pack("x.log.gz.tmp", "x.log.gz").remove("x.log.gz.tmp").pass(5 * time.Second).commit().start()
		r.pass(5 * time.Second).want(lines(0, 9))
	}
}

// What was rotated is of its log, also while nothing has the log's name.
func TestNameIsGoneForAWhile(t *testing.T) {
	for _, down := range []bool{false, true} {
		r := newRig(t, Options{}, "*")
		r.append("x.log", lines(0, 900)).pass(2 * time.Second)
		if r.commit(); down {
			r.rename("x.log", "x.log.1").start()
		}
		if !down {
			r.rename("x.log", "x.log.1").pass(8 * time.Second)
		}
		r.gzip("x.log.1").pass(8*time.Second).append("x.log", lines(900, 910)).pass(8 * time.Second).want(lines(0, 910))
	}
}
