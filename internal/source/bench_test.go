package source

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/flagwatch/flagwatch/bench/gen"
)

// benchText is an access log.
func benchText(b *testing.B) []byte {
	g, err := gen.New(gen.Config{Dialect: "istio-text", Fail: 0.06, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	var text []byte
	for len(text) < 32<<20 {
		text = g.Append(text)
	}
	return text
}

// BenchmarkUnpack reads packed files of the same contents: compare it with
// BenchmarkDecode, the bare loop.
func BenchmarkUnpack(b *testing.B) {
	text := benchText(b)
	for _, format := range []string{"gzip", "zstd", "lz4", "snappy"} {
		path := filepath.Join(b.TempDir(), "x")
		if err := os.WriteFile(path, []byte(pack(b, format, string(text))), 0o644); err != nil {
			b.Fatal(err)
		}
		b.Run(format, func(b *testing.B) {
			b.SetBytes(4 * int64(len(text)))
			b.ReportAllocs()
			var batch Batch
			for b.Loop() {
				r, err := New([]string{path, path, path, path}, nil, Options{Parallel: 1})
				if err != nil {
					b.Fatal(err)
				}
				n := int64(0)
				for r.Next(b.Context(), &batch) == nil {
					n += batch.Bytes()
				}
				if n != 4*int64(len(text)) {
					b.Fatal(n)
				}
			}
		})
	}
}

// BenchmarkDecode is the bare loop over the same library.
func BenchmarkDecode(b *testing.B) {
	text := benchText(b)
	for _, format := range []string{"gzip", "zstd"} {
		data := pack(b, format, string(text))
		path := filepath.Join(b.TempDir(), "x")
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			b.Fatal(err)
		}
		b.Run(format, func(b *testing.B) {
			b.SetBytes(4 * int64(len(text)))
			buf := make([]byte, blockSize)
			for b.Loop() {
				for range 4 {
					f, err := os.Open(path)
					if err != nil {
						b.Fatal(err)
					}
					var r io.Reader
					if format == "gzip" {
						r, err = gzip.NewReader(f)
					} else {
						r, err = zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
					}
					for n := 1; err == nil && n > 0; {
						n, err = r.Read(buf)
					}
					f.Close()
				}
			}
		})
	}
}
