package source

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

// The signatures and flags of a zip archive: .ZIP File Format Specification,
// sections 4.3 and 4.4.
const (
	zipLocal      = "PK\x03\x04"
	zipDescriptor = "PK\x07\x08"
	zipEncrypted  = 1 << 0
	zipTrailing   = 1 << 3 // sizes follow the data
	zipStored     = 0
	zipDeflated   = 8
	zip64         = 0xffffffff
)

func isZip(b []byte) bool {
	return bytes.HasPrefix(b, []byte(zipLocal)) || bytes.HasPrefix(b, []byte("PK\x05\x06"))
}

// A zipReader reads the members of a zip archive in the order in which they
// stand, without the directory at the end: an archive may come from a pipe, or
// be cut off.
type zipReader struct {
	r *bufio.Reader

	name   string
	method uint16
	flags  uint16
	crc    uint32
	size   int64 // packed, -1: not known
	whole  int64 // unpacked, -1: not known
	is64   bool

	body   io.Reader
	packed int64 // bytes of the body that were read, if stored
	n      int64
	sum    uint32
	err    error
}

func newZip(r *bufio.Reader) *zipReader { return &zipReader{r: r, err: io.EOF} }

// next goes to the next member behind the rest of this one. io.EOF is the end.
func (z *zipReader) next() error {
	if _, err := io.Copy(io.Discard, z); err != nil && !z.find() {
		return err
	}
	var head [30]byte
	if _, err := io.ReadFull(z.r, head[:4]); err != nil {
		return unexpected(err)
	}
	if string(head[:4]) != zipLocal {
		return z.end(head[:4])
	}
	if _, err := io.ReadFull(z.r, head[4:]); err != nil {
		return unexpected(err)
	}
	le := binary.LittleEndian
	z.flags, z.method, z.crc = le.Uint16(head[6:]), le.Uint16(head[8:]), le.Uint32(head[14:])
	z.size, z.whole = int64(le.Uint32(head[18:])), int64(le.Uint32(head[22:]))
	rest := make([]byte, int(le.Uint16(head[26:]))+int(le.Uint16(head[28:])))
	if _, err := io.ReadFull(z.r, rest); err != nil {
		return unexpected(err)
	}
	z.name = string(rest[:le.Uint16(head[26:])])
	z.extra(rest[len(z.name):])
	return z.begin()
}

// find moves to the next member behind a damage.
func (z *zipReader) find() bool {
	for {
		buf, err := z.r.Peek(z.r.Size())
		if i := bytes.Index(buf, []byte(zipLocal)); i >= 0 {
			z.r.Discard(i)
			return true
		}
		if err != nil {
			return false
		}
		z.r.Discard(len(buf) - len(zipLocal) + 1)
	}
}

// end checks that the directory begins here.
func (z *zipReader) end(mark []byte) error {
	if mark[0] == 'P' && mark[1] == 'K' {
		return io.EOF
	}
	return errors.New("corrupt zip: no member and no directory")
}

// extra looks for the sizes of a large member.
func (z *zipReader) extra(b []byte) {
	z.is64 = false
	for len(b) >= 4 {
		id, n := binary.LittleEndian.Uint16(b), int(binary.LittleEndian.Uint16(b[2:]))
		b = b[4:]
		if n > len(b) {
			return
		}
		if id == 1 {
			z.is64 = true
			if n >= 16 && z.whole == zip64 && z.size == zip64 {
				z.whole, z.size = int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))
			}
		}
		b = b[n:]
	}
}

// begin prepares the body.
func (z *zipReader) begin() error {
	z.n, z.packed, z.sum, z.err = 0, 0, 0, nil
	trailing := z.flags&zipTrailing != 0
	if trailing {
		z.size, z.whole = -1, -1
	}
	switch {
	case z.flags&zipEncrypted != 0:
		z.body = nil
	case z.method == zipDeflated:
		z.body = flate.NewReader(z.r)
	case z.method == zipStored && !trailing:
		z.body = io.LimitReader(z.r, z.size)
	case z.method == zipStored:
		z.body = (*zipTail)(z)
	default:
		z.body = nil
	}
	return nil
}

// unreadable says why the member can not be unpacked, or nil.
func (z *zipReader) unreadable() error {
	switch {
	case z.body != nil:
		return nil
	case z.flags&zipEncrypted != 0:
		return errors.New("is encrypted")
	}
	return fmt.Errorf("is packed with method %d, which is not supported", z.method)
}

// Read reads the member.
func (z *zipReader) Read(p []byte) (int, error) {
	if z.err != nil {
		return 0, z.err
	}
	if z.body == nil {
		return 0, z.skip()
	}
	n, err := z.body.Read(p)
	z.n += int64(n)
	z.sum = crc32.Update(z.sum, crc32.IEEETable, p[:n])
	if err == io.EOF {
		err = z.finish()
	} else if err != nil {
		err = &corruptError{"zip", err}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("truncated zip")
		}
	}
	z.err = err
	return n, err
}

// skip passes over what can not be unpacked.
func (z *zipReader) skip() error {
	if z.size < 0 {
		z.err = errors.New("nothing behind it can be found")
		return z.err
	}
	_, err := io.CopyN(io.Discard, z.r, z.size)
	z.err = io.EOF
	if err != nil {
		z.err = unexpected(err)
	}
	return z.err
}

// finish checks the sum, which may follow the body.
func (z *zipReader) finish() error {
	if z.flags&zipTrailing != 0 {
		if err := z.descriptor(); err != nil {
			return unexpected(err)
		}
	} else if z.whole != z.n {
		return errors.New("truncated zip")
	}
	if z.sum != z.crc {
		return &corruptError{"zip", errors.New("checksum mismatch")}
	}
	return io.EOF
}

// descriptor reads the sum and sizes behind a body; its signature is optional.
func (z *zipReader) descriptor() error {
	sizes := 8
	if z.is64 {
		sizes = 16
	}
	var buf [24]byte
	if _, err := io.ReadFull(z.r, buf[:4]); err != nil {
		return err
	}
	b := buf[:4+sizes]
	if string(buf[:4]) == zipDescriptor {
		b = buf[:8+sizes]
	}
	if _, err := io.ReadFull(z.r, b[4:]); err != nil {
		return err
	}
	z.crc = binary.LittleEndian.Uint32(b[len(b)-sizes-4:])
	return nil
}

// A zipTail is a stored body whose size stands behind it: it ends where a
// descriptor with that very size begins.
type zipTail zipReader

func (t *zipTail) Read(p []byte) (int, error) {
	buf, err := t.r.Peek(t.r.Size())
	if len(buf) == 0 {
		return 0, unexpected(err)
	}
	n := len(buf)
	if err == nil {
		n -= 24 // what may be the beginning of a descriptor
	}
	if i := bytes.Index(buf, []byte(zipDescriptor)); i >= 0 && i <= n {
		n = i
		if t.endsAt(buf[i:], t.packed+int64(i)) {
			if i == 0 {
				return 0, io.EOF
			}
		} else if i == 0 {
			n = 1
		}
	}
	n = copy(p, buf[:n])
	t.r.Discard(n)
	t.packed += int64(n)
	return n, nil
}

func (t *zipTail) endsAt(b []byte, size int64) bool {
	if t.is64 {
		return len(b) >= 24 && int64(binary.LittleEndian.Uint64(b[8:])) == size
	}
	return len(b) >= 16 && binary.LittleEndian.Uint32(b[8:]) == uint32(size) && binary.LittleEndian.Uint32(b[12:]) == uint32(size)
}

// unexpected makes the end of the input a truncation.
func unexpected(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("truncated zip")
	}
	return err
}
