package agent

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// T84: clients that ask for a page and do not read it, more of them than pages
// are made at a time. Another one gets its page.
func TestClientsThatDoNotRead(t *testing.T) {
	page := bytes.Repeat([]byte("# much more than a socket takes\n"), 1<<20)
	at, stop, err := Serve("127.0.0.1:0", Pages{Metrics: func(w io.Writer) { w.Write(page) }})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for range maxRenders + 1 {
		c, err := net.Dial("tcp", at.String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
		if _, err := io.ReadFull(c, make([]byte, 1)); err != nil { // it is being written
			t.Fatal(err)
		}
	}
	client := http.Client{Timeout: newServer(nil).WriteTimeout - 5*time.Second}
	resp, err := client.Get("http://" + at.String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(got, page) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
