package parser_test

import (
	"bytes"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/bench/gen"
	"github.com/flagwatch/flagwatch/parser"
)

// smallSet is what counting by code and flags needs.
var smallSet = parser.Fields(parser.ResponseCode, parser.ResponseFlags)

// What the generator wrote is what the parser reads, in every dialect.
func TestBenchmarkDataIsRead(t *testing.T) {
	for _, dialect := range gen.Dialects() {
		blocks, _, counts := generate(t, dialect, 2<<20)
		p, got := parser.NewParser(smallSet, formatsOf(t, dialect)...), make(map[ending]int64)
		for _, block := range blocks {
			p.Reset(block)
			for r, ok := p.Next(); ok; r, ok = p.Next() {
				if r.Kind == parser.Access {
					code, _ := r.Code()
					flags, _ := r.Flags()
					got[ending{code, flags}]++
				}
			}
		}
		want := make(map[ending]int64)
		for text, n := range counts.Codes {
			want[endingOf(t, text)] += n
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: codes and flags\n got %v\nwant %v", dialect, got, want)
		}
	}
}

type ending struct {
	code  int
	flags parser.FlagSet
}

// endingOf reads a key of gen.Counts: "503 UF,URX".
func endingOf(t *testing.T, text string) (e ending) {
	t.Helper()
	code, list, _ := strings.Cut(text, " ")
	var err error
	if e.code, err = strconv.Atoi(code); err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(list, ",") {
		if f, ok := parser.FlagByName(name); ok {
			e.flags |= parser.FlagsOf(f)
		} else if name != "-" {
			t.Fatalf("%q is no flag", name)
		}
	}
	return e
}

func BenchmarkNext(b *testing.B) {
	sets := []struct {
		name string
		want parser.FieldSet
	}{{"code+flags", smallSet}, {"all", parser.AllFields}}
	for _, dialect := range gen.Dialects() {
		blocks, size, counts := generate(b, dialect, 8<<20)
		for _, set := range sets {
			b.Run(dialect+"/"+set.name, func(b *testing.B) {
				p := parser.NewParser(set.want, formatsOf(b, dialect)...)
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					if access := countAccess(p, blocks); access != counts.Access {
						b.Fatalf("%d access records, want %d", access, counts.Access)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(counts.Records), "ns/record")
			})
		}
	}
}

// formatsOf is what a parser must be given to read a dialect of the generator.
func formatsOf(tb testing.TB, dialect string) []*parser.Format {
	tb.Helper()
	if dialect != "custom" {
		return nil
	}
	f, err := parser.Compile(gen.CustomFormat)
	if err != nil {
		tb.Fatal(err)
	}
	return []*parser.Format{f}
}

func countAccess(p *parser.Parser, blocks [][]byte) (access int64) {
	for _, block := range blocks {
		p.Reset(block)
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			if r.Kind == parser.Access {
				access++
			}
		}
	}
	return access
}

// generate returns about n bytes of a dialect in blocks of whole lines, each
// with the padding that Reset asks for.
func generate(tb testing.TB, dialect string, n int64) (blocks [][]byte, size int64, counts gen.Counts) {
	tb.Helper()
	g, err := gen.New(gen.Config{Dialect: dialect, Fail: 0.06, Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	var all bytes.Buffer
	if size, err = g.Write(&all, n); err != nil {
		tb.Fatal(err)
	}
	for rest := all.Bytes(); len(rest) > 0; {
		end := bytes.LastIndexByte(rest[:min(len(rest), 256<<10)], '\n') + 1
		blocks = append(blocks, append(make([]byte, 0, end+parser.Padding), rest[:end]...))
		rest = rest[end:]
	}
	return blocks, size, g.Counts()
}

// BenchmarkGiven reads a product's records by the product's format as if it
// were somebody's own, beside the reader that knows the product.
func BenchmarkGiven(b *testing.B) {
	for _, row := range []struct{ data, dialect string }{{"istio-text", "istio-text-1.9-1.22"}, {"istio-json", "istio-json-1.9-1.24"}} {
		blocks, size, counts := generate(b, row.data, 8<<20)
		for _, given := range []bool{false, true} {
			for name, want := range map[string]parser.FieldSet{"code+flags": smallSet, "all": parser.AllFields} {
				b.Run(fmt.Sprintf("%s/given=%v/%s", row.data, given, name), func(b *testing.B) {
					var formats []*parser.Format
					if given {
						formats = []*parser.Format{ownFormat(b, row.dialect)}
					}
					p := parser.NewParser(want, formats...)
					b.SetBytes(size)
					b.ReportAllocs()
					for b.Loop() {
						if access := countAccess(p, blocks); access != counts.Access {
							b.Fatalf("%d access records, want %d", access, counts.Access)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(counts.Records), "ns/record")
				})
			}
		}
	}
}

// ownFormat compiles the format of a dialect as somebody's own.
func ownFormat(tb testing.TB, id string) *parser.Format {
	tb.Helper()
	for _, d := range parser.DialectList() {
		if d.ID != id {
			continue
		}
		compile := parser.Compile
		if strings.HasPrefix(d.Format, "{") {
			compile = func(s string) (*parser.Format, error) { return parser.CompileJSON([]byte(s)) }
		}
		f, err := compile(d.Format)
		if err != nil {
			tb.Fatal(err)
		}
		return f
	}
	tb.Fatal("no dialect ", id)
	return nil
}
