package tail

import "github.com/fsnotify/fsnotify"

// Hints are the kernel's word that a file which nothing came of for a while
// has changed. They only make it be looked at sooner: without them, or when
// one is missed, it is found by asking. A busy file is not watched, as every
// write would be told.
type hints struct {
	w       *fsnotify.Watcher
	wake    chan struct{}
	paths   map[string]*stream
	watched map[*stream]string
	arrived chan string
	full    bool // no more watches are to be had
}

// newHints returns nil where the kernel gives no hints.
func newHints() *hints {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil
	}
	h := &hints{w: w, wake: make(chan struct{}, 1), paths: map[string]*stream{}, watched: map[*stream]string{}, arrived: make(chan string, 256)}
	go h.listen()
	return h
}

// listen ends when the watcher is closed.
func (h *hints) listen() {
	for e := range h.w.Events {
		select {
		case h.arrived <- e.Name:
		default: // it will be found by asking
		}
		select {
		case h.wake <- struct{}{}:
		default:
		}
	}
}

// take returns the streams that hints have come for; they are watched no more.
func (h *hints) take() (list []*stream) {
	if h == nil {
		return nil
	}
	for {
		select {
		case name := <-h.arrived:
			if s := h.paths[name]; s != nil {
				h.forget(s)
				list = append(list, s)
			}
			continue
		default:
		}
		return list
	}
}

// watch watches a stream that has become idle.
func (h *hints) watch(s *stream) {
	g := s.current()
	if h == nil || h.full || g == nil || h.watched[s] != "" {
		return
	}
	if err := h.w.Add(g.path); err != nil {
		h.full = !notThere(err)
		return
	}
	h.watched[s], h.paths[g.path] = g.path, s
}

func (h *hints) watches(s *stream) bool { return h != nil && h.watched[s] != "" }

func (h *hints) forget(s *stream) {
	if h == nil || h.watched[s] == "" {
		return
	}
	path := h.watched[s]
	h.w.Remove(path)
	delete(h.watched, s)
	delete(h.paths, path)
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
