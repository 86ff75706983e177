package parser

import "testing"

// TestLateFields demands that fields that are looked for all at once have the
// values that they have when they are asked for one by one, whatever a parser
// is to find.
func TestLateFields(t *testing.T) {
	for _, want := range []FieldSet{AllFields, AllFields &^ Fields(Method, BytesReceived, UpstreamLocalAddress), Fields(Path, UserAgent), Fields(BytesSent), Fields(DownstreamRemoteAddress, Authority)} {
		single, whole := NewParser(want), NewParser(want)
		for _, line := range corpus(t) {
			single.Reset(block(line))
			whole.Reset(block(line))
			for {
				s, more := single.Next()
				w, _ := whole.Next()
				if !more {
					break
				}
				present := w.Present()
				one, all := viewOf(s), viewOf(w)
				if one.Values != all.Values {
					t.Errorf("%.120q: one by one %q\nat once %q", line, one.Values, all.Values)
				}
				for f, v := range all.Values {
					if present.Has(Field(f)) != (v != "") && f != int(ResponseCode) {
						t.Errorf("%.120q: %s is %q, present: %t", line, Field(f), v, present.Has(Field(f)))
					}
				}
			}
		}
	}
}
