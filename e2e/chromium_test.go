//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// findChromium returns the path of a Chromium: E2E_CHROMIUM, or what the
// system has.
func findChromium() (string, error) {
	if path := os.Getenv("E2E_CHROMIUM"); path != "" {
		return exec.LookPath(path)
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no chromium in PATH: apt-get install chromium, or name one in E2E_CHROMIUM")
}

func needChromium(t *testing.T) (path string, ok bool) {
	t.Helper()
	return need(t, "chromium", findChromium)
}

// A browser is a Chromium with one page, spoken to through a pipe.
// Source: https://chromedevtools.github.io/devtools-protocol/
type browser struct {
	t        *testing.T
	in       *os.File
	messages chan reply
	session  string
	id       atomic.Int64
	events   []reply // that came while an answer was awaited
}

type reply struct {
	ID     int64           `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func startChromium(t *testing.T, path string) *browser {
	t.Helper()
	theirIn, ourOut := newPipe(t)
	ourIn, theirOut := newPipe(t)
	cmd := exec.CommandContext(t.Context(), path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--remote-debugging-pipe", "--user-data-dir="+profileDir(t), "about:blank")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // the descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, in: ourOut, messages: make(chan reply, 64)}
	go b.read(ourIn)
	t.Cleanup(func() {
		ourOut.Close()
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	})
	var target struct{ TargetID, SessionID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Accessibility"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// profileDir is a directory for the browser's own files. Its helpers may write
// on for a moment when it is gone, so what can not be removed is left behind.
func profileDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "flagwatch-chromium-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func newPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func (b *browser) read(r *os.File) {
	defer close(b.messages)
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m reply
		if json.Unmarshal(text[:len(text)-1], &m) == nil {
			b.messages <- m
		}
	}
}

// next is the next message; a browser that is silent for long ends the test.
func (b *browser) next() reply {
	b.t.Helper()
	select {
	case m, ok := <-b.messages:
		if !ok {
			b.t.Fatal("chromium has ended")
		}
		return m
	case <-time.After(time.Minute):
		b.t.Fatal("chromium does not answer")
	}
	return reply{}
}

// call asks for something and waits for the answer. Events meanwhile are kept.
func (b *browser) call(method string, params map[string]any, result any) {
	b.t.Helper()
	id := b.id.Add(1)
	request := map[string]any{"id": id, "method": method}
	if params != nil {
		request["params"] = params
	}
	if b.session != "" {
		request["sessionId"] = b.session
	}
	text, err := json.Marshal(request)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		m := b.next()
		switch {
		case m.ID != id:
			b.events = append(b.events, m)
			continue
		case m.Error != nil:
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		case result != nil:
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

// open shows a page at a size and waits until it is loaded. It returns what
// the browser complained about, asked for, or was made to do.
func (b *browser) open(url string, width, height int) (trouble []string) {
	b.t.Helper()
	b.events = nil
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	for loaded := false; !loaded; {
		for _, e := range b.events {
			loaded = loaded || e.Method == "Page.loadEventFired"
		}
		if !loaded {
			b.events = append(b.events, b.next())
		}
	}
	b.eval("new Promise(r => setTimeout(r, 200))", nil) // what a script of the page would do by then
	for _, e := range b.events {
		switch e.Method {
		case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening", "Page.windowOpen":
			trouble = append(trouble, e.Method+" "+string(e.Params))
		case "Network.requestWillBeSent":
			var r struct {
				Request struct{ URL string }
			}
			json.Unmarshal(e.Params, &r)
			if r.Request.URL != url && r.Request.URL != "data:," {
				trouble = append(trouble, "a request for "+r.Request.URL)
			}
		}
	}
	return trouble
}

// eval computes an expression in the page.
func (b *browser) eval(expression string, value any) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if len(r.ExceptionDetails) > 0 {
		b.t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	if value != nil {
		if err := json.Unmarshal(r.Result.Value, value); err != nil {
			b.t.Fatalf("%s: %v: %s", expression, err, r.Result.Value)
		}
	}
}

// screenshot is what is seen of the page, as PNG.
func (b *browser) screenshot() []byte {
	b.t.Helper()
	var r struct{ Data []byte }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	if !bytes.HasPrefix(r.Data, []byte("\x89PNG")) {
		b.t.Fatal("the screenshot is no PNG")
	}
	return r.Data
}

// unnamed are images in the accessibility tree that nothing describes.
func (b *browser) unnamed() (list []string) {
	b.t.Helper()
	type value struct{ Value any }
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name value
		}
	}
	b.call("Accessibility.getFullAXTree", nil, &tree)
	images := 0
	for _, n := range tree.Nodes {
		if role := fmt.Sprint(n.Role.Value); !n.Ignored && (role == "image" || role == "link" || role == "region" || role == "DisclosureTriangle") {
			images++
			if n.Name.Value == nil || n.Name.Value == "" {
				list = append(list, role)
			}
		}
	}
	if images == 0 {
		b.t.Error("the accessibility tree has no image and no link")
	}
	return list
}
