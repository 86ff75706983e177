// Package gen writes access logs that look like a busy mesh: the same
// configuration always gives the same bytes, and the generator knows the right
// answer to every count it makes a reader look for.
package gen

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Version changes whenever the same Config gives other bytes; files made by
// another version are made again.
const Version = 1

// Config says what to write.
type Config struct {
	Dialect string  // one of Dialects
	Fail    float64 // share of failed requests, 0 to 1
	Seed    uint64
}

// Counts is the right answer for what a generator has written so far.
type Counts struct {
	Records int64            `json:"records"` // one line each
	Access  int64            `json:"access"`
	Failed  int64            `json:"failed"`
	Codes   map[string]int64 `json:"codes"` // access records by code and flags: "503 UF,URX", "200 -"
}

// A Generator writes records. It is not safe for concurrent use.
type Generator struct {
	rng    *rand.PCG
	layout layout
	fail   uint64 // a draw of 32 bits below it fails
	clock  int64  // ms since 1970 of the newest record's end
	stamp  stamp
	rec    record
	tally  []int64 // by outcome
	noise  int64   // lines that are no access record
	path   []byte  // the record's path
	inner  []byte  // the record before it is wrapped
}

// A layout renders one record at the end of dst.
type layout func(g *Generator, dst []byte) []byte

var layouts = []struct {
	name   string
	render layout
}{
	{"istio-text", appendIstioText},
	{"istio-json", appendIstioJSON},
	{"envoy-default", appendEnvoyDefault},
	{"cri", appendCRI},
	{"mixed", appendMixed},
	{"custom", appendCustom},
	{"distinct", appendDistinct},
	{"events-envoy", appendEnvoyEvents},
	{"events-proxy", appendProxyEvents},
	{"events-istiod", appendIstiodEvents},
	{"events-klog", appendKlogEvents},
	{"events-mixed", appendAllEvents},
}

// Dialects returns the names that a Config may carry.
func Dialects() []string {
	var names []string
	for _, l := range layouts {
		names = append(names, l.name)
	}
	return names
}

// New returns a generator at its first record.
func New(c Config) (*Generator, error) {
	i := slices.Index(Dialects(), c.Dialect)
	if i < 0 {
		return nil, fmt.Errorf("dialect %q: not one of %s", c.Dialect, strings.Join(Dialects(), ", "))
	}
	if c.Fail < 0 || c.Fail > 1 {
		return nil, fmt.Errorf("fail %v: not between 0 and 1", c.Fail)
	}
	return &Generator{
		rng:    rand.NewPCG(c.Seed, 0x666c6167),
		layout: layouts[i].render,
		fail:   uint64(c.Fail * (1 << 32)),
		clock:  firstMillisecond,
		tally:  make([]int64, len(outcomes)),
	}, nil
}

// Append appends one record with its newline.
func (g *Generator) Append(dst []byte) []byte { return append(g.layout(g, dst), '\n') }

// Write writes whole records until they hold n bytes, and returns the bytes
// written. Wrappers come on top of n: a wrapped file holds the same records
// as a bare one of the same seed.
func (g *Generator) Write(w io.Writer, n int64) (written int64, err error) {
	buf := make([]byte, 0, 300<<10)
	for held := int64(0); held < n; {
		before := len(buf)
		buf = g.Append(buf)
		held += int64(len(buf) - before - g.rec.wrapper)
		if len(buf) < 256<<10 && held < n {
			continue
		}
		m, err := w.Write(buf)
		written += int64(m)
		if err != nil {
			return written, fmt.Errorf("write generated log: %w", err)
		}
		buf = buf[:0]
	}
	return written, nil
}

// Counts returns the counts of all records so far.
func (g *Generator) Counts() Counts {
	c := Counts{Records: g.noise, Codes: make(map[string]int64)}
	for i, n := range g.tally {
		if n == 0 {
			continue
		}
		o := &outcomes[i]
		c.Codes[o.code+" "+o.flags] += n
		c.Access += n
		if o.failed {
			c.Failed += n
		}
	}
	c.Records += c.Access
	return c
}

// bits returns n random bits.
func (g *Generator) bits(n int) uint64 { return g.rng.Uint64() >> (64 - n) }

// ParseSize reads a number of bytes; K, M and G are powers of 1024.
func ParseSize(s string) (int64, error) {
	digits, shift := s, 0
	if unit := strings.LastIndexAny(s, "KMG"); unit > 0 && unit == len(s)-1 {
		digits, shift = s[:unit], 10*(1+strings.IndexByte("KMG", s[unit]))
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("size %q: not a number with K, M or G behind it", s)
	}
	return n << shift, nil
}
