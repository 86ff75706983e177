package parser

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// The text layouts that begin in another way than Envoy's default format: they
// are read by their plans. Those of Istio are read by flat.
var ownLayouts = func() (list []*Format) {
	for i, d := range dialects {
		if f := productFormats[firstProduct+Dialect(i)]; f != nil && (strings.HasPrefix(d.ID, "kuma") || strings.HasPrefix(d.ID, "emissary")) {
			list = append(list, f)
		}
	}
	return list
}()

// own says whether the format is one of those.
func (f *Format) own() bool { return slices.Contains(ownLayouts, f) }

// stringLayouts are the texts that look like JSON: what users write into them
// may break the JSON, but not the text.
var stringLayouts = sync.OnceValue(func() (list []*Format) {
	for i, d := range dialects {
		if d.Encoding != StringJSON {
			continue
		}
		f, err := compileProduct(d.Format)
		if err != nil {
			panic(err)
		}
		f.dialect = firstProduct + Dialect(i)
		list = append(list, f)
	}
	return list
})

// compileProduct is Compile for the list of dialects, where products have
// operators of their own.
func compileProduct(format string) (*Format, error) {
	f, err := compileText(format)
	if err != nil {
		return nil, err
	}
	for i := range f.columns {
		if c := &f.columns[i]; strings.HasPrefix(string(c.key), "KUMA_") {
			c.typ = TypeName
		}
	}
	f.finish()
	return f, nil
}

// flatOwn reads a whole record in a layout that flat does not know, when no
// value upsets the layout's plan. The quotes are as for place.
func (p *Parser) flatOwn(s []byte, quotes []uint16, base int) bool {
	if hasPrefix(s, emissaryHead) {
		if p.flat(s[len(emissaryHead):]) && p.rec.Dialect == envoyDefault {
			p.rec.Dialect = emissaryText
			return true
		}
	}
	if p.own != nil && p.readPlan(p.own, ^uint64(0), s, quotes, base) {
		return true
	}
	for _, f := range ownLayouts { // no line has the plan of two
		if f != p.own && p.readPlan(f, ^uint64(0), s, quotes, base) {
			p.own = f
			return true
		}
	}
	return false
}

// Emissary's text is Envoy's default format behind a word.
const emissaryHead = "ACCESS "

var emissaryText = dialectByID("emissary-text")

// ownHead returns the length of what stands in front of the first column
// behind the time, in the layouts that begin in another way than Envoy's; 0
// when s does not begin like one of them.
func ownHead(s []byte) int {
	if hasPrefix(s, emissaryHead) {
		if n := accessHead(s[len(emissaryHead):]); n > 0 {
			return n + len(emissaryHead)
		}
		return 0
	}
	if len(s) < 30 || s[0] != '[' || !isTime(s[1:]) || s[11] != 'T' {
		return 0
	}
	i := bytes.IndexByte(s[:40], ']')
	if i < 0 || i+3 > len(s) || s[i+1] != ' ' {
		return 0
	}
	end := wordEnd(s, i+2)
	word := s[i+2 : end]
	switch {
	case len(word) == 0 || word[0] == '"' || word[0] == '[':
		return 0
	case bytes.Contains(word, []byte(")->")): // kuma-tcp-0.4
		return i + 2
	case end+1 < len(s) && s[end+1] == '"': // a mesh and the request line
		return i + 2
	case !fits(TypeFlags, word) || decodeFlags(word)&UnknownFlags != 0:
		return 0
	}
	mesh := wordEnd(s, min(end+1, len(s)))
	if route := s[min(mesh+1, len(s)):]; bytes.Contains(route[:wordEnd(route, 0)], []byte(")->")) {
		return i + 2
	}
	return 0
}

// nextHead returns the offset from at on where a record of a text layout seems
// to begin; negative when there is none.
func nextHead(s []byte, at int) int {
	for from := at; ; {
		j := bytes.Index(s[min(at, len(s)):], []byte("[20"))
		if j < 0 {
			return -1
		}
		at += j
		if accessHead(s[at:]) > 0 {
			begin := at
			if bytes.HasSuffix(s[:at], []byte(emissaryHead)) {
				begin -= len(emissaryHead)
			}
			if begin >= from {
				return begin
			}
		}
		if ownHead(s[at:]) > 0 {
			return at
		}
		at++
	}
}

// gluedHead is nextHead for a line that may go on with an object, too.
func gluedHead(s []byte, at int) int {
	head := nextHead(s, at)
	for at < len(s) {
		j := bytes.Index(s[at:], []byte(`{"`))
		if j < 0 || head >= 0 && at+j > head {
			return head
		}
		at += j
		if end := bytes.IndexByte(s[at+2:], '"'); end > 0 {
			if _, known := keyOf(s[at+2 : at+2+end]); known && hasColumns(s[at:]) {
				return at
			}
		}
		at++
	}
	return head
}

// tellsOwn says whether what was read of a torn line in Kuma's layout for TCP,
// which begins with the flags, is enough to tell that it is one.
func (p *Parser) tellsOwn(f *Format) bool {
	for i := range p.cuts.end {
		if f.columns[i].field == UpstreamHost {
			return true
		}
	}
	return false
}

// readStrings reads a record of a text layout that looks like JSON, and is not
// well-formed because of what users wrote into it.
func (p *Parser) readStrings(s []byte, o *object) bool {
	if o.whole || o.cut {
		return false
	}
	for _, f := range p.given {
		if f.twin == nil || !hasPrefix(s, f.twin.prefix) {
			continue
		}
		if p.cuts.run(f.twin, s, 0, len(f.twin.prefix)); p.cuts.full {
			return p.take(f.twin, s)
		}
	}
	for _, f := range stringLayouts() {
		if !hasPrefix(s, f.prefix) {
			continue
		}
		if p.cuts.run(f, s, 0, len(f.prefix)); p.cuts.full {
			return p.take(f, s)
		}
	}
	return false
}
