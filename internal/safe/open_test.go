//go:build unix

package safe

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A tree is the folders of a node: two allowed roots, and a secret outside.
type tree struct{ dir, pods, containers, secret string }

func newTree(t *testing.T) tree {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	n := tree{dir, filepath.Join(dir, "pods"), filepath.Join(dir, "containers"), filepath.Join(dir, "secret")}
	for _, d := range []string{n.pods, n.containers, filepath.Join(n.pods, "shop_web_1")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	n.write(t, n.secret, "secret")
	n.write(t, filepath.Join(n.pods, "shop_web_1", "0.log"), "log")
	return n
}

func (n tree) write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (n tree) link(t *testing.T, target, name string) string {
	t.Helper()
	path := filepath.Join(n.containers, name)
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func (n tree) roots(t *testing.T) *Roots {
	t.Helper()
	r, err := OpenRoots(n.containers, n.pods)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestRootsOpenWhatLiesInside(t *testing.T) {
	n := newTree(t)
	r, log := n.roots(t), filepath.Join(n.pods, "shop_web_1", "0.log")
	n.link(t, "absolute.log", "twice.log")
	for name, path := range map[string]string{
		"file":                  log,
		"absolute link":         n.link(t, log, "absolute.log"),
		"relative link":         n.link(t, "../pods/shop_web_1/0.log", "relative.log"),
		"link to a directory":   filepath.Join(n.link(t, filepath.Join(n.pods, "shop_web_1"), "dir"), "0.log"),
		"link to a link":        filepath.Join(n.containers, "twice.log"),
		"dots that stay inside": filepath.Join(n.containers, "x", "..", "..", "pods", "shop_web_1", "0.log"),
	} {
		f, resolved, err := r.Open(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := io.ReadAll(f)
		f.Close()
		if err != nil || string(text) != "log" || resolved != log {
			t.Errorf("%s: read %q as %s, %v", name, text, resolved, err)
		}
	}
}

// A root whose own name has a link in it is found by both names.
func TestRootsKnowTheirResolvedName(t *testing.T) {
	n := newTree(t)
	other := filepath.Join(n.dir, "var-log-pods")
	if err := os.Symlink(n.pods, other); err != nil {
		t.Fatal(err)
	}
	r, err := OpenRoots(other)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, dir := range []string{other, n.pods} {
		f, resolved, err := r.Open(filepath.Join(dir, "shop_web_1", "0.log"))
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if want := filepath.Join(other, "shop_web_1", "0.log"); resolved != want {
			t.Errorf("%s: named %s, want %s", dir, resolved, want)
		}
	}
}

// S23: links that lead out of the roots.
func TestRootsRefuseWhatLiesOutside(t *testing.T) {
	n := newTree(t)
	r := n.roots(t)
	n.link(t, "loop2", "loop1")
	n.link(t, "loop1", "loop2")
	n.link(t, n.dir, "up")
	last := filepath.Join(n.pods, "shop_web_1", "0.log")
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
		last = n.link(t, last, name)
	}
	for name, path := range map[string]string{
		"outside":                     n.secret,
		"absolute link":               n.link(t, n.secret, "1.log"),
		"relative link":               n.link(t, "../secret", "2.log"),
		"relative link in a folder":   n.link(t, "../pods/shop_web_1/../../secret", "3.log"),
		"directory link":              filepath.Join(n.containers, "up", "secret"),
		"link through directory link": n.link(t, "up/secret", "4.log"),
		"system file":                 n.link(t, "/etc/passwd", "5.log"),
		"root of a process":           n.link(t, "/proc/self/root"+n.secret, "6.log"),
		"descriptor":                  n.link(t, "/dev/fd/0", "7.log"),
		"loop":                        filepath.Join(n.containers, "loop1"),
		"link to itself":              n.link(t, "self.log", "self.log"),
		"dots":                        filepath.Join(n.containers, "..", "secret"),
		"neighbour with its prefix":   n.pods + "-other/0.log",
		"nine links":                  last,
	} {
		f, _, err := r.Open(path)
		if err == nil {
			f.Close()
			t.Errorf("%s was opened", name)
		}
		if refused, ok := errors.AsType[*RefusedError](err); !ok || !strings.HasPrefix(refused.Error(), path+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrorsNameTheWholePath(t *testing.T) {
	n := newTree(t)
	path := filepath.Join(n.pods, "shop_web_1", "1.log")
	_, _, err := n.roots(t).Open(path)
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if _, err := OpenRoots(filepath.Join(n.dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// S23: a directory and a link to the outside change places all the time; no
// byte from outside is ever read.
func TestSwapsLeadNowhere(t *testing.T) {
	n := newTree(t)
	r := n.roots(t)
	evil := filepath.Join(n.dir, "evil")
	if err := os.Mkdir(evil, 0o700); err != nil {
		t.Fatal(err)
	}
	n.write(t, filepath.Join(evil, "0.log"), "secret")
	pod, spare := filepath.Join(n.pods, "shop_web_1"), filepath.Join(n.dir, "spare")
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				os.Rename(pod, spare)
				os.Symlink(evil, pod)
				os.Remove(pod)
				os.Rename(spare, pod)
				file := filepath.Join(pod, "0.log")
				os.Rename(file, file+".1")
				os.Symlink(n.secret, file)
				os.Remove(file)
				os.Rename(file+".1", file)
			}
		}
	})
	opened := 0
	for range 5000 {
		f, _, err := r.Open(filepath.Join(pod, "0.log"))
		if err != nil {
			continue
		}
		text, err := io.ReadAll(f)
		f.Close()
		if err != nil || string(text) != "log" {
			t.Errorf("read %q, %v", text, err)
		}
		opened++
	}
	close(stop)
	swapper.Wait()
	if opened == 0 {
		t.Error("the file was never opened")
	}
}

// S24: what is no file is refused at once, by both ways to open.
func TestOnlyRegularFiles(t *testing.T) {
	n := newTree(t)
	r := n.roots(t)
	pipe, socket := filepath.Join(n.pods, "pipe.log"), filepath.Join(n.pods, "s.log")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	opens := map[string]func(string) (*os.File, error){
		"file": OpenFile,
		"root": func(p string) (*os.File, error) { f, _, err := r.Open(p); return f, err },
	}
	for how, open := range opens {
		for path, kind := range map[string]string{pipe: "a named pipe", socket: "a socket", n.pods: "a directory", "/dev/zero": "a device"} {
			begin := time.Now()
			f, err := open(path)
			if err == nil {
				f.Close()
				t.Errorf("%s: %s was opened", how, path)
				continue
			}
			if took := time.Since(begin); took > time.Second {
				t.Errorf("%s: %s took %v", how, path, took)
			}
			if how == "root" && path == "/dev/zero" {
				kind = "outside"
			}
			if !strings.Contains(err.Error(), kind) {
				t.Errorf("%s: %v", how, err)
			}
		}
	}
}

func TestOpenFileFollowsLinks(t *testing.T) {
	n := newTree(t)
	f, err := OpenFile(n.link(t, n.secret, "mine.log"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}
