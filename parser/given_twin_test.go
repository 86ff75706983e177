package parser

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The slow twin of given formats: all cuts by plain recursion, with types by
// regular expressions and columns that may be cut to a length.

var (
	slowTime    = regexp.MustCompile(`^\d{4}-[-0-9A-Za-z:.+]{2}-[-0-9A-Za-z:.+]{2}[Tt][-0-9A-Za-z:.+]{2}:[-0-9A-Za-z:.+]{2}:[-0-9A-Za-z:.+]{2,}$`)
	slowCluster = regexp.MustCompile(`^(in|out)bound\|\d+\|[^|]*\|[^|]*$`)
	slowWhole   = regexp.MustCompile(`(^|\|)(?:in|out)bound\|\d+\|[^|]*\|[^|]*`)
	slowPiece   = regexp.MustCompile(`(^|\|)(in|out)bound($|\|)`)
	slowNumber  = regexp.MustCompile(`^(-?\d[-+.eE0-9]*|-[-+.eE0-9]*|)$`)
)

func slowColumn(c *column, loose bool, v string) bool {
	typ := c.typ
	if loose && (c.field == Extra || sortOf(typ) == TypeText) {
		typ = TypeText
	}
	if c.most > 0 && len(v) > c.most {
		return false
	}
	if c.piped {
		own := c.field == UpstreamCluster && strings.Contains(v, "|")
		if own && !slowCluster.MatchString(v) || !own && slowPiece.MatchString(slowWhole.ReplaceAllString(v, "$1")) {
			return false
		}
	}
	switch typ {
	case TypeTime:
		if c.clock != nil {
			return !c.always && (v == "" || v == "-") || c.clock.fits([]byte(v))
		}
		return !c.always && (v == "" || v == "-") || slowTime.MatchString(v)
	case TypeNumber:
		_, err := strconv.ParseFloat(v, 64)
		return v == "" || v == "-" || slowNumber.MatchString(v) && err == nil && len(v) <= 40
	}
	return slowFits(typ, v)
}

// slowGiven is slowCuts for given formats. It gives up when there are too many.
func slowGiven(f *Format, s string, i, at int, loose bool, budget *int) (cuts [][]slowValue) {
	col := &f.columns[i]
	for end := 0; end <= len(s) && *budget > 0; end++ {
		if !strings.HasPrefix(s[end:], col.until) || !slowColumn(col, loose, s[:end]) {
			continue
		}
		*budget--
		rest := s[end+len(col.until):]
		switch {
		case i+1 < len(f.columns):
			for _, tail := range slowGiven(f, rest, i+1, at+end+len(col.until), loose, budget) {
				cuts = append(cuts, append([]slowValue{{at, s[:end]}}, tail...))
			}
		case rest == "":
			cuts = append(cuts, []slowValue{{at, s[:end]}})
		}
	}
	return cuts
}

// Whatever the format and the line: a line that fits is read, all columns on
// which all cuts agree have that value, and one on which they do not has none.
func FuzzGiven(f *testing.F) {
	f.Add(`%START_TIME% "%REQ(A)%" %RESPONSE_CODE% %RESPONSE_FLAGS%`, `2026-08-01T02:03:04.005Z "a" 503 UF`)
	f.Add(`%REQ(A)% %RESPONSE_CODE% %REQ(B)%`, `a 200 503 b`)
	f.Add(`%REQ(A):2%|%DURATION%%PROTOCOL% %UPSTREAM_HOST%`, `a||-HTTP/1.1 a:1`)
	f.Add(`%START_TIME(%s.%3f)% %UPSTREAM_CLUSTER%|%ROUTE_NAME%`, `17.250 a|b|c d`)
	f.Add(`"%REQ(A)%" "%REQ(X-FORWARDED-FOR)%" k=%UPSTREAM_TRANSPORT_FAILURE_REASON% `, `"x"y" "1.1.1.1, 2.2.2.2" k=-x `)
	f.Add(`%RESPONSE_CODE%,%RESPONSE_CODE_DETAILS%;%BYTES_SENT% - %REQUESTED_SERVER_NAME%`, `0,a,b;c;5 - x`)
	f.Fuzz(func(t *testing.T, format, line string) {
		format, line = "#"+clean(format, 160), "#"+clean(line, 50)
		compiled, err := Compile(format)
		if err != nil || len(compiled.columns) > 8 || compiled.prefix[0] != '#' {
			return
		}
		checkGiven(t, compiled, format, line)
	})
}

