// Codes counts codes and flags of a log through the library and nothing else:
// what a program of one's own costs that asks for the smallest set of fields.
package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/flagwatch/flagwatch/parser"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: codes FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "codes:", err)
		os.Exit(1)
	}
}

func run(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	c := counter{parser: parser.NewParser(parser.Fields(parser.ResponseCode, parser.ResponseFlags)), flagged: make(map[ending]int)}
	if err := c.read(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return c.print()
}

// An ending is what is counted.
type ending struct {
	code  int
	flags parser.FlagSet
}

type counter struct {
	parser  *parser.Parser
	state   parser.FrameState
	plain   [1000]int // records without flags, by code
	flagged map[ending]int
}

// block is how many bytes are read at once, like in bench/cmd/loop.
const block = 256 << 10

func (c *counter) read(r io.Reader) error {
	buf, kept := make([]byte, 2*block+parser.Padding), 0
	for {
		n, err := r.Read(buf[kept : kept+block])
		data := buf[:kept+n]
		end := parser.Cut(data, &c.state)
		if err == io.EOF {
			end = len(data)
		}
		c.count(data[:end])
		if kept = copy(buf, data[end:]); kept > block {
			return fmt.Errorf("a record of more than %d bytes", block)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (c *counter) count(data []byte) {
	c.parser.Reset(data)
	for r, ok := c.parser.Next(); ok; r, ok = c.parser.Next() {
		if r.Kind != parser.Access {
			continue
		}
		code, _ := r.Code()
		if flags, _ := r.Flags(); flags == 0 {
			c.plain[code]++
		} else {
			c.flagged[ending{code, flags}]++
		}
	}
}

func (c *counter) print() error {
	for code, n := range c.plain {
		if n > 0 {
			c.flagged[ending{code: code}] = n
		}
	}
	for _, e := range slices.SortedFunc(maps.Keys(c.flagged), compare) {
		if _, err := fmt.Printf("%d %s %d\n", e.code, name(e.flags), c.flagged[e]); err != nil {
			return err
		}
	}
	return nil
}

func name(set parser.FlagSet) string {
	if set == 0 {
		return "-"
	}
	var names []string
	for f := range set.All {
		names = append(names, f.String())
	}
	return strings.Join(names, ",")
}

func compare(a, b ending) int { return cmp.Or(a.code-b.code, cmp.Compare(a.flags, b.flags)) }
