//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// reportPage writes the page of a log into dir and returns its address.
func reportPage(t *testing.T, dir, name string, log []byte) string {
	t.Helper()
	bin, err := buildFlagwatch(dir)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), bin, "-o", "html")
	cmd.Stdin = bytes.NewReader(log)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if len(out) > 250_000 {
		t.Errorf("%s has %d bytes", name, len(out))
	}
	file := filepath.Join(dir, name+".html")
	if err := os.WriteFile(file, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

// keep writes a screenshot into the folder that E2E_SCREENSHOTS names.
func keep(t *testing.T, name string, png []byte) {
	t.Helper()
	if dir := os.Getenv("E2E_SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPage opens the sample's page in a real browser, wide and narrow, light
// and dark.
func TestPage(t *testing.T) {
	path, ok := needChromium(t)
	if !ok {
		return
	}
	log, err := os.ReadFile("../testdata/logs/sample.log")
	if err != nil {
		t.Fatal(err)
	}
	b := startChromium(t, path)
	url := reportPage(t, t.TempDir(), "sample", log)
	for _, scheme := range []string{"light", "dark"} {
		b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
		for _, width := range []int{1280, 390} {
			if trouble := b.open(url, width, 900); len(trouble) > 0 {
				t.Errorf("%d px, %s: %q", width, scheme, trouble)
			}
			keep(t, fmt.Sprintf("page-%d-%s", width, scheme), b.screenshot())
			checkPage(t, b, width)
			if n := b.contrast(); n < 4.5 {
				t.Errorf("%d px, %s: the least contrast of text is %.2f", width, scheme, n)
			}
		}
	}
}

// checkPage asks what a reader, a keyboard and a screen reader need.
func checkPage(t *testing.T, b *browser, width int) {
	t.Helper()
	var page struct {
		Overflow      bool
		Height        float64
		Next, Heading string
		Failed        int
		Levels        []int
		Scrollers     int
		Untitled      int
	}
	b.eval(`({
		overflow: document.documentElement.scrollWidth > innerWidth,
		height: document.querySelector('.next .cmd').getBoundingClientRect().bottom,
		next: document.querySelector('.next .cmd').textContent,
		heading: document.querySelector('h1').textContent,
		failed: JSON.parse(document.getElementById('report').textContent).totals.failed,
		levels: [...document.querySelectorAll('h1,h2,h3')].map(h => +h.tagName[1]),
		scrollers: [...document.querySelectorAll('.scroll')].filter(e => e.tabIndex < 0).length,
		untitled: [...document.querySelectorAll('svg')].filter(e => e.getAttribute('aria-hidden') != 'true' && !e.querySelector('title')).length,
	})`, &page)
	if page.Overflow {
		t.Errorf("%d px: the page is wider than the window", width)
	}
	if page.Height > 700 || !strings.HasPrefix(page.Next, "kubectl ") || !strings.Contains(page.Heading, "reviews.shop:9080") {
		t.Errorf("%d px: the first screen has %q at %.0f px and %q", width, page.Next, page.Height, page.Heading)
	}
	if page.Failed != 92 {
		t.Errorf("%d px: the document says that %d failed", width, page.Failed)
	}
	for i, l := range page.Levels {
		if i == 0 && l != 1 || i > 0 && (l == 1 || l > page.Levels[i-1]+1) {
			t.Errorf("%d px: headings %v", width, page.Levels)
			break
		}
	}
	if page.Scrollers > 0 || page.Untitled > 0 {
		t.Errorf("%d px: %d tables that a keyboard can not scroll, %d pictures without a title", width, page.Scrollers, page.Untitled)
	}
	if list := b.unnamed(); len(list) > 0 {
		t.Errorf("%d px: without a name: %q", width, list)
	}
}

// contrast is the least contrast of a text with what is behind it.
// Source: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
func (b *browser) contrast() (least float64) {
	b.t.Helper()
	b.eval(`(() => {
		const parse = s => { const m = s.match(/[\d.]+/g).map(Number); return m.length > 3 ? m : [...m, 1] };
		const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b };
		const behind = e => {
			if (!e) return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
			const [r, g, b, a] = parse(getComputedStyle(e).backgroundColor);
			if (a == 1) return [r, g, b];
			const under = behind(e.parentElement);
			return [r, g, b].map((v, i) => v * a + under[i] * (1 - a));
		};
		let least = 21;
		for (const e of document.querySelectorAll('body *')) {
			if (e.closest('svg') || ![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()) || e.tagName == 'SCRIPT' || !e.checkVisibility()) continue;
			const [x, y] = [light(parse(getComputedStyle(e).color)), light(behind(e))];
			least = Math.min(least, (Math.max(x, y) + .05) / (Math.min(x, y) + .05));
		}
		return least;
	})()`, &least)
	return least
}

// TestHostilePage puts what a browser would obey into every place that users
// write to: it stays text, and nothing is asked for (S11).
func TestHostilePage(t *testing.T) {
	path, ok := needChromium(t)
	if !ok {
		return
	}
	asked := 0
	beacon := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer beacon.Close()
	url := beacon.URL
	var log bytes.Buffer
	for i, h := range []string{
		"<script>fetch('" + url + "')</script>", `"><img/src=` + url + `/x/onerror=alert(1)>`, "'><svg/onload=alert(1)>", "</script><script>alert(1)</script>",
		"</title><b>", "</style><script>alert(1)</script>", "<!--<script>", "]]>", "javascript:alert(1)", "&lt;img&gt;", "<base/href=" + url + ">", "<link/rel=stylesheet/href=" + url + ">",
		"<meta/http-equiv=refresh/content=0;url=" + url + ">", "<iframe/src=" + url + ">", "\u2028alert(1)\u2029", "\\u003cscript\\u003ealert(1)", "{{.}}", "${alert(1)}", "\u202e", "\x1b[31m",
	} {
		for range 25 {
			fmt.Fprintf(&log, "[2026-03-17T10:%02d:12.480Z] \"GET /%s HTTP/1.1\" 503 UF,%s%d upstream_reset_before_response_started{connection_failure} - \"%s\" 0 167 58 - \"-\" \"ua %s\" \"id-%s\" \"%s\" \"192.0.2.43:9080\" outbound|9080||%s - 198.51.100.12:9080 192.0.2.21:44867 %s %s\n", i, h, "X", i, h, h, h, h, h, h, h)
		}
		fmt.Fprintf(&log, "{\"start_time\":\"2026-03-17T10:%02d:13Z\",\"response_code\":503,\"response_flags\":\"UH\",\"path\":%q,\"upstream_cluster\":%q,\"user_agent\":%q}\n", i, h, h, h)
	}
	b := startChromium(t, path)
	for _, width := range []int{1280, 390} {
		if trouble := b.open(reportPage(t, t.TempDir(), "hostile", log.Bytes()), width, 900); len(trouble) > 0 {
			t.Errorf("%d px: %q", width, trouble)
		}
		keep(t, fmt.Sprintf("hostile-%d", width), b.screenshot())
		var found struct {
			Strange, Scripts int
			Text             string
		}
		b.eval(`({
			strange: document.querySelectorAll('img, iframe, base, object, embed, form, meta[http-equiv=refresh], link:not([rel=icon]), [onerror], [onload], a[href^="javascript:"]').length,
			scripts: document.querySelectorAll('script').length,
			text: document.body.innerText,
		})`, &found)
		if found.Strange > 0 || found.Scripts != 1 {
			t.Errorf("%d px: %d elements that are not the page's, %d scripts", width, found.Strange, found.Scripts)
		}
		if !strings.Contains(found.Text, "<img/src=") && !strings.Contains(found.Text, "<script>") {
			t.Errorf("%d px: the page does not show what was in the log", width)
		}
	}
	if asked > 0 {
		t.Errorf("%d requests were made", asked)
	}
}
