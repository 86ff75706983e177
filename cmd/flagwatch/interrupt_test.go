package main

import (
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestOnePressOfCtrlC demands that a signal which comes twice loses no report,
// and that a person who presses again is obeyed at once.
func TestOnePressOfCtrlC(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		gaps []time.Duration // before each signal behind the first
		ends bool
	}{
		{nil, false},
		{[]time.Duration{0}, false},
		{[]time.Duration{500 * time.Microsecond}, false},
		{[]time.Duration{3 * ms}, false},
		{[]time.Duration{20 * ms, 20 * ms, 20 * ms}, false},
		{[]time.Duration{499 * ms}, false},
		{[]time.Duration{500 * ms}, true},
		{[]time.Duration{300 * ms, 300 * ms}, true},
		{[]time.Duration{time.Hour}, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			signals := make(chan os.Signal, 2)
			first, second := 0, 0
			go obey(signals, func() { first++ }, func() { second++ })
			signals <- os.Interrupt
			synctest.Wait()
			if first != 1 {
				t.Errorf("%v: the first signal is not obeyed at once", c.gaps)
			}
			for _, gap := range c.gaps {
				time.Sleep(gap)
				signals <- os.Interrupt
				synctest.Wait()
			}
			if ended := second == 1; ended != c.ends || first != 1 {
				t.Errorf("%v: first %d times, second %d times", c.gaps, first, second)
			}
			close(signals)
		})
	}
}
