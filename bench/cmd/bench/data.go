package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/flagwatch/flagwatch/bench/gen"
)

const (
	failShare = 0.06
	seed      = 1
)

// A file is generated data and the right answer for it.
type file struct {
	path   string
	size   int64 // wrappers included
	counts gen.Counts
}

// makeFiles generates what the cache does not have yet, by dialect.
func (c *config) makeFiles() (map[string]file, error) {
	files := make(map[string]file)
	for _, dialect := range []string{"istio-text", "istio-json", "cri"} {
		f, err := c.makeFile(dialect)
		if err != nil {
			return nil, err
		}
		files[dialect] = f
	}
	return files, nil
}

// makeFile writes the answer last: a file without one is made again.
func (c *config) makeFile(dialect string) (file, error) {
	path := filepath.Join(c.cache, fmt.Sprintf("%s-%d-%d-v%d.log", dialect, c.bytes, seed, gen.Version))
	if counts, err := readCounts(path + ".json"); err == nil {
		if info, err := os.Stat(path); err == nil {
			return file{path, info.Size(), counts}, nil
		}
	}
	fmt.Fprintln(os.Stderr, "generating", path)
	g, err := gen.New(gen.Config{Dialect: dialect, Fail: failShare, Seed: seed})
	if err != nil {
		return file{}, err
	}
	out, err := os.Create(path)
	if err != nil {
		return file{}, err
	}
	size, err := g.Write(out, c.bytes)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return file{}, err
	}
	answer, err := json.Marshal(g.Counts())
	if err != nil {
		return file{}, err
	}
	return file{path, size, g.Counts()}, os.WriteFile(path+".json", answer, 0o644)
}

func readCounts(path string) (c gen.Counts, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(data, &c)
}