func checkGiven(t *testing.T, f *Format, format, line string) {
	t.Helper()
	budget := 3000
	var cuts [][]slowValue
	if strings.HasPrefix(line, f.prefix) {
		cuts = slowGiven(f, line[len(f.prefix):], 0, len(f.prefix), false, &budget)
	}
	all := readLines(line, f)
	if budget == 0 || len(all) == 0 {
		return
	}
	r := all[0]
	if len(all) > 1 || r.Partial { // taken for several records, or a part of one
		if len(all) > 1 && len(cuts) > 0 && !r.Suspicious {
			t.Fatalf("split without a mark\n%q\n%q", format, line)
		}
		return
	}
	if len(cuts) == 0 {
		if r.Dialect == Custom && strings.TrimRight(line, " \t") == line && strings.HasPrefix(line, f.prefix) && len(slowGiven(f, line[len(f.prefix):], 0, len(f.prefix), true, &budget)) == 0 && budget > 0 {
			t.Fatalf("read, but nothing fits\n%q\n%q\n%s", format, line, summary(r))
		}
		return
	}
	if r.Dialect != Custom {
		if len(cuts) > maxStarts/2 {
			return
		}
		t.Fatalf("not read\n%q\n%q\n%s", format, line, summary(r))
	}
	ambiguous := false
	for i := range f.columns {
		c := &f.columns[i]
		want, same := agreed(cuts, i)
		ambiguous = ambiguous || !same
		if c.field == Extra || c.field == ResponseFlags || !c.whole(len(want)) || !same && r.Suspicious {
			continue
		}
		if v := got(r, c.field); same && v != absent(want) && !(r.Suspicious && v == "") && c.field != ResponseCode {
			t.Fatalf("%v is %q, twin says %q\n%q\n%q", c.field, v, want, format, line)
		}
	}
	if ambiguous && !r.Suspicious {
		t.Fatalf("twin has several cuts and there is no mark\n%q\n%q\n%s", format, line, summary(r))
	}
}

// A product's layout that is given as somebody's own reads its records like
// the reader that knows the product: by its plan too.
func TestGivenLikeProduct(t *testing.T) {
	var lines [][]byte
	for _, line := range corpus(t) {
		if len(line) > 0 && len(line) < 2000 && line[0] == '[' {
			lines = append(lines, block(line))
		}
	}
	for _, d := range dialects {
		if d.Encoding != Text || d.Format == "" || strings.Contains(d.Format, "KUMA") {
			continue
		}
		for _, planned := range []bool{false, true} {
			f, err := Compile(d.Format)
			if err != nil {
				t.Fatal(err)
			}
			if planned {
				f.like = NoDialect
			}
			n, own, given := 0, NewParser(AllFields), NewParser(AllFields, f)
			for _, line := range lines {
				own.Reset(line)
				given.Reset(line)
				a, _ := own.Next()
				b, _ := given.Next()
				if a.Size < len(line) || b.Size < len(line) || a.Dialect.String() != d.ID || a.Partial || a.Suspicious || b.Dialect != Custom {
					continue
				}
				n++
				want := strings.Replace(describe(a), d.ID, "custom", 1)
				if got := describe(b); got != want {
					t.Errorf("%s, planned %v: %s\n got %s\nwant %s", d.ID, planned, line, got, want)
				}
			}
			if n == 0 && d.ID == "istio-text-1.9-1.22" {
				t.Errorf("%s: no record", d.ID)
			}
		}
	}
}
