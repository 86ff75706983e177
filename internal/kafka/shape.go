package kafka

import (
	"bytes"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/valyala/fastjson"
)

// maxValue is how large the text in a message may become.
const maxValue = 16 << 20

// A shaper takes the log text out of messages. It is not safe for concurrent
// use. What it returns is valid until the next message.
type shaper struct {
	key    []string // of the text in a JSON message; nil: those that are known
	json   fastjson.Parser
	packed []byte
	text   []byte
	gz     *gzip.Reader
	zst    *zstd.Decoder
	last   place
	rec    record
	batch  unpacker
}

func newShaper(key string) *shaper {
	s := &shaper{}
	if key != "" {
		s.key = strings.Split(key, ".")
	}
	return s
}

// shape returns the text of a message and the place that it names.
func (s *shaper) shape(r *record) (text []byte, at place) {
	return s.object(s.inflate(r.value)), s.place(r.headers)
}

// inflate decompresses a value; one that can not be is left as it is.
func (s *shaper) inflate(v []byte) []byte {
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
func (s *shaper) place(list []header) place {
	if len(list) == 0 {
		return place{}
	}
	var found [3][]byte
	for _, h := range list {
		switch string(h.key) {
		case "k8s.namespace.name", "namespace", "namespace_name":
			found[0] = h.value
		case "k8s.pod.name", "pod", "pod_name":
			found[1] = h.value
		case "k8s.container.name", "container", "container_name":
			found[2] = h.value
		}
	}
	if string(found[0]) != s.last.namespace || string(found[1]) != s.last.pod || string(found[2]) != s.last.container {
		s.last = place{string(found[0]), string(found[1]), string(found[2])}
	}
	return s.last
}
