package kafka

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// object takes the text under the configured key out of a JSON message, or of
// each one in a list. Keys that shippers are known to use need no
// configuration: the parser reads through their objects by itself. What has no
// such key is left as it is.
func (s *shaper) object(text []byte) []byte {
	if s.key == nil || len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return text
	}
	v, err := s.json.ParseBytes(text)
	if err != nil {
		return text
	}
	s.text = s.text[:0]
	if v.Type() == fastjson.TypeArray {
		for _, e := range v.GetArray() {
			s.line(e)
		}
	} else {
		s.line(v)
	}
	if len(s.text) == 0 {
		return text
	}
	return s.text
}

// line appends the text of one object.
func (s *shaper) line(v *fastjson.Value) {
	if line := v.GetStringBytes(s.key...); line != nil {
		s.text = append(s.text, line...)
	} else {
		s.text = v.MarshalTo(s.text)
	}
	if !bytes.HasSuffix(s.text, []byte("\n")) {
		s.text = append(s.text, '\n')
	}
}
