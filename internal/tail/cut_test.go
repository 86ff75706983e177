//go:build unix

package tail

import (
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/internal/source"
)

// What is cut off is lost as far as it was known and no copy has it; what comes
// in its place is read once, also by the next start.
func TestCuts(t *testing.T) {
	size := func(from, to int) map[source.Loss]int64 {
		return map[source.Loss]int64{source.TruncatedAway: int64(len(lines(from, to)))}
	}
	again := func(r *rig) { r.pass(8 * time.Second).commit().start(); r.pass(8 * time.Second) }
	faults := []fault{
		{id: "unread", run: func(r *rig) {
			r.append("x.log", lines(0, 9)).step(0)
			r.rename("x.log", "x.log.1").append("x.log", lines(9, 20)).look()
			r.truncate("x.log", 0).append("x.log", lines(20, 25))
			again(r)
		}, want: lines(0, 9) + lines(20, 25), lost: size(9, 20)},
		{id: "unread, and a copy has it", run: func(r *rig) {
			r.append("x.log", lines(0, 9)).step(0)
			r.rename("x.log", "x.log.1").append("x.log", lines(9, 20)).look()
			r.copy("x.log", "x.log.0").truncate("x.log", 0).append("x.log", lines(20, 25))
			again(r)
		}, want: lines(0, 25)},
		{id: "unread, and a packed copy has it", run: func(r *rig) {
			r.append("x.log", lines(0, 9)).step(0)
			r.rename("x.log", "x.log.1").append("x.log", lines(9, 20)).look()
			r.pack("x.log", "x.log.0.gz").truncate("x.log", 0).append("x.log", lines(20, 25))
			again(r)
		}, want: lines(0, 25)},
		{id: "unread, and what comes is longer", run: func(r *rig) {
			r.append("x.log", lines(0, 9)).step(0)
			r.rename("x.log", "x.log.1").append("x.log", lines(9, 20)).look()
			r.truncate("x.log", 0).append("x.log", lines(20, 90))
			again(r)
		}, want: lines(0, 9) + lines(20, 90), lost: size(9, 20)},
		{id: "read in part, and a packed copy has it", run: func(r *rig) {
			r.append("x.log", lines(0, 9)).step(0).append("x.log", lines(9, 20)).look()
			r.pack("x.log", "x.log.1.gz").truncate("x.log", 0).append("x.log", lines(20, 25))
			again(r)
		}, want: lines(0, 25)},
		{id: "half a line, and a copy has all of it", run: func(r *rig) {
			r.append("x.log", lines(0, 9)+lines(9, 10)[:50]).step(0).append("x.log", lines(9, 10)[50:]).copy("x.log", "x.log.1").truncate("x.log", 0).append("x.log", lines(10, 25))
			again(r)
		}, want: lines(0, 25)},
		{id: "half a line and no copy", run: func(r *rig) {
			r.append("x.log", lines(0, 9)+lines(9, 10)[:50]).step(0).truncate("x.log", 0).append("x.log", lines(10, 25))
			again(r)
		}, want: lines(0, 9) + lines(9, 10)[:50] + lines(10, 25)},
		{id: "its end", run: func(r *rig) {
			r.append("x.log", lines(0, 9)).step(0).append("x.log", lines(9, 20)).look()
			r.truncate("x.log", int64(len(lines(0, 15))))
			again(r)
		}, want: lines(0, 15), lost: size(15, 20)},
		{id: "while nobody reads", run: func(r *rig) {
			r.append("x.log", lines(0, 9)).step(0).append("x.log", lines(9, 20)).look()
			r.commit().truncate("x.log", 0).append("x.log", lines(20, 25)).start()
			again(r)
		}, want: lines(0, 9) + lines(20, 25), lost: size(9, 20)},
		{id: "while nobody reads, and a copy has it", run: func(r *rig) {
			r.append("x.log", lines(0, 9)).step(0).append("x.log", lines(9, 20)).look()
			r.commit().copy("x.log", "x.log.1").truncate("x.log", 0).append("x.log", lines(20, 25)).start()
			again(r)
		}, want: lines(0, 25)},
		{id: "half a line, and what comes begins alike", run: func(r *rig) {
			l := lines(9, 10)
			r.append("x.log", lines(0, 9)).step(0).truncate("x.log", 0).append("x.log", l[:9]).pass(time.Second)
			r.append("x.log", l[9:]).copy("x.log", "x.log.2").truncate("x.log", 0).rename("x.log", "x.log.1").append("x.log", lines(10, 25))
			again(r)
		}, want: lines(0, 25)},
		{id: "half a line, taken for finished, and its writer goes on", run: func(r *rig) {
			l := lines(9, 10)
			r.append("x.log", lines(0, 9)).step(0).truncate("x.log", 0).append("x.log", "").copy("x.log", "x.log.20260317-000003").append("x.log", l[:68]).pass(3 * time.Second)
			r.rename("x.log", "x.log.20260317-000004").pass(8*time.Second).rename("x.log.20260317-000004", "x.log").append("x.log", l[68:]+lines(10, 25))
			again(r)
		}, want: lines(0, 25)},
	}
	runFaults(t, faults)
	for i := range faults {
		faults[i].opt.System = noHandles{}
	}
	runFaults(t, faults)
}

// Packed files that begin with the few bytes that are known of another are
// other files.
func TestPackedThatBeginAlike(t *testing.T) {
	for _, system := range []System{Disk{}, noHandles{}} {
		r := newRig(t, Options{System: system})
		l := lines(5, 6)
		r.append("x.log", lines(0, 5)).pass(time.Second).rename("x.log", "x.log.20260317-000001").append("x.log", l[:16]).pass(8 * time.Second).commit()
		r.append("x.log", l[16:]).rename("x.log", "x.log.20260317-000002").gzip("x.log.20260317-000002").append("x.log", lines(6, 7)).start()
		r.pass(8 * time.Second).commit()
		r.rename("x.log", "x.log.20260317-000003").append("x.log.20260317-000004", lines(7, 9)).gzip("x.log.20260317-000004").append("x.log", lines(9, 12)).start()
		r.pass(8 * time.Second).commit().want(lines(0, 12))
	}
}

// A log that is deleted and made anew is read at once.
func TestMadeAnew(t *testing.T) {
	r := newRig(t, Options{})
	r.append("x.log", lines(0, 5)).pass(2 * time.Second)
	r.remove("x.log").append("x.log", lines(5, 9)).pass(scanEvery + pollEvery).want(lines(0, 9))
}
