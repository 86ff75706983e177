package parser

import "testing"

// Two keys that are spelled alike are keys of one field: else it would be an
// accident which one a record's key stands for.
func TestSpellingsDiffer(t *testing.T) {
	byName := map[string]Field{}
	for _, f := range fields[:Level] {
		for _, name := range append([]string{f.Name}, f.Keys...) {
			spelling := string(singular(appendSpelling(nil, []byte(name))))
			if have, ok := byName[spelling]; ok && have != f.Field {
				t.Errorf("%s: %s or %s", name, have, f.Field)
			}
			byName[spelling] = f.Field
		}
	}
}

func TestSpelledKey(t *testing.T) {
	for name, want := range map[string]Field{
		"ResponseFlags": ResponseFlags, "RESPONSE_FLAGS": ResponseFlags, "response-flag": ResponseFlags, "envoy.response_flags": ResponseFlags,
		"http.status_code": ResponseCode, "http.response.status_code": ResponseCode, "istio.upstreamCluster": UpstreamCluster, "X-Request-ID": RequestID,
		"": NumFields, "s": NumFields, "envoy": NumFields, "httpenvoyistio": NumFields, "upstream": NumFields, "Nachricht": NumFields,
		"response_flags_of_a_key_that_is_too_long_to_be_compared": NumFields, "r\u00e9sponse_code": NumFields,
	} {
		k, known := spelledKey([]byte(name))
		if !known {
			k.field = NumFields
		}
		if k.field != want {
			t.Errorf("%q: %d, want %d", name, k.field, want)
		}
	}
}

// A field's own name wins over another spelling of it, whichever comes first.
func TestOwnNameWins(t *testing.T) {
	for _, line := range []string{
		`{"ResponseCode":200,"response_code":503,"response_flags":"UF","start_time":"2026-03-01T09:14:10Z"}`,
		`{"response_code":503,"ResponseCode":200,"response_flags":"UF","start_time":"2026-03-01T09:14:10Z"}`,
	} {
		r := account(t, []byte(line), AllFields)[0]
		if code, _ := r.Code(); r.Kind != Access || code != 503 || r.Suspicious {
			t.Errorf("%s: %d", line, code)
		}
	}
}
