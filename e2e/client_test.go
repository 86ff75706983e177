//go:build e2e

package e2e

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// A Client is a scripted user. What it gets back is not judged: the access
// log is.
type Client func(*session)

// A session is what a client knows of its scenario.
type session struct {
	ip    string
	id    string // the request id that is sent
	envoy *envoy
	port  string // what dial connects to instead of the listener
}

// clientPatience bounds every connection of a client.
const clientPatience = 30 * time.Second

// dial connects to the listener, or to another port of the scenario.
func (s *session) dial(port string) *conn {
	if port == listenPort && s.port != "" {
		port = s.port
	}
	c, err := net.DialTimeout("tcp", s.ip+port, 5*time.Second)
	if err != nil {
		panic(fmt.Errorf("client: %w", err))
	}
	c.SetDeadline(time.Now().Add(clientPatience))
	return newConn(c)
}

// dialTLS does a handshake; an error is one of the outcomes.
func (s *session) dialTLS(config *tls.Config) (*conn, error) {
	raw := s.dial(listenPort)
	c := tls.Client(raw.Conn, config)
	if err := c.Handshake(); err != nil {
		raw.Close()
		return nil, err
	}
	return newConn(c), nil
}

// text is a request of HTTP/1.1 with the usual headers, and more of them.
func (s *session) text(line string, more ...string) string {
	lines := []string{line + " HTTP/1.1", "host: reviews.lab", "user-agent: lab/1", "x-request-id: " + s.id}
	for _, h := range more {
		if strings.HasPrefix(h, "host:") {
			lines[1] = h
		} else {
			lines = append(lines, h)
		}
	}
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

// response reads one answer with its body.
func (c *conn) response(method string) {
	if r, err := http.ReadResponse(c.in, &http.Request{Method: method}); err == nil {
		io.Copy(io.Discard, r.Body)
	}
}

// request asks once, in HTTP/1.1, and waits for the answer.
func request(line string, more ...string) Client {
	return func(s *session) {
		c := s.dial(listenPort)
		defer c.Close()
		c.send(s.text(line, more...))
		c.response(strings.Fields(line)[0])
	}
}

func get(path string, more ...string) Client { return request("GET "+path, more...) }

// post sends a body of n bytes.
func post(path string, n int, more ...string) Client {
	return func(s *session) {
		c := s.dial(listenPort)
		defer c.Close()
		c.send(s.text("POST "+path, append(more, fmt.Sprintf("content-length: %d", n))...))
		c.send(strings.Repeat("x", n))
		c.response("POST")
	}
}

// gets asks several times, each on a connection of its own.
func gets(n int, path string, more ...string) Client {
	return func(s *session) {
		for range n {
			get(path, more...)(s)
		}
	}
}

// together asks several times at once.
func together(clients ...Client) Client {
	return func(s *session) {
		done := make(chan any, len(clients))
		for i, c := range clients {
			go func() {
				defer func() { done <- recover() }()
				time.Sleep(time.Duration(i) * 250 * time.Millisecond) // log order is the order of the list
				c(s)
			}()
		}
		for range clients {
			if fault := <-done; fault != nil {
				panic(fault)
			}
		}
	}
}

// leaves sends the request and goes after the delay.
func leaves(delay time.Duration, line string, more ...string) Client {
	return func(s *session) {
		c := s.dial(listenPort)
		defer c.Close()
		c.send(s.text(line, more...))
		time.Sleep(delay)
	}
}

// raw sends bytes and reads what comes until the end, or for a second.
func raw(text string) Client {
	return func(s *session) {
		c := s.dial(listenPort)
		defer c.Close()
		c.send(text)
		c.SetDeadline(time.Now().Add(time.Second))
		io.Copy(io.Discard, c)
	}
}

// hello sends the first bytes of TLS.
func hello() Client {
	return func(s *session) {
		if c, err := s.dialTLS(&tls.Config{ServerName: "reviews.lab", InsecureSkipVerify: true}); err == nil {
			c.Close()
		}
	}
}

// secure asks over TLS. A refusal of the other side shows when reading.
func secure(config *tls.Config, line string, more ...string) Client {
	return func(s *session) {
		c, err := s.dialTLS(config)
		if err != nil {
			return
		}
		defer c.Close()
		c.send(s.text(line, more...))
		c.response("GET")
	}
}

// pipe sends text and reads one line, as a client of a plain TCP service.
func pipe(text string) Client {
	return func(s *session) {
		c := s.dial(listenPort)
		defer c.Close()
		c.send(text)
		bufio.NewReader(c).ReadString('\n')
	}
}
