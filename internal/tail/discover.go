package tail

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
)

// DefaultContainers are the containers of a pod whose logs are of a proxy.
func DefaultContainers() []string {
	return parser.ProxyContainers()
}

// A find is a pattern or directory of an input, and what is known of it.
type find struct {
	input Input
	path  string
	dirs  map[string]listing
	links map[string]seen // what a matched name was when its stream was found
	next  time.Time       // patterns are matched no oftener than is cheap
}

type listing struct {
	changed time.Time
	full    time.Time
	settled bool
	next    time.Time // when it is asked about again
	paths   []string
}

// The containers of a pod appear soon after it does: it is asked about again
// after this part of the time since it changed, but no more rarely than that.
const (
	podPart  = 4
	podEvery = 10 * time.Second
)

func newFinds(inputs []Input) (list []find) {
	for _, in := range inputs {
		for _, p := range in.Paths {
			list = append(list, find{input: in, path: p, dirs: map[string]listing{}, links: map[string]seen{}})
		}
	}
	return list
}

// discover looks for streams.
func (f *follower) discover(now time.Time) {
	f.goOn()
	for i := range f.finds {
		d := &f.finds[i]
		if now.Before(d.next) {
			continue
		}
		begin := time.Now()
		if f.isDir(d.path) {
			f.pods(d, now)
		} else {
			f.paths(d, now)
		}
		d.next = now.Add(max(scanEvery, 50*time.Since(begin)) - time.Millisecond)
	}
	if f.rounds == 0 {
		f.claims.looked()
	}
	f.forgive()
	for _, s := range slices.Clone(f.order) {
		if s.over && s.current() == nil && len(s.held) == 0 && s.pos == s.saved.at {
			f.drop(s)
		}
	}
}

// forgive forgets the faults of what is there no more.
func (f *follower) forgive() {
	for _, path := range slices.Collect(maps.Keys(f.bad)) {
		if _, err := f.sys.Stat(path); notThere(err) {
			delete(f.bad, path)
		}
	}
}

// goOn takes up the saved streams, whether their names are there now or not.
// Those of an input that is configured no more are forgotten.
func (f *follower) goOn() {
	for _, v := range f.saved {
		for i := range f.finds {
			if d := &f.finds[i]; d.input.Name == v.Input {
				p, known := podPlace(v.Dir)
				if v.Base != "" || known && f.follows(d, p) {
					f.stream(d, v.Dir, v.Base, p)
				}
				break
			}
		}
	}
	clear(f.saved)
}

// away calls what may have to wait for the disk.
func (f *follower) away(wait func()) {
	f.mu.Unlock()
	defer f.mu.Lock()
	wait()
}

func (f *follower) isDir(path string) (is bool) {
	f.away(func() {
		info, err := os.Stat(path)
		is = err == nil && info.IsDir()
	})
	return is
}

func (f *follower) drop(s *stream) {
	delete(f.streams, key(s.dir, s.base))
	f.claims.end(key(s.dir, s.base))
	for _, g := range s.gens {
		f.claims.drop(inodeKey{g.id.Device, g.id.Inode}, s)
	}
	f.order = slices.DeleteFunc(f.order, func(x *stream) bool { return x == s })
	f.ready = slices.DeleteFunc(f.ready, func(x *stream) bool { return x == s })
	f.hint.forget(s)
}

// list is what a directory holds, read again when it has changed; asked says
// whether it was looked at for that.
func (f *follower) list(d *find, dir string, now time.Time) (paths []string, asked bool) {
	l, ok := d.dirs[dir]
	if ok && now.Before(l.next) {
		return l.paths, false
	}
	info, err := f.sys.Stat(dir)
	if err != nil {
		delete(d.dirs, dir)
		return nil, true
	}
	if ok && l.settled && l.changed.Equal(info.ModTime()) && now.Sub(l.full) < fullEvery {
		if dir != d.path {
			l.next = now.Add(min(time.Since(l.changed)/podPart, podEvery))
			d.dirs[dir] = l
		}
		return l.paths, true
	}
	names, err := f.sys.Names(dir)
	if err != nil {
		f.bad[dir] = reason(dir, err)
		return l.paths, true
	}
	delete(f.bad, dir)
	slices.Sort(names)
	for i := range names {
		names[i] = filepath.Join(dir, names[i])
	}
	d.dirs[dir] = listing{changed: info.ModTime(), full: now, settled: settled(info.ModTime(), time.Now()), paths: names}
	return names, true
}

