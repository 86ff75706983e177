package main

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// dateTimes are the layouts of a time in --since and --until beside RFC 3339.
// They are read as UTC, as the report prints them.
var dateTimes = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}

// when reads a time: how long ago, a date and time, or a clock time, which is
// the last one that was.
func when(text string, now time.Time) (time.Time, error) {
	if ago, ok := duration(text); ok {
		return now.Add(-ago), nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at, nil
	}
	for _, layout := range dateTimes {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	for _, layout := range []string{"15:04:05", "15:04"} {
		if at, err := time.Parse(layout, text); err == nil {
			return lastClock(at, now.UTC()), nil
		}
	}
	return time.Time{}, errors.New("want how long ago such as 15m or 2d, a time such as 2026-03-17T10:00:00Z, or a clock time such as 09:30 (UTC)")
}

func lastClock(clock, now time.Time) time.Time {
	at := time.Date(now.Year(), now.Month(), now.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0, time.UTC)
	if at.After(now) {
		at = at.AddDate(0, 0, -1)
	}
	return at
}

// duration reads a duration of Go's, which may begin with weeks and days.
func duration(text string) (sum time.Duration, ok bool) {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}} {
		count, rest, found := strings.Cut(text, unit.name)
		if !found {
			continue
		}
		n, err := strconv.ParseUint(count, 10, 16)
		if err != nil {
			return 0, false
		}
		sum += time.Duration(n) * unit.size
		if text = rest; text == "" {
			return sum, true
		}
	}
	rest, err := time.ParseDuration(text)
	return sum + rest, err == nil && rest >= 0
}
