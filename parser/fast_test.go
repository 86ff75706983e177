package parser

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// slowNext is next without the readers of usual lines.
func slowNext(p *Parser) bool {
	begin := p.pos
	end := begin + lineEndIn(p.block[begin:])
	size := min(end+1, len(p.block)) - begin
	p.pos = begin + size
	p.line++
	p.rec.reset(begin, size, p.line)
	wasGlued := p.glued
	p.glued, p.multiline, p.joined = false, false, nil
	s := bytes.TrimSuffix(p.block[begin:end], []byte{'\r'})
	return p.finish(s, p.read(s), wasGlued)
}

// A view is what a caller may see of a record.
type view struct {
	Kind          Kind
	Reason        Reason
	Dialect       Dialect
	Emitter       Emitter
	Partial, Odd  bool
	Begin, Size   int
	Code          int
	HasCode       bool
	Flags         FlagSet
	HasFlags      bool
	Envelopes     string
	Text, Replied string
	Values        [NumFields]string
	Extra         []string
}

func viewOf(r *Record) (s view) {
	s = view{Kind: r.Kind, Reason: r.Reason, Dialect: r.Dialect, Emitter: r.Emitter, Partial: r.Partial, Odd: r.Suspicious, Begin: r.Begin, Size: r.Size}
	s.Code, s.HasCode = r.Code()
	s.Flags, s.HasFlags = r.Flags()
	for _, e := range r.Envelopes() {
		s.Envelopes += e.String() + " "
	}
	for f := range NumFields {
		if f != ResponseCode {
			s.Values[f] = string(r.Bytes(f))
		}
	}
	for _, e := range r.Extra() {
		s.Extra = append(s.Extra, string(e.Key)+"="+string(e.Value))
	}
	s.Text, s.Replied = string(r.Text()), string(r.Mixer())
	return s
}

// Usual events are read by less looks than other lines: what comes out is the
// same.
func FuzzFastEvent(f *testing.F) {
	for _, line := range corpus(f) {
		f.Add(line)
		f.Add([]byte("2026-03-02T09:14:07.482113042Z stderr F " + string(line) + "\n2026-03-02T09:14:07.482113042Z stdout F " + string(line)))
	}
	for _, c := range groupCases {
		f.Add([]byte(c.lines))
		f.Add([]byte("2026-03-02T09:14:07.482113042Z stderr P " + envoyStamp + "\n" + wrapLines(c.lines, groupWrappers["cri"])))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkFast(t, data) })
}

// checkFast reads data with and without the readers of usual lines.
func checkFast(t *testing.T, data []byte) {
	t.Helper()
	fast, slow := NewParser(AllFields), NewParser(AllFields)
	fast.Reset(block(data))
	slow.Reset(block(data))
	for fast.pos < len(data) && slow.pos == fast.pos {
		slow.line, slow.glued, slow.suspect = fast.line, fast.glued, fast.suspect
		line := fast.block[fast.pos:]
		_, size := firstLine(line)
		done := fast.usual() || fast.usualObject() || fast.next()
		if again := slowNext(slow); again != done {
			t.Fatalf("%v, without shortcuts %v: %q", done, again, line[:size])
		}
		if a, b := viewOf(&fast.rec), viewOf(&slow.rec); done && !reflect.DeepEqual(a, b) {
			t.Fatalf("%q\n     fast %+v\nshortcuts off %+v", line[:size], a, b)
		}
		fast.rest, slow.rest, fast.queue, slow.queue = nil, nil, nil, nil
		fast.scattered, slow.scattered = fast.scattered[:0], slow.scattered[:0]
	}
	if fast.pos != slow.pos {
		t.Fatalf("at %d, without shortcuts at %d: %q", fast.pos, slow.pos, data)
	}
}

// What a stretch is scanned for depends on its first line, what is read of a
// line does not.
func TestStretchesOfMixedLines(t *testing.T) {
	object := func(path, cluster string, code int) string {
		return fmt.Sprintf(`{"start_time":"2026-03-02T10:00:00.000Z","method":"GET","path":"%s","response_code":%d,"response_flags":"UF","upstream_transport_failure_reason":null,"bytes_sent":123456789012,"duration":17,"upstream_cluster":%s,"user_agent":"probe/1.0"}`, path, code, cluster)
	}
	lines := []string{
		object("/a", `"outbound|80||a"`, 503), istioLine("text"), object("/b", "null", 200), object(`/c\"d`, `"c"`, 404), istioStamp + "\tinfo\tEnvoy proxy is ready",
		object("/long/"+strings.Repeat("p", 90), `"-"`, 0), "noise of \"nobody\"", object("/e", `"e"`, 503), "2026-03-02T10:00:00.000000042Z stderr F " + object("/f", `"f"`, 503), object("/g", `"unended`, 503),
		"2026-03-02T10:00:00.000000042Z stdout F " + istioLine("cri"), object("/h", `{"nested":"h"}`, 503), `{"app":"somebody's"}`, object("/i", `"i"`, 503),
	}
	for first := range lines {
		var data []byte
		for n := 0; len(data) < 3*stretch; n++ {
			data = append(append(data, lines[(first+n*n)%len(lines)]...), '\n')
		}
		checkFast(t, data)
	}
}
