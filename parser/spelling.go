package parser

import "sync"

// Whoever writes a JSON map chooses its keys, and many choose the operator's
// name in another spelling: ResponseFlags, response-code, envoy.response_flags,
// http.status_code, or an object "response" with the members "code" and "flags".
// Such a key is compared by its letters and digits, without its plural.

// maxSpelling is how many letters and digits a key has that may be known in
// another spelling.
const maxSpelling = 48

// appendSpelling appends what a key is compared by: its letters, small,
// and its digits.
func appendSpelling(dst, key []byte) []byte {
	for _, c := range key {
		if isDigit(c) || isLetter(c|' ') || c >= 0x80 {
			dst = append(dst, lower(c))
		}
	}
	return dst
}

func lower(c byte) byte {
	if c-'A' < 26 {
		c |= ' '
	}
	return c
}

// singular takes a plural's last letter off.
func singular(spelling []byte) []byte {
	if n := len(spelling); n > 3 && spelling[n-1] == 's' {
		return spelling[:n-1]
	}
	return spelling
}

// families are what keys begin with that say no more than who wrote them.
var families = [...]string{"envoy", "istio", "http"}

// spelledKeys finds the keys of fields by their spelling: few streams need it.
var spelledKeys = sync.OnceValue(func() map[string]jsonKey {
	m := map[string]jsonKey{}
	for _, f := range fields[:Level] { // those of access records
		for _, name := range append([]string{f.Name}, f.Keys...) {
			k := jsonKeys[name]
			m[string(singular(appendSpelling(nil, []byte(name))))] = jsonKey{field: k.field, proxy: k.proxy, loose: k.loose, spelled: true}
		}
	}
	return m
})

// spelledKey finds a key of a field that is written in another way than any
// list has it.
func spelledKey(name []byte) (jsonKey, bool) {
	var buf [maxSpelling]byte
	if len(name) > maxSpelling {
		return jsonKey{}, false
	}
	return keyBySpelling(appendSpelling(buf[:0], name))
}

func keyBySpelling(s []byte) (jsonKey, bool) {
	s = singular(s)
	k, ok := spelledKeys()[string(s)]
	for _, family := range families {
		if !ok && hasPrefix(s, family) {
			k, ok = keyBySpelling(s[len(family):])
		}
	}
	return k, ok
}

// parents are the keys of objects whose members tell of a request: a member's
// field is found by both names, where it says true also by its own alone.
var parents = map[string]bool{
	"request": true, "req": true, "http": true, "envoy": true, "istio": true, "access": true, "accesslog": true,
	"response": false, "resp": false, "upstream": false, "downstream": false,
}

// members reads the object at s[i], which is whole, if its key is one of parents.
// outer is the spelling of the keys around it, with room behind it. Many
// programs have such objects: their members do not tell whose record it is.
func (p *Parser) members(s []byte, i int, outer, name []byte, o *object) {
	if len(outer)+len(name) > cap(outer) {
		return
	}
	path := appendSpelling(outer, name)
	alone, ok := parents[string(path[len(outer):])]
	if !ok {
		return
	}
	for i++; ; i++ {
		i = skipSpace(s, i)
		end, _ := stringEnd(s, i+1)
		if s[i] != '"' || end < 0 {
			return
		}
		member := s[i+1 : end]
		if i = skipSpace(s, end+1); s[i] != ':' {
			return
		}
		i = skipSpace(s, i+1)
		_, _, next, ok := scalar(s, i)
		if !ok {
			return
		}
		if s[i] == '{' {
			p.members(s, i, path, member, o)
		} else if key, known := memberKey(path, member, alone); known {
			p.value(s, i, member, key, false, o)
		}
		if i = skipSpace(s, next); s[i] != ',' {
			return
		}
	}
}

// memberKey finds the key of a field by the names of an object and its member.
func memberKey(path, member []byte, alone bool) (jsonKey, bool) {
	if len(path)+len(member) > cap(path) {
		return jsonKey{}, false
	}
	both := appendSpelling(path, member)
	k, known := keyBySpelling(both)
	if !known && alone {
		k, known = keyBySpelling(both[len(path):])
	}
	return k, known
}
