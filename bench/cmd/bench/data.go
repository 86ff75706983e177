package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/flagwatch/flagwatch/bench/gen"
)

const (
	failShare = 0.06
	seed      = 1
)

// A file is generated data and the right answer for it. The size is that of
// the text, also when it is compressed.
type file struct {
	path   string
	size   int64 // wrappers included
	counts gen.Counts
}

// A recipe says how a file is made.
type recipe struct {
	dialect string
	bytes   int64
	fail    float64
}

// recipes are the files of a size, by what jobs call them.
func recipes(bytes int64) map[string]recipe {
	list := map[string]recipe{
		"text":     {"istio-text", bytes, failShare},
		"json":     {"istio-json", bytes, failShare},
		"cri":      {"cri", bytes, failShare},
		"custom":   {"custom", bytes, failShare},
		"distinct": {"distinct", bytes, failShare},
		"failing":  {"istio-text", bytes, 1},
		"half":     {"istio-text", bytes / 2, failShare},
		"tiny":     {"istio-text", 1 << 10, failShare},
	}
	for _, emitter := range emitters {
		list["events-"+emitter] = recipe{"events-" + emitter, bytes / 2, failShare}
	}
	return list
}

// emitters are the programs around the access log whose events are measured,
// and all of them in one stream.
var emitters = []string{"envoy", "proxy", "istiod", "klog", "mixed"}

// makeFiles generates what the cache does not have yet.
func (c *config) makeFiles() (map[string]file, error) {
	files := make(map[string]file)
	for name, r := range recipes(c.bytes) {
		f, err := c.makeFile(r)
		if err != nil {
			return nil, err
		}
		files[name] = f
	}
	for name, pack := range packers {
		f, err := packed(files["text"], "."+name, pack)
		if err != nil {
			return nil, err
		}
		files[name] = f
	}
	return files, nil
}

// makeFile writes the answer last: a file without one is made again.
func (c *config) makeFile(r recipe) (file, error) {
	path := filepath.Join(c.cache, fmt.Sprintf("%s-%d-%d-v%d.log", r.name(), r.bytes, seed, gen.Version))
	if counts, err := readCounts(path + ".json"); err == nil {
		if info, err := os.Stat(path); err == nil {
			return file{path, info.Size(), counts}, nil
		}
	}
	fmt.Fprintln(os.Stderr, "generating", path)
	g, err := gen.New(gen.Config{Dialect: r.dialect, Fail: r.fail, Seed: seed})
	if err != nil {
		return file{}, err
	}
	size, err := write(path, func(w io.Writer) error {
		_, err := g.Write(w, r.bytes)
		return err
	})
	if err != nil {
		return file{}, err
	}
	answer, err := json.Marshal(g.Counts())
	if err != nil {
		return file{}, err
	}
	return file{path, size, g.Counts()}, os.WriteFile(path+".json", answer, 0o644)
}

func (r recipe) name() string {
	if r.fail == failShare {
		return r.dialect
	}
	return fmt.Sprintf("%s-fail%g", r.dialect, 100*r.fail)
}

// packers compress, by the ending of the file.
var packers = map[string]func(io.Writer) (io.WriteCloser, error){
	"gz":  func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
	"zst": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
}

// packed compresses a file, unless the cache has it.
func packed(f file, ending string, pack func(io.Writer) (io.WriteCloser, error)) (file, error) {
	from := f.path
	f.path += ending
	if _, err := os.Stat(f.path); err == nil {
		return f, nil
	}
	fmt.Fprintln(os.Stderr, "compressing", f.path)
	in, err := os.Open(from)
	if err != nil {
		return f, err
	}
	defer in.Close()
	_, err = write(f.path, func(out io.Writer) error {
		w, err := pack(out)
		if err != nil {
			return err
		}
		if _, err := io.Copy(w, in); err != nil {
			return err
		}
		return w.Close()
	})
	return f, err
}

// write makes a file appear whole or not at all, and returns its size.
func write(path string, fill func(io.Writer) error) (size int64, err error) {
	out, err := os.Create(path + ".new")
	if err != nil {
		return 0, err
	}
	err = fill(out)
	if err == nil {
		size, err = out.Seek(0, io.SeekEnd)
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return 0, err
	}
	return size, os.Rename(out.Name(), path)
}

func readCounts(path string) (c gen.Counts, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(data, &c)
}
