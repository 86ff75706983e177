package kafka

import (
	"bytes"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/valyala/fastjson"
)

// maxValue is how large the text in a message may become.
const maxValue = 16 << 20

// A shaper takes the log text out of messages. It is not safe for concurrent
// use. What it returns is valid until the next message.
type shaper struct {
	key    []string // of the text in a JSON message; nil: those that are known
	json   fastjson.Parser
	value  []byte
	packed []byte
	text   []byte
	gz     *gzip.Reader
	zst    *zstd.Decoder
	last   place
}

func newShaper(key string) *shaper {
	s := &shaper{}
	if key != "" {
		s.key = strings.Split(key, ".")
	}
	return s
}

// shape returns the text of a message and the place that it names.
func (s *shaper) shape(r *protocol.Record) (text []byte, at place, err error) {
	s.value = s.value[:0]
	if r.Value != nil {
		n := r.Value.Len()
		if cap(s.value) < n {
			s.value = make([]byte, n+n/4)
		}
		s.value = s.value[:n]
		if _, err := io.ReadFull(r.Value, s.value); err != nil {
			return nil, at, err
		}
	}
	return s.object(s.unpack(s.value)), s.place(r.Headers), nil
}

// unpack decompresses a value; one that can not be is left as it is.
func (s *shaper) unpack(v []byte) []byte {
	var r io.Reader
	switch {
	case len(v) > 3 && v[0] == 0x1f && v[1] == 0x8b && v[2] == 8:
		if s.gz == nil {
			s.gz = new(gzip.Reader)
		}
		if s.gz.Reset(bytes.NewReader(v)) != nil {
			return v
		}
		r = s.gz
	case len(v) > 4 && string(v[:4]) == "\x28\xb5\x2f\xfd":
		if s.zst == nil {
			s.zst, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxValue), zstd.WithDecoderMaxWindow(8<<20))
		}
		if s.zst.Reset(bytes.NewReader(v)) != nil {
			return v
		}
		r = s.zst
	default:
		return v
	}
	out := bytes.NewBuffer(s.packed[:0])
	_, err := io.Copy(out, io.LimitReader(r, maxValue+1))
	s.packed = out.Bytes()
	if err != nil || len(s.packed) > maxValue {
		return v
	}
	return s.packed
}

// place reads a message's headers: names of OpenTelemetry and of shippers. The
// strings of the last message are used again.
//
// https://opentelemetry.io/docs/specs/semconv/resource/k8s/
func (s *shaper) place(list []protocol.Header) place {
	if len(list) == 0 {
		return place{}
	}
	var found [3][]byte
	for _, h := range list {
		switch h.Key {
		case "k8s.namespace.name", "namespace", "namespace_name":
			found[0] = h.Value
		case "k8s.pod.name", "pod", "pod_name":
			found[1] = h.Value
		case "k8s.container.name", "container", "container_name":
			found[2] = h.Value
		}
	}
	if string(found[0]) != s.last.namespace || string(found[1]) != s.last.pod || string(found[2]) != s.last.container {
		s.last = place{string(found[0]), string(found[1]), string(found[2])}
	}
	return s.last
}
