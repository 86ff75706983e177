//go:build e2e

package e2e

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// An Upstream is a scripted server. Each script gets a connection of its own
// and the connection is closed behind it. Without a script nothing listens.
type Upstream struct {
	TLS     *tls.Config
	Serve   func(*conn)
	Backlog bool // listen, but never accept: SYNs are dropped when the queue is full
	Port    string
	Late    time.Duration // begin to listen so long after the proxy is ready
}

// A conn is one end of a connection. Only its script uses it.
type conn struct {
	net.Conn
	in    *bufio.Reader
	count int // requests read so far
}

func newConn(c net.Conn) *conn { return &conn{Conn: c, in: bufio.NewReader(c)} }

// startUpstream serves until the test ends. A script that still waits then
// sees its connection closed.
func startUpstream(t *testing.T, up Upstream, ip string) {
	t.Helper()
	port := upPort
	if up.Port != "" {
		port = up.Port
	}
	if up.Backlog {
		fillBacklog(t, ip+port)
		return
	}
	if up.Serve == nil {
		return
	}
	l, err := net.Listen("tcp", ip+port)
	if err != nil {
		t.Error(err)
		return
	}
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		defer mu.Unlock()
		for c := range open {
			c.Close()
		}
	})
	go func() {
		for {
			raw, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[raw] = true
			mu.Unlock()
			go func() {
				defer raw.Close()
				c := raw
				if up.TLS != nil {
					secure := tls.Server(raw, up.TLS)
					if secure.Handshake() != nil {
						return
					}
					c = secure
				}
				up.Serve(newConn(c))
			}()
		}
	}()
}

// fillBacklog listens with the shortest queue and fills it, so that the
// kernel drops the SYNs of everybody else.
func fillBacklog(t *testing.T, address string) {
	t.Helper()
	host, port, _ := net.SplitHostPort(address)
	number, _ := net.LookupPort("tcp", port)
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	at := &syscall.SockaddrInet4{Port: number, Addr: [4]byte(net.ParseIP(host).To4())}
	if err := syscall.Bind(fd, at); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if c, err := net.DialTimeout("tcp", address, 300*time.Millisecond); err == nil {
			t.Cleanup(func() { c.Close() })
		}
	}
}

// request reads a request with its body; false is the end of the connection.
func (c *conn) request() (*http.Request, bool) {
	r, err := http.ReadRequest(c.in)
	if err != nil {
		return nil, false
	}
	_, err = io.Copy(io.Discard, r.Body)
	c.count++
	return r, err == nil
}

// head reads up to the empty line behind the headers and leaves the body.
func (c *conn) head() bool {
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return false
		}
		if strings.TrimRight(line, "\r\n") == "" {
			return true
		}
	}
}

func (c *conn) send(text string) { io.WriteString(c, text) }

// hold waits until the other side closes.
func (c *conn) hold() { io.Copy(io.Discard, c.in) }

// reset ends the connection with an RST.
func (c *conn) reset() {
	raw := c.Conn
	if secure, ok := raw.(*tls.Conn); ok {
		raw = secure.NetConn()
	}
	raw.(*net.TCPConn).SetLinger(0)
	raw.Close()
}

const okAnswer = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok\n"

// answers writes the text for each request and keeps the connection.
func answers(text string) Upstream {
	return Upstream{Serve: func(c *conn) {
		for {
			if _, ok := c.request(); !ok {
				return
			}
			c.send(text)
		}
	}}
}

// once writes the text for the first request, then runs the end.
func once(text string, end func(*conn)) Upstream {
	return Upstream{Serve: func(c *conn) {
		if _, ok := c.request(); ok {
			c.send(text)
			end(c)
		}
	}}
}

func closes(*conn)     {}
func resets(c *conn)   { c.reset() }
func holds(c *conn)    { c.hold() }
func silent() Upstream { return Upstream{Serve: holds} }

// over speaks TLS first.
func (u Upstream) over(config *tls.Config) Upstream {
	u.TLS = config
	return u
}

// after listens later than the proxy.
func (u Upstream) after(delay time.Duration) Upstream {
	u.Late = delay
	return u
}

// at listens on another port.
func (u Upstream) at(port string) Upstream {
	u.Port = port
	return u
}
