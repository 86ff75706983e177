// Fastjson2 counts codes and flags of a JSON log the straightforward way: a
// fastjson parser that is used again for every line, and two keys.
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/valyala/fastjson"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: fastjson2 FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "fastjson2:", err)
		os.Exit(1)
	}
}

// An ending is what the loop counts; as a key of a map it costs no memory.
type ending struct {
	code  int
	flags string
}

func run(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	counts, err := count(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, e := range slices.SortedFunc(maps.Keys(counts), compare) {
		if _, err := fmt.Printf("%d %s %d\n", e.code, e.flags, *counts[e]); err != nil {
			return err
		}
	}
	return nil
}

func count(r io.Reader) (map[ending]*int, error) {
	counts := make(map[ending]*int)
	lines := bufio.NewReaderSize(r, 256<<10)
	var parser fastjson.Parser
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			return counts, nil
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		record, err := parser.ParseBytes(line)
		if err != nil {
			return nil, err
		}
		add(counts, record)
	}
}

func add(counts map[ending]*int, record *fastjson.Value) {
	code, flags := record.GetInt("response_code"), record.GetStringBytes("response_flags")
	if n := counts[ending{code, string(flags)}]; n != nil {
		*n++
		return
	}
	n := 1
	counts[ending{code, string(flags)}] = &n
}

func compare(a, b ending) int {
	return cmp.Or(a.code-b.code, strings.Compare(a.flags, b.flags))
}
