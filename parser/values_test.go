package parser

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The scanners find what a loop over the bytes finds, wherever the marks stand,
// however long the text is and whatever is behind it.
func FuzzScanValues(f *testing.F) {
	fuzzStretches(f, `":":":":":":":":":":":":":":":":":":":":`+"\n \\\n\n", "\":\"\n\\", checkScanValues)
}

func TestScanValues(t *testing.T) {
	checkShort(t, "\n\"\"\"::\\a", checkScanValues)
	for _, text := range []string{`":`, `"`, ":", "\n", `\`} {
		checkScanValues(t, append(bytes.Repeat([]byte(text), stretch/len(text)), make([]byte, Padding)...)[:stretch])
	}
}

func checkScanValues(t *testing.T, text []byte) {
	t.Helper()
	var places []uint16
	for i := 2; i < len(text); i++ {
		if text[i-1] == ':' && text[i-2] == '"' {
			place := uint16(i)
			if text[i] == '"' {
				place |= stringMark
			}
			places = append(places, place)
		}
	}
	var ends []lineEnd
	sums := []uint16{0}
	for i, c := range text {
		if c == '\n' {
			before := 0
			for before < len(places) && int(places[before]&placeMask) <= i {
				before++
			}
			ends = append(ends, lineEnd{uint16(i), uint16(before)})
			sums = append(sums, uint16(bytes.Count(text[:i], []byte{'"'})+bytes.Count(text[:i], []byte{'\\'})))
		}
	}
	for name, scan := range valueScanners() {
		m := &marks{text: text}
		scan(text, m)
		m.within()
		if !slices.Equal(m.quotes[:m.total], places) || !slices.Equal(m.ends[:m.lines], ends) || !slices.Equal(m.sums[:m.lines+1], sums) {
			t.Fatalf("%s, %q: places %v, ends %v, sums %v; want %v, %v, %v", name, text, m.quotes[:m.total], m.ends[:m.lines], m.sums[:m.lines+1], places, ends, sums)
		}
	}
}

// An objectMaker writes objects whose keys are in one order.
type objectMaker struct {
	rng  *rand.Rand
	keys []string
}

func newObjectMaker(rng *rand.Rand) *objectMaker {
	own := []string{"start_time", "method", "path", "response_code", "response_flags", "upstream_cluster", "duration", "bytes_sent", "upstream_transport_failure_reason", "user_agent"}
	m := &objectMaker{rng: rng, keys: own[:5+rng.IntN(len(own)-4)]}
	for k := range rng.IntN(rng.IntN(50) + 1) {
		m.keys = append(m.keys, fmt.Sprintf("%s%d", pick(rng, "k", ":k", "a-long-key-that-no-window-has-room-for-", "x y", strings.Repeat("long", 20)), k))
	}
	rng.Shuffle(len(m.keys), func(i, j int) { m.keys[i], m.keys[j] = m.keys[j], m.keys[i] })
	return m
}

// object writes one.
func (m *objectMaker) object() string {
	var b strings.Builder
	for i, key := range m.keys {
		value := pick(m.rng, "null", `""`, `"-"`, `"v"`, `"a b"`, `":"`, `","`, "0", "7", "12345678", "123456789012", `"`+strings.Repeat("w", m.rng.IntN(90))+`"`, "-1", "1.5", "true", "[1]", "{}")
		switch {
		case key == "response_code":
			value = pick(m.rng, "200", "503", "0")
		case key == "response_flags":
			value = pick(m.rng, `"-"`, `"UF"`, `"UF,URX"`, "null")
		case m.rng.IntN(4) > 0: // what the key usually has
			value = []string{`"usual"`, "17", "null", `"GET"`}[len(key)%4]
		}
		fmt.Fprintf(&b, `%c"%s":%s`, "{,"[min(i, 1)], key, value)
	}
	return b.String() + "}"
}

// Objects in an order that was learned give what a scan gives, damaged ones too.
func TestObjectsLikeScan(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 17))
		makers := []*objectMaker{newObjectMaker(rng), newObjectMaker(rng)}
		var lines strings.Builder
		for n := range 40 {
			line := makers[n/3%2].object()
			if n%4 == 3 {
				line = damagedObject(rng, line)
			}
			lines.WriteString(pick(rng, "", "", "2026-03-02T10:00:00.000000042Z stdout F ") + line + "\n")
		}
		checkFast(t, []byte(lines.String()))
	}
}

// damagedObject changes a byte of an object, or two.
func damagedObject(rng *rand.Rand, line string) string {
	b := []byte(line)
	for range 1 + rng.IntN(2) {
		switch k := 1 + rng.IntN(len(b)-1); rng.IntN(3) {
		case 0:
			b[k] = pick(rng, `"`, ":", ",", "}", `\`, "1", "n", "l")[0]
		case 1:
			b = append(b[:k], b[k+1:]...)
		default:
			b = append(b[:k], append([]byte(pick(rng, `"`, ":", `":`, `,"`, `\`, "0")), b[k:]...)...)
		}
	}
	return string(b)
}

// Damage in two places that leaves as many quotes as there were is seen, and so
// is damage between the values.
func TestObjectsWithBalancedDamage(t *testing.T) {
	const good = `{"start_time":"2026-03-02T10:00:00.000Z","method":"GET","path":"/a","response_code":503,"response_flags":"UF","upstream_cluster":"c","user_agent":"u"}`
	for _, damage := range [][]string{
		{`"GET"`, `"GET`, `"/a"`, `"/"a"`},
		{`"GET"`, `GET"`, `"/a"`, `"/"a"`},
		{`"GET"`, `"`, `"/a"`, `"/"a"`},
		{`"GET"`, `"`, `"/a"`, `"/a,"`, `"c"`, `""c"`},
		{`"u"`, `"`, `"c"`, `"c"c"`},
		{`"u"`, `"u`, `"c"`, `"c"c"`},
		{`"u"`, `u"`, `"c"`, `"c"c"`},
		{`503`, `5"3`, `"u"`, `"u`},
		{`503`, `"`, `"u"`, `"u`},
		{`,"path"`, `;"path"`},
		{`"path"`, `"peth"`},
		{`"path"`, `path"`, `"c"`, `"c`},
		{`"start_time"`, `"start-time"`},
	} {
		bad := strings.NewReplacer(damage...).Replace(good)
		checkFast(t, []byte(good+"\n"+good+"\n"+bad+"\n"+good+"\n"+bad))
		checkFast(t, []byte(istioLine("text")+"\n"+good+"\n"+bad+"\n"+good+"\n"))
	}
}

func FuzzObjects(f *testing.F) {
	for seed := range uint64(30) {
		m := newObjectMaker(rand.New(rand.NewPCG(seed, 19)))
		f.Add([]byte(m.object() + "\n" + m.object() + "\n" + damagedObject(m.rng, m.object())))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkFast(t, data) })
}

// What compares windows finds what its twin finds.
func TestMatchWindows(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 23))
		m := newObjectMaker(rng)
		q := learned(m)
		if q == nil {
			continue
		}
		for n := range 20 {
			line := m.object()
			if n%2 == 1 {
				line = damagedObject(rng, line)
			}
			checkMatch(t, q, strings.Repeat("#", rng.IntN(3)*40)+line)
		}
	}
}

// learned is the order of a maker's objects.
func learned(m *objectMaker) *order {
	p := NewParser(AllFields)
	for range 8 {
		p.Reset(block([]byte(m.object() + "\n")))
		for _, more := p.Next(); more; _, more = p.Next() {
			if q := p.orders.last; q != nil && q.windows.count > 0 {
				return q
			}
		}
	}
	return nil
}

func checkMatch(t *testing.T, q *order, text string) {
	t.Helper()
	m, w := new(marks), &q.windows
	m.of(block([]byte(text)), 0, 0)
	base := strings.IndexByte(text, '{')
	if base < 0 || m.total < w.count {
		return
	}
	want := outline{text: m.text, places: m.quotes[:m.total], base: base, last: len(text) - 2}
	matchWindowsGo(w, &want)
	for name, match := range matchers() {
		got := outline{text: m.text, places: m.quotes[:m.total], base: base, last: len(text) - 2}
		match(w, &got)
		last := ^(uint64(1) << (w.count - 1)) & (1<<w.count - 1)
		if got.strings != want.strings || got.shorts&last != want.shorts&last || got.opens != want.opens || got.differ != want.differ || got.nulls != want.nulls || (got.odd == 0) != (want.odd == 0) ||
			!slices.Equal(got.lasts[:w.count+1], want.lasts[:w.count+1]) {
			t.Fatalf("%s: %+v\nwant %+v\n%s", name, got, want, text)
		}
	}
}
