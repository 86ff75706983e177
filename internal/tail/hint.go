package tail

import (
	"path/filepath"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"
)

// Hints are the kernel's word that something happened in a directory where
// nothing did for a while. They only make it be looked at sooner: without them,
// or when one is missed, it is found by asking. A busy directory is not
// watched, as every write would be told.
type hints struct {
	w       *fsnotify.Watcher
	wake    chan struct{}
	arrived chan string
	dirs    map[string][]*stream
	full    bool // no more watches are to be had
	missed  atomic.Bool
}

// newHints returns nil where the kernel gives no hints.
func newHints() *hints {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil
	}
	h := &hints{w: w, wake: make(chan struct{}, 1), arrived: make(chan string, 256), dirs: map[string][]*stream{}}
	go h.listen()
	return h
}

// listen ends when the watcher is closed.
func (h *hints) listen() {
	for {
		select {
		case e, ok := <-h.w.Events:
			if !ok {
				return
			}
			select {
			case h.arrived <- e.Name:
			default:
				h.missed.Store(true)
			}
		case _, ok := <-h.w.Errors: // the kernel had more to say than it could keep
			if !ok {
				return
			}
			h.missed.Store(true)
		}
		select {
		case h.wake <- struct{}{}:
		default:
		}
	}
}

// take returns the streams that hints have come for, or may have; they are
// watched no more.
func (h *hints) take() (list []*stream) {
	if h == nil {
		return nil
	}
	if h.missed.Swap(false) {
		for dir, streams := range h.dirs {
			list = append(list, streams...)
			h.unwatch(dir)
		}
	}
	for {
		select {
		case name := <-h.arrived:
			for _, dir := range []string{name, filepath.Dir(name)} {
				list = append(list, h.dirs[dir]...)
				h.unwatch(dir)
			}
		default:
			return list
		}
	}
}

// watch watches a stream that has become idle.
func (h *hints) watch(s *stream) {
	if h == nil || h.full || s.watched {
		return
	}
	if len(h.dirs[s.dir]) == 0 {
		if err := h.w.Add(s.dir); err != nil {
			h.full = !notThere(err)
			return
		}
	}
	h.dirs[s.dir], s.watched = append(h.dirs[s.dir], s), true
}

func (h *hints) unwatch(dir string) {
	if len(h.dirs[dir]) == 0 {
		return
	}
	h.w.Remove(dir) // it may be gone already
	for _, s := range h.dirs[dir] {
		s.watched = false
	}
	delete(h.dirs, dir)
}

// forget is for a stream that is no more.
func (h *hints) forget(s *stream) {
	if s.watched {
		h.unwatch(s.dir)
	}
}

// woken is nil, and so never ready, where there are no hints.
func (h *hints) woken() <-chan struct{} {
	if h == nil {
		return nil
	}
	return h.wake
}

func (h *hints) close() {
	if h != nil {
		h.w.Close()
	}
}
