package main

import (
	"context"
	"os"
	"os/signal"
	"time"
)

// samePress is how long after a Ctrl-C another one is still the same press: a
// terminal signals the whole group, and whoever started the program, such as
// timeout, passes its own signal on.
const samePress = 500 * time.Millisecond

// interruptible returns a context that ends with the first Ctrl-C; the next
// press ends the program. A Ctrl-C that the parent ignores stays ignored.
func interruptible() context.Context {
	if signal.Ignored(os.Interrupt) {
		return context.Background()
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := make(chan os.Signal, 2)
	signal.Notify(c, os.Interrupt)
	go obey(c, cancel, func() { os.Exit(exitInterrupt) })
	return ctx
}

// obey calls first at the first signal and second at the next press. It returns
// then.
func obey(c <-chan os.Signal, first, second func()) {
	<-c
	pressed := time.Now()
	first()
	for range c {
		if time.Since(pressed) >= samePress {
			second()
			return
		}
	}
}
