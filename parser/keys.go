package parser

import (
	"bytes"
	"math/bits"
	"slices"
	"sync"
)

// A jsonKey is what the parser knows of a key of JSON records.
type jsonKey struct {
	id    uint8 // number among the known keys, for sets of keys
	field Field // Extra when the key is only known because a dialect has it
	own   bool  // the field's own name: wins over its other keys
	proxy bool  // no other program's log has this key
	loose bool  // many programs have this key: it counts beside a proxy's key only

	spelled bool // no list has the key as it is written; it has no id
}

// A keySet is a set of known keys.
type keySet [4]uint64

func (s *keySet) add(id uint8)      { s[id>>6] |= 1 << (id & 63) }
func (s *keySet) has(id uint8) bool { return s[id>>6]>>(id&63)&1 != 0 }

func (s *keySet) len() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// fewestKeys is how many keys a record of a product has at least when its
// proxy omits the empty ones; one with fewer is somebody's own format.
const fewestKeys = 10

func (s *keySet) within(t *keySet) bool {
	return s[0]&^t[0] == 0 && s[1]&^t[1] == 0 && s[2]&^t[2] == 0 && s[3]&^t[3] == 0
}

// looseKeys are names that applications use as well.
var looseKeys = []string{"status", "code", "flags", "resp", "status_code", "statusCode", "httpStatus", "uri", "host", "route", "cluster", "details", "status_details"}

// sharedFields are those whose own name is no sign of a proxy.
const sharedFields = FieldSet(1<<StartTime | 1<<Method | 1<<Path | 1<<Protocol | 1<<ResponseCode | 1<<Duration | 1<<UserAgent | 1<<RequestID |
	1<<Authority | 1<<XForwardedFor | 1<<BytesReceived | 1<<BytesSent | 1<<GRPCStatus | 1<<Level | 1<<Component | 1<<Message)

// commonFields are those whose own name many programs use. A torn object is
// taken for a proxy's when its keys weigh enough: two uncommon names, or three.
const (
	commonFields = FieldSet(1<<Method | 1<<Path | 1<<Protocol | 1<<Duration)
	enoughNames  = 6
)

// jsonKeys finds keys by their name.
var jsonKeys = func() map[string]jsonKey {
	m := map[string]jsonKey{}
	add := func(name string, k jsonKey) {
		if _, ok := m[name]; !ok {
			k.id = uint8(len(m))
			m[name] = k
		}
	}
	for _, f := range fields {
		proxy := !sharedFields.Has(f.Field)
		add(f.Name, jsonKey{field: f.Field, own: true, proxy: proxy})
		for _, name := range f.Keys {
			loose := slices.Contains(looseKeys, name)
			add(name, jsonKey{field: f.Field, proxy: proxy && !loose, loose: loose})
		}
	}
	for _, d := range dialects {
		if d.Encoding == JSON || d.Encoding == StringJSON {
			for name := range jsonPairs(d.Format) {
				add(name, jsonKey{field: Extra})
			}
		}
	}
	return m
}()

// jsonDialects holds the keys of each JSON dialect, in the list's order.
var jsonDialects = sync.OnceValue(func() (all []jsonDialect) {
	for i, d := range dialects {
		if d.Encoding != JSON && d.Encoding != StringJSON || d.Format == "" {
			continue
		}
		row := jsonDialect{dialect: firstProduct + Dialect(i), strings: d.Encoding == StringJSON}
		for name := range jsonPairs(d.Format) {
			row.keys.add(jsonKeys[name].id)
		}
		all = append(all, row)
	}
	return all
})

type jsonDialect struct {
	dialect Dialect
	keys    keySet
	strings bool // it has no numbers
}

// keyOf finds a key by its name, also when somebody made it bold, or wrote it
// in another way.
func keyOf(name []byte) (jsonKey, bool) {
	k, ok := jsonKeys[string(name)]
	if !ok && len(name) > 4 && name[0] == '*' {
		k, ok = jsonKeys[string(bytes.Trim(name, "*"))]
	}
	if !ok {
		return spelledKey(name)
	}
	return k, ok
}

// dialectOf names the first dialect with exactly these keys, else the first
// that has all of them (proxies may omit empty ones). A dialect whose values
// are strings is not one with numbers.
func dialectOf(keys *keySet, foreign, typed bool) Dialect {
	if foreign {
		return Inferred
	}
	all := jsonDialects()
	for i := range all {
		if d := &all[i]; d.keys == *keys && !(d.strings && typed) {
			return d.dialect
		}
	}
	for i := range all {
		if d := &all[i]; keys.len() >= fewestKeys && keys.within(&d.keys) && !(d.strings && typed) {
			return d.dialect
		}
	}
	return Inferred
}
