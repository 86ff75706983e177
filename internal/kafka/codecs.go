package kafka

import (
	"errors"
	"io"

	"github.com/segmentio/kafka-go/compress"
)

var errTooLarge = errors.New("a batch of records is larger than 64 MiB when it is decompressed")

// limitCodecs bounds what kafka-go decompresses: a few kilobytes of a producer
// must not become gigabytes here. The table of codecs is one for the program;
// it is changed once, before the first fetch.
func limitCodecs() {
	for i, c := range compress.Codecs {
		if _, ok := c.(limitedCodec); !ok && c != nil {
			compress.Codecs[i] = limitedCodec{c}
		}
	}
}

type limitedCodec struct{ compress.Codec }

func (c limitedCodec) NewReader(r io.Reader) io.ReadCloser {
	return &limitedReader{c.Codec.NewReader(r), maxDecoded}
}

// A limitedReader fails when more than left bytes come.
type limitedReader struct {
	io.ReadCloser
	left int
}

func (r *limitedReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if r.left -= n; r.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}
