package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// What the heap may grow to before it is kept close to what is in use, so that
// a run stays within 32 MiB resident for one log and 64 MiB for many.
const (
	roomForOne  = 8 << 20
	roomForMany = 24 << 20

	leastGarbage = 12  // percent of what is in use
	mostGarbage  = 100 // what is in use may be much more soon: this is set after the fact
)

// saveMemory keeps the heap small until stop is called, unless the environment
// says how far it may grow. Reading and counting allocate next to nothing once
// their tables are there, so that costs little.
func saveMemory(inputs int) (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	room := uint64(roomForOne)
	if inputs > 1 {
		room = roomForMany
	}
	var stopped atomic.Bool
	before := debug.SetGCPercent(mostGarbage)
	afterGC(func() (again bool) {
		if !stopped.Load() {
			debug.SetGCPercent(garbage(room, liveHeap()))
		}
		return !stopped.Load()
	})
	return func() {
		stopped.Store(true)
		debug.SetGCPercent(before)
	}
}

// garbage is how many percent of what lives the heap may grow by, to fill the
// room or a little more.
func garbage(room, live uint64) int {
	if live >= room {
		return leastGarbage
	}
	return max(leastGarbage, int(min(mostGarbage, 100*(room-live)/max(live, 1))))
}

// liveHeap is how many bytes the last garbage collection has left.
func liveHeap() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// afterGC calls f after every garbage collection, as long as f wants it.
func afterGC(f func() (again bool)) {
	runtime.AddCleanup(new([64]byte), func(struct{}) {
		if f() {
			afterGC(f)
		}
	}, struct{}{})
}
