package main

import "testing"

func TestGarbage(t *testing.T) {
	const MiB = 1 << 20
	for _, row := range []struct {
		room, live uint64
		want       int
	}{
		{8 * MiB, 0, mostGarbage}, {8 * MiB, 1 * MiB, mostGarbage}, {8 * MiB, 4 * MiB, 100}, {8 * MiB, 5 * MiB, 60},
		{8 * MiB, 8 * MiB, leastGarbage}, {8 * MiB, 100 * MiB, leastGarbage}, {24 * MiB, 16 * MiB, 50},
	} {
		if got := garbage(row.room, row.live); got != row.want {
			t.Errorf("%d live in a room of %d: %d %%, want %d", row.live, row.room, got, row.want)
		}
	}
}
