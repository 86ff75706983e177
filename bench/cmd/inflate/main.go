// Inflate counts the newlines of a file compressed with gzip or zstd: the least
// that any reader of it has to do, with the library that flagwatch uses.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: inflate FILE.gz|FILE.zst")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "inflate:", err)
		os.Exit(1)
	}
}

func run(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	open := openGzip
	if strings.HasSuffix(path, ".zst") {
		open = openZstd
	}
	r, err := open(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	lines, block := 0, make([]byte, 256<<10)
	for {
		n, err := r.Read(block)
		lines += bytes.Count(block[:n], []byte{'\n'})
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	_, err = fmt.Println(lines)
	return err
}

func openGzip(f io.Reader) (io.Reader, error) { return gzip.NewReader(f) }

func openZstd(f io.Reader) (io.Reader, error) {
	return zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
}
