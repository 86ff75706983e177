package parser

import "github.com/valyala/fastjson"

// A reader is the general reader of JSON objects: it stands behind scan for
// those that have escapes in their keys.
type reader struct {
	fastjson.Parser
	visit func(key []byte, v *fastjson.Value) // member, bound once
	o     object
}

// general reads the object s whole; it is false when s is not well-formed.
func (p *Parser) general(s []byte, o *object) bool {
	if p.reader.visit == nil {
		p.reader.visit = p.generalMember
	}
	v, err := p.reader.ParseBytes(s)
	if err != nil || v.Type() != fastjson.TypeObject {
		return false
	}
	p.rec.forget()
	p.rec.text = s
	p.reader.o = object{end: o.end, whole: true, odd: true}
	v.GetObject().Visit(p.reader.visit)
	*o = p.reader.o
	return true
}

func (p *Parser) generalMember(name []byte, v *fastjson.Value) {
	r, o := &p.rec, &p.reader.o
	key, known := keyOf(name)
	o.count++
	o.foreign = o.foreign || !known
	f := key.field
	nested := v.Type() == fastjson.TypeObject || v.Type() == fastjson.TypeArray
	if !known || f == Extra || nested || !key.spelled && o.keys.has(key.id) || r.layout.Has(f) && !key.own {
		p.generalExtra(name, v, nested)
		return
	}
	o.note(key)
	r.layout |= 1 << f
	r.present &^= 1 << f
	if v.Type() == fastjson.TypeNull {
		return
	}
	o.typed = o.typed || v.Type() == fastjson.TypeNumber && (f == ResponseCode || f == BytesSent || f == BytesReceived || f == Duration)
	lo := len(r.scratch)
	r.scratch = appendScalar(r.scratch, v)
	if f == ResponseCode {
		r.setCode(r.scratch[lo:])
	}
	o.dash = o.dash || f == ResponseFlags && isDash(r.scratch[lo:])
	r.setScratch(f, lo)
}

func (p *Parser) generalExtra(name []byte, v *fastjson.Value, nested bool) {
	if !p.want.Has(Extra) || v.Type() == fastjson.TypeNull {
		return
	}
	lo := len(p.unescaped)
	p.unescaped = append(p.unescaped, name...)
	mid := len(p.unescaped)
	p.unescaped = appendScalar(p.unescaped, v)
	p.addExtra(p.unescaped[lo:mid:mid], p.unescaped[mid:], nested || v.Type() != fastjson.TypeString)
}

// appendScalar appends a string's text, or any other value as JSON.
func appendScalar(dst []byte, v *fastjson.Value) []byte {
	if v.Type() == fastjson.TypeString {
		return append(dst, v.GetStringBytes()...)
	}
	return v.MarshalTo(dst)
}