// pods finds the containers below the kubelet's directory of pods.
func (f *follower) pods(d *find, now time.Time) {
	pods, _ := f.list(d, d.path, now)
	if len(d.dirs) > len(pods)+1 {
		maps.DeleteFunc(d.dirs, func(dir string, _ listing) bool {
			return dir != d.path && !slices.Contains(pods, dir)
		})
	}
	for _, pod := range pods {
		if strings.Count(filepath.Base(pod), "_") != 2 {
			continue
		}
		containers, asked := f.list(d, pod, now)
		if !asked {
			continue
		}
		for _, at := range containers {
			if p, ok := podPlace(at); ok && f.follows(d, p) {
				f.stream(d, at, "", p)
			}
		}
	}
}

// follows says whether a container's log is to be read. A tailer that counts
// its own log would never come to an end.
func (f *follower) follows(d *find, p place) bool {
	if f.opt.Self != "" && p.pod == f.opt.Self {
		return false
	}
	return slices.Contains(d.input.Containers, p.container)
}

// paths finds files by a name or a pattern.
func (f *follower) paths(d *find, now time.Time) {
	names, literal := []string{d.path}, true
	f.away(func() {
		if _, err := os.Lstat(d.path); err != nil && IsPattern(d.path) {
			names, _ = doublestar.FilepathGlob(d.path, doublestar.WithNoFollow(), doublestar.WithNoHidden())
			literal = false
		}
	})
	if len(d.links) > len(names) {
		maps.DeleteFunc(d.links, func(name string, _ seen) bool { return !slices.Contains(names, name) })
	}
	for _, name := range names {
		var info os.FileInfo
		var err error
		f.away(func() { info, err = os.Lstat(name) })
		if err != nil {
			continue
		}
		dev, ino, _ := inode(info)
		id := seen{device: dev, inode: ino}
		if d.links[name] == id && info.Mode()&os.ModeSymlink == 0 {
			continue
		}
		if f.file(d, name, literal) {
			d.links[name] = id
		}
	}
}

// file finds the stream of one file.
func (f *follower) file(d *find, name string, literal bool) bool {
	file, at, err := f.sys.Open(name)
	if err != nil {
		if !notThere(err) {
			if f.bad[name] == "" {
				f.counts.Refused++
			}
			f.bad[name] = reason(name, err)
		}
		return false
	}
	file.Close()
	delete(f.bad, name)
	dir, base := filepath.Dir(at), filepath.Base(at)
	p, known := podPlace(dir)
	if _, ok := labelOf("", base); known && ok {
		base = ""
	} else {
		p, known = place{}, false
		if at != name {
			p, known = linkPlace(filepath.Base(name))
		}
		if b := baseOf(base); !literal && f.isLog(dir, b) {
			base = b
		}
	}
	if known && !f.follows(d, p) {
		return true
	}
	f.stream(d, dir, base, p)
	return true
}

// isLog says whether there is a log of that name, or was until a moment ago.
func (f *follower) isLog(dir, base string) bool {
	if f.streams[key(dir, base)] != nil {
		return true
	}
	_, err := f.sys.Stat(filepath.Join(dir, base))
	return err == nil
}

func key(dir, base string) string { return dir + "\x00" + base }

// stream adds a stream, unless it is there.
func (f *follower) stream(d *find, dir, base string, p place) {
	k := key(dir, base)
	if !f.claims.begin(k) {
		return
	}
	s := &stream{dir: dir, base: base, aside: map[string]aside{}, rescan: true, once: f.opt.Once, framer: source.NewFramer(f.opt.Formats)}
	s.src.Name, s.src.Input = filepath.Join(dir, base), d.input.Name
	s.src.Namespace, s.src.Pod, s.src.Container = p.namespace, p.pod, p.container
	saved := f.saved[k]
	if saved == nil {
		saved = f.claims.adopt(k)
	}
	if saved != nil {
		delete(f.saved, k)
		s.restore(saved)
		f.held += len(s.held)
	}
	f.streams[k] = s
	f.order = append(f.order, s)
}
