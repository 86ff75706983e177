package main

import (
	"testing"
	"time"
)

func TestWhen(t *testing.T) {
	now := time.Date(2026, 3, 17, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"15m":                       "2026-03-17T09:45:00Z",
		"0s":                        "2026-03-17T10:00:00Z",
		"1h30m":                     "2026-03-17T08:30:00Z",
		"2d":                        "2026-03-15T10:00:00Z",
		"1w2d3h":                    "2026-03-08T07:00:00Z",
		"2026-03-01T09:00:00Z":      "2026-03-01T09:00:00Z",
		"2026-03-01T09:00:00+02:00": "2026-03-01T07:00:00Z",
		"2026-03-01T09:00:00.5Z":    "2026-03-01T09:00:00.5Z",
		"2026-03-01 09:00":          "2026-03-01T09:00:00Z",
		"2026-03-01":                "2026-03-01T00:00:00Z",
		"09:30":                     "2026-03-17T09:30:00Z",
		"10:00":                     "2026-03-17T10:00:00Z",
		"10:00:01":                  "2026-03-16T10:00:01Z",
		"23:59":                     "2026-03-16T23:59:00Z",
	} {
		got, err := when(text, now)
		if err != nil || got.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%s: %v, %v, want %s", text, got.UTC(), err, want)
		}
	}
	for _, text := range []string{"", "soon", "-5m", "5", "d", "1.5d", "25:00", "2026-02-30", "9999999d"} {
		if got, err := when(text, now); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "64MiB": 64 << 20, "2GiB": 2 << 30, "100KiB": 100 << 10} {
		if n, ok := size(text); !ok || n != want {
			t.Errorf("%s: %d, %v", text, n, ok)
		}
	}
	for _, text := range []string{"", "0", "-1MiB", "MiB", "64 MiB", "64mb", "9999999999GiB"} {
		if n, ok := size(text); ok {
			t.Errorf("%q: %d", text, n)
		}
	}
}
