// Bench measures flagwatch beside the yardsticks and whatever peers are
// installed, and says which targets are met. bench/README.md explains it.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/bench/gen"
)

// A config is what the flags say.
type config struct {
	size   string
	bytes  int64
	rounds int
	save   bool
	cache  string // directory of data and programs, outside the tree
	root   string // of the module
}

func main() {
	size := flag.String("size", "1G", "bytes of records in each file; K, M and G are powers of 1024")
	rounds := flag.Int("rounds", 11, "interleaved runs of each job; the fastest counts")
	quick := flag.Bool("quick", false, "128M and 5 rounds, unless given")
	save := flag.Bool("save", false, "also write the tables to bench/runs/DATE-SIZE.md")
	flag.Parse()
	given := make(map[string]bool)
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if *quick && !given["size"] {
		*size = "128M"
	}
	if *quick && !given["rounds"] {
		*rounds = 5
	}
	if err := run(config{size: *size, rounds: *rounds, save: *save}); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(c config) (err error) {
	if c.bytes, err = gen.ParseSize(c.size); err != nil {
		return fmt.Errorf("-size: %w", err)
	}
	if c.rounds < 1 {
		return fmt.Errorf("-rounds %d: not above zero", c.rounds)
	}
	if err := c.locate(); err != nil {
		return err
	}
	if err := c.build(); err != nil {
		return err
	}
	files, err := c.makeFiles()
	if err != nil {
		return err
	}
	results, err := measure(makeJobs(c, files), c.rounds)
	if err != nil {
		return err
	}
	text := report(c, results)
	if _, err := fmt.Print(text); err != nil {
		return err
	}
	if !c.save {
		return nil
	}
	return c.saveRun(text)
}

// locate finds the cache directory and the module's root.
func (c *config) locate() error {
	dir, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("cache directory: %w", err)
	}
	c.cache = filepath.Join(dir, "flagwatch-bench")
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return fmt.Errorf("go env GOMOD: %w", err)
	}
	c.root = filepath.Dir(strings.TrimSpace(string(mod)))
	return nil
}

// build compiles what is measured into the cache.
func (c *config) build() error {
	bin := filepath.Join(c.cache, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/flagwatch", "./bench/cmd/loop", "./bench/cmd/codes", "./bench/cmd/fastjson2", "./bench/cmd/inflate")
	cmd.Dir = c.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

func (c *config) program(name string) string { return filepath.Join(c.cache, "bin", name) }

func (c *config) saveRun(text string) error {
	dir := filepath.Join(c.root, "bench", "runs")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, time.Now().Format("2006-01-02")+"-"+c.size+".md")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	_, err := fmt.Fprintln(os.Stderr, "saved", path)
	return err
}
