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

	leastGarbage = 8   // percent of what is in use
	mostGarbage  = 100 // what is in use may be much more soon: this is set after the fact
	firstGarbage = 200 // of the runtime's least heap, 4 MiB, until the first collection: the room for one log
)

// saveMemory keeps the heap small until stop is called, unless the environment
// says how far it may grow. Reading and counting allocate next to nothing once
// their tables are there, so that costs little. There is room for one log until
// forMany is called.
func saveMemory() (forMany, stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}, func() {}
	}
	var room atomic.Uint64 // 0: it is over
	room.Store(roomForOne)
	before := debug.SetGCPercent(firstGarbage)
	afterGC(func() (again bool) {
		most := room.Load()
		if most > 0 {
			debug.SetGCPercent(garbage(most, liveHeap()))
		}
		return most > 0
	})
	return func() { room.Store(roomForMany) }, func() {
		room.Store(0)
		debug.SetGCPercent(before)
	}
}

// giveBack gives what only reading needed back to the system, if that is much:
// a report wants memory of its own.
func giveBack() {
	if liveHeap() > roomForOne/2 {
		debug.FreeOSMemory()
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
