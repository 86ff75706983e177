//go:build e2e

package e2e

import (
	"crypto/tls"
	"encoding/binary"
	"io"
)

// HTTP/2 by hand, because the lab needs frames that no library sends:
// https://www.rfc-editor.org/rfc/rfc9113 and, for headers, the forms of
// https://www.rfc-editor.org/rfc/rfc7541 that use no table.

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// Frame types, flags and error codes.
const (
	frameData, frameHeaders, frameReset, frameSettings, framePing, frameGoAway, frameWindow = 0, 1, 3, 4, 6, 7, 8

	endStream, ack, endHeaders = 1, 1, 4

	protocolError, internalError, refusedStream, cancel = 1, 2, 7, 8
)

// An h2 is one end of an HTTP/2 connection.
type h2 struct{ *conn }

func (h h2) frame(kind, flags byte, stream uint32, payload []byte) {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	b = append(b, flags)
	b = binary.BigEndian.AppendUint32(b, stream)
	h.Write(append(b, payload...))
}

func (h h2) next() (kind, flags byte, stream uint32, payload []byte, err error) {
	var b [9]byte
	if _, err = io.ReadFull(h.in, b[:]); err != nil {
		return
	}
	payload = make([]byte, int(b[0])<<16|int(b[1])<<8|int(b[2]))
	_, err = io.ReadFull(h.in, payload)
	return b[3], b[4], binary.BigEndian.Uint32(b[5:]) & 0x7fffffff, payload, err
}

// headers sends names and values in turn.
func (h h2) headers(stream uint32, end bool, pairs ...string) {
	var block []byte
	for i, text := range pairs {
		if i%2 == 0 {
			block = append(block, 0) // a literal that enters no table
		}
		block = append(prefixed(block, len(text)), text...)
	}
	flags := byte(endHeaders)
	if end {
		flags |= endStream
	}
	h.frame(frameHeaders, flags, stream, block)
}

// prefixed appends n in 7 bits and as many bytes more as it needs.
func prefixed(b []byte, n int) []byte {
	if n < 127 {
		return append(b, byte(n))
	}
	return binary.AppendUvarint(append(b, 127), uint64(n-127))
}

func (h h2) reset(stream, code uint32) {
	h.frame(frameReset, 0, stream, binary.BigEndian.AppendUint32(nil, code))
}

// widen allows the other side another 16 MB.
func (h h2) widen(stream uint32) {
	h.frame(frameWindow, 0, stream, binary.BigEndian.AppendUint32(nil, 1<<24))
}

func (h h2) goAway(last, code uint32) {
	h.frame(frameGoAway, 0, 0, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, last), code))
}

// await answers settings and pings until a frame of the stream says that it
// has ended, the connection ends, or seen says that it is enough.
func (h h2) await(seen func(kind, flags byte, stream uint32) bool) {
	for {
		kind, flags, stream, payload, err := h.next()
		switch {
		case err != nil:
			return
		case kind == frameSettings && flags&ack == 0:
			h.frame(frameSettings, ack, 0, nil)
		case kind == framePing && flags&ack == 0:
			h.frame(framePing, ack, 0, payload)
		}
		if seen(kind, flags, stream) {
			return
		}
	}
}

func ended(kind, flags byte, stream uint32) bool {
	return stream > 0 && (kind == frameReset || flags&endStream != 0 && kind <= frameHeaders)
}

// h2Upstream runs the script for each request, as soon as all of it is here.
func h2Upstream(script func(h h2, stream uint32)) Upstream {
	return Upstream{Serve: func(c *conn) {
		if _, err := io.CopyN(io.Discard, c.in, int64(len(preface))); err != nil {
			return
		}
		h := h2{c}
		h.frame(frameSettings, 0, 0, nil)
		h.await(func(kind, flags byte, stream uint32) bool {
			if ended(kind, flags, stream) && kind != frameReset {
				script(h, stream)
			}
			return false
		})
	}}
}

// h2Client speaks HTTP/2 in plaintext.
func h2Client(script func(s *session, h h2)) Client {
	return func(s *session) {
		c := s.dial(listenPort)
		defer c.Close()
		h := h2{c}
		h.send(preface)
		h.frame(frameSettings, 0, 0, nil)
		script(s, h)
	}
}

// h2Secure speaks HTTP/2 over TLS.
func h2Secure(config *tls.Config, script func(s *session, h h2)) Client {
	return func(s *session) {
		c, err := s.dialTLS(config)
		if err != nil {
			return
		}
		defer c.Close()
		h := h2{c}
		h.send(preface)
		h.frame(frameSettings, 0, 0, nil)
		script(s, h)
	}
}

// ask sends a request without a body.
func (h h2) ask(s *session, path string, more ...string) {
	pairs := []string{":method", "GET", ":scheme", "http", ":path", path, ":authority", "reviews.lab", "user-agent", "lab/1", "x-request-id", s.id}
	h.headers(1, true, replaced(pairs, more)...)
}

// replaced puts the values of more in place and the new names behind.
func replaced(pairs, more []string) []string {
next:
	for i := 0; i < len(more); i += 2 {
		for j := 0; j < len(pairs); j += 2 {
			if pairs[j] == more[i] {
				pairs[j+1] = more[i+1]
				continue next
			}
		}
		pairs = append(pairs, more[i], more[i+1])
	}
	return pairs
}

// h2get asks once and waits for the answer.
func h2get(path string, more ...string) Client {
	return h2Client(func(s *session, h h2) {
		h.ask(s, path, more...)
		h.await(ended)
	})
}

// grpc calls a method with an empty message.
func grpc(path string, more ...string) Client {
	return h2Client(func(s *session, h h2) {
		pairs := []string{":method", "POST", ":scheme", "http", ":path", path, ":authority", "reviews.lab", "user-agent", "grpc-lab/1",
			"x-request-id", s.id, "content-type", "application/grpc", "te", "trailers"}
		h.headers(1, false, replaced(pairs, more)...)
		h.frame(frameData, endStream, 1, make([]byte, 5))
		h.await(ended)
	})
}

// grpcAnswer answers each call with the status.
func grpcAnswer(status string) Upstream {
	return h2Upstream(func(h h2, stream uint32) {
		h.headers(stream, false, ":status", "200", "content-type", "application/grpc")
		h.headers(stream, true, "grpc-status", status)
	})
}
