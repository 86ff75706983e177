package parser

import "testing"

// A map may be a text that looks like JSON: records whose JSON a user broke
// are read as that.
func TestTextTwin(t *testing.T) {
	f, err := CompileJSON([]byte(`{"at":"%START_TIME%","code":"%RESPONSE_CODE%","flags":"%RESPONSE_FLAGS%","ua":"%REQ(USER-AGENT)%","path":"%REQ(:PATH)%"}`))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		`{"at":"2026-05-06T07:08:09.123Z","code":"503","flags":"UF","ua":"a "quoted" b","path":"/x"}`: `a "quoted" b /x`,
		`{"at":"2026-05-06T07:08:09.123Z","code":"503","flags":"UF","ua":"a \\ b","path":"/x\"y"}`:    "a \\ b /x\"y",
		`{"at":"2026-05-06T07:08:09.123Z","code":"503","flags":"UF","ua":"a\b","path":"/x"}`:          "a\b /x",
		`{"path":"/x","code":503,"flags":"UF","ua":"a \"quoted\" b","at":"2026-05-06T07:08:09.123Z"}`: `a "quoted" b /x`,
		`{"at":"2026-05-06T07:08:09.123Z","code":"503","flags":"UF","ua":"back\slash","path":"/q"q"}`: `back\slash /q"q`,
	} {
		r := readOne(t, line, f)
		code, _ := r.Code()
		if got := string(r.Bytes(UserAgent)) + " " + string(r.Bytes(Path)); got != want || code != 503 {
			t.Errorf("%s: %q, want %q, code %d", line, got, want, code)
		}
	}
}
