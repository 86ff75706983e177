package sinks

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// minShare is how many records there must be before a percentage means
// anything.
const minShare = 20

// number writes n with commas between thousands.
func number(n uint64) string {
	var space [32]byte
	b := strconv.AppendUint(space[:0], n, 10)
	for i := len(b) - 3; i > 0; i -= 3 {
		b = slices.Insert(b, i, ',')
	}
	return string(b)
}

// plural is "1 record", "2 records".
func plural(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// unlisted says how many values of a list are not shown. One that has as many as
// are kept may lack some, so of it only the least number is known.
func unlisted(n, length, kept int, one, many string) string {
	text := plural(uint64(n), one, many)
	if length >= kept {
		return "at least " + text
	}
	return text
}

// percent writes part of whole; it is empty when whole is too small to say.
func percent(part, whole uint64) string {
	if whole < minShare {
		return ""
	}
	p := 100 * float64(part) / float64(whole)
	switch {
	case part == 0:
		return "0 %"
	case part == whole:
		return "100 %"
	case p < 0.01:
		return "<0.01 %"
	case p < 1:
		return fmt.Sprintf("%.2f %%", p)
	}
	return fmt.Sprintf("%.1f %%", min(p, 99.9))
}

// size writes bytes in powers of 1000.
func size(n uint64) string {
	if n < 1000 {
		return plural(n, "byte", "bytes")
	}
	v, unit := float64(n)/1000, 0
	for v >= 999.95 && unit < 4 {
		v, unit = v/1000, unit+1
	}
	return fmt.Sprintf("%.1f %s", v, [...]string{"kB", "MB", "GB", "TB", "PB"}[unit])
}

// length writes a duration with its two largest units.
func length(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 86400:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	}
	return fmt.Sprintf("%dd%02dh", s/86400, s/3600%24)
}
