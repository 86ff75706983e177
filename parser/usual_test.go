package parser

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

const usualLine = `[2026-03-02T09:14:07.482Z] "GET /stock/7 HTTP/1.1" 200 - via_upstream - "-" 0 531 16 15 "-" "probe/1.0" "b7a0" "stock:80" "10.1.2.3:80" outbound|80||stock.shop.svc.cluster.local 10.1.2.9:40908 10.9.25.1:80 10.1.2.9:40831 - default`

// The first line of a block is read without the shortcut: a line that differs
// from the usual one in a byte is the same record there and elsewhere.
func TestUsualTwin(t *testing.T) {
	fast, slow := NewParser(AllFields), NewParser(AllFields)
	for _, head := range []string{"", "2026-03-02T09:14:07.482113042Z stdout F ", "2026-03-02T09:14:07.482113042Z stderr F "} {
		whole := []byte(head + usualLine)
		first := append(slices.Clone(whole), '\n')
		check := func(parts ...[]byte) {
			t.Helper()
			line := slices.Concat(parts...)
			fast.Reset(block(slices.Concat(first, line)))
			slow.Reset(block(line))
			fast.Next()
			a, _ := fast.Next()
			b, ok := slow.Next()
			if !ok {
				return
			}
			got, want := viewOf(a), viewOf(b)
			if want.Begin += len(first); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q\ngot  %+v\nwant %+v", line, got, want)
			}
		}
		for i := range whole {
			for _, c := range []byte("\" -\r\nx0[:\x80") {
				check(whole[:i], []byte{c}, whole[i:])
				check(whole[:i], []byte{c}, whole[i+1:], []byte{'\n'}, whole)
			}
			check(whole[:i], whole[i+1:])
			check(whole[:i])
		}
	}
}

// The shortcut is taken where there is one.
func TestUsual(t *testing.T) {
	for _, head := range []string{"", "2026-03-02T09:14:07.482113042Z stdout F "} {
		p := NewParser(AllFields)
		p.Reset(block([]byte(head + usualLine + "\n" + head + usualLine)))
		p.Next()
		if p.usual() != wide {
			t.Errorf("%q: usual is %v", head, !wide)
		}
		if r := &p.rec; wide && (!r.Plain() || string(r.Bytes(RouteName)) != "default" || string(r.Bytes(UserAgent)) != "probe/1.0") {
			t.Errorf("%q: %+v", head, viewOf(r))
		}
	}
}

// Between the columns that users fill stands one blank: another line is not read
// by counting its quotes.
func TestGapsOfUsualLines(t *testing.T) {
	line := istioLine("a")
	gaps := 0
	for at := strings.Index(line, `"-" "probe`) + 1; ; {
		i := strings.Index(line[at:], `" "`)
		if i < 0 {
			break
		}
		at += i + 1
		gaps++
		for _, gap := range []string{"", "  ", "\t", "-", " -", "- ", " x "} {
			p := NewParser(AllFields)
			p.Reset(block([]byte(line + "\n" + line[:at] + gap + line[at+1:] + "\n" + line + "\n")))
			for n, want := range []bool{true, false, true} { // the first one has the stretch scanned
				if n > 0 && p.usual() != want {
					t.Errorf("gap %d is %q: usual is not %v of line %d", gaps, gap, want, n+1)
				}
				if n == 0 || !want {
					p.Next()
				}
			}
		}
	}
	if gaps != 4 {
		t.Errorf("%d gaps", gaps)
	}
}
