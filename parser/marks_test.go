package parser

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The two scanners find what a loop over the bytes finds, wherever the marks
// stand, however long the text is and whatever is behind it.
func FuzzScanMarks(f *testing.F) {
	fuzzStretches(f, `""""""""""""""""""""""""""""""`+"\n \n\n", "\"\n ", checkMarks)
}

// fuzzStretches checks a scanner on texts of at most a stretch, one of them
// given. What stands behind them is what the scanner looks for.
func fuzzStretches(f *testing.F, given, behind string, check func(*testing.T, []byte)) {
	for _, line := range corpus(f) {
		f.Add(line, uint16(len(line)), false)
	}
	f.Add([]byte(given), uint16(3), true)
	f.Fuzz(func(t *testing.T, data []byte, cut uint16, repeat bool) {
		if repeat && len(data) > 0 {
			data = bytes.Repeat(data, 1+stretch/len(data))
		}
		n := max(0, min(len(data), stretch)-int(cut)%128)
		check(t, append(block(data), strings.Repeat(behind, 128)...)[:n])
	})
}

func TestScanMarks(t *testing.T) {
	checkShort(t, "\n\" abc\x80\xa2", checkMarks)
	for _, c := range []byte("\"\n a") {
		text := append(bytes.Repeat([]byte{c}, stretch), make([]byte, Padding)...)[:stretch]
		checkMarks(t, text)
	}
}

// checkShort checks a scanner on texts of each length up to 300, made of
// certain bytes, as what stands behind them is.
func checkShort(t *testing.T, of string, check func(*testing.T, []byte)) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		text := make([]byte, n, n+Padding)
		for range 10 {
			for i := range text[:cap(text)] {
				text[:cap(text)][i] = of[random.IntN(len(of))]
			}
			check(t, text)
		}
	}
}

func checkMarks(t *testing.T, text []byte) {
	t.Helper()
	var quotes []uint16
	var ends []lineEnd
	for i, c := range text {
		switch c {
		case '"':
			quotes = append(quotes, uint16(i))
		case '\n':
			ends = append(ends, lineEnd{uint16(i), uint16(len(quotes))})
		}
	}
	for name, scan := range scanners() {
		m := new(marks)
		scan(text, m, ' ')
		if !slices.Equal(m.quotes[:m.total], quotes) || !slices.Equal(m.ends[:m.lines], ends) {
			t.Fatalf("%s, %q: quotes %v, ends %v; want %v, %v",
				name, text, m.quotes[:m.total], m.ends[:m.lines], quotes, ends)
		}
		if name != "plain" {
			checkBits(t, text, m)
		}
	}
}

// checkBits compares what is noted as bits with counting.
func checkBits(t *testing.T, text []byte, m *marks) {
	t.Helper()
	for lo := 0; lo <= len(text); lo += 1 + lo/3 {
		for hi := lo; hi <= len(text); hi += 1 + hi/5 {
			if n, want := m.count(lo, hi), bytes.Count(text[lo:hi], blankByte); n != want {
				t.Fatalf("%q: %d blanks from %d to %d, want %d", text, n, lo, hi, want)
			}
		}
		if n := bytes.IndexByte(text[lo:], ' '); n >= 0 && m.first(lo) != lo+n {
			t.Fatalf("%q: first blank from %d on at %d, want %d", text, lo, m.first(lo), lo+n)
		}
	}
}

// Where a stretch ends does not matter, nor that a line is longer than one.
func TestLinesAroundAStretch(t *testing.T) {
	p := NewParser(AllFields)
	for n := stretch - 300; n < stretch+100; n++ {
		long := istioLine(strings.Repeat("p", n))
		text := long + "\nnoise\n" + istioLine("short") + "\r\n" + `[2026-03-02T10:00:00.000Z] "GET /` + "\n" + long + "\n" + istioLine("last")
		p.Reset(block([]byte(text)))
		kinds, size := []Kind(nil), 0
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			kinds = append(kinds, r.Kind)
			size += r.Size
			if code, _ := r.Code(); r.Kind == Access && (code != 503 || string(r.Bytes(RouteName)) != "default" || string(r.Bytes(BytesSent)) != "91") {
				t.Fatalf("%d: code %d, route %q, sent %q", n, code, r.Bytes(RouteName), r.Bytes(BytesSent))
			}
		}
		if !slices.Equal(kinds, []Kind{Access, Noise, Access, Invalid, Access, Access}) || size != len(text) {
			t.Fatalf("%d: kinds %v, %d of %d bytes", n, kinds, size, len(text))
		}
	}
}

func istioLine(path string) string {
	return `[2026-03-02T10:00:00.000Z] "GET /` + path + ` HTTP/1.1" 503 UF upstream_reset_before_response_started{connection_timeout} - "-" 0 91 24 - "-" "probe/1.0" "3d1f" "cart.shop" "10.8.1.7:8080" outbound|80||cart.shop.svc.cluster.local - 10.8.9.9:80 10.8.2.3:41324 - default`
}
