package kafka

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/fetch"
)

// A fetchRequest is a fetch whose answer is taken off the connection as it is.
// kafka-go would decompress all of it at once and keep each record apart; here
// one batch after the other is, when there is room for it.
type fetchRequest struct {
	fetch.Request
	version int16
	block   func(int) []byte // gives memory for an answer
}

// Required is protocol.RawExchanger's: it learns which version the broker
// speaks.
func (q *fetchRequest) Required(versions map[protocol.ApiKey]int16) bool {
	q.version = versions[protocol.Fetch]
	return true
}

// correlation need not differ: there is one request at a time on a connection,
// which does not outlive an error.
const correlation = 1

// RawExchange is protocol.RawExchanger's. It runs on the goroutine of the
// connection, which may outlive whoever asked.
func (q *fetchRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	if err := protocol.WriteRequest(rw, q.version, correlation, clientID, &q.Request); err != nil {
		return nil, err
	}
	return readResponse(rw, q.version, q.block)
}

// A response is the answer to a fetch.
// https://kafka.apache.org/protocol#The_Messages_Fetch
type response struct {
	code   int16
	parts  []fetched
	memory []byte // that the batches lie in
}

// A fetched is what came of one partition.
type fetched struct {
	part
	code     int16
	logStart int64
	stable   int64 // behind the last record that may be read
	aborted  []abortion
	log      []byte // batches, the last one may be cut off
	tooLarge bool   // there were batches, and they were not read
}

// An abortion is a transaction that was given up.
type abortion struct{ producer, first int64 }

// ApiKey is protocol.Message's.
func (*response) ApiKey() protocol.ApiKey { return protocol.Fetch }

// maxAnswer is how much of an answer is kept. A broker gives more than it was
// asked for only when a batch alone is more.
const maxAnswer = maxDecoded + 1<<20

var errMalformed = errors.New("the answer to a fetch is malformed")

func readResponse(r io.Reader, version int16, block func(int) []byte) (*response, error) {
	d := &inlet{r: r, left: 8}
	size, id := int(d.int32()), d.int32()
	if d.left = size - 4; d.err == nil && (d.left < 0 || id != correlation) {
		d.err = errMalformed
	}
	res := new(response)
	d.int32() // how long the broker holds the connection back
	if version >= 7 {
		res.code = d.int16()
		d.int32() // session
	}
	if d.err != nil {
		return nil, d.err
	}
	res.memory = block(min(size, maxAnswer))
	for n := d.count(); n > 0 && d.err == nil; n-- {
		topic := string(d.bytes(nil, int(d.int16())))
		for n := d.count(); n > 0 && d.err == nil; n-- {
			res.parts = append(res.parts, d.partition(topic, version, res))
		}
	}
	d.skip(d.left)
	return res, d.err
}

func (d *inlet) partition(topic string, version int16, res *response) fetched {
	f := fetched{part: part{topic, int(d.int32())}, code: d.int16()}
	d.int64() // what is replicated, be it of an open transaction
	f.stable = d.int64()
	if version >= 5 {
		f.logStart = d.int64()
	}
	for n := d.count(); n > 0 && d.err == nil; n-- {
		f.aborted = append(f.aborted, abortion{d.int64(), d.int64()})
	}
	if version >= 11 {
		d.int32() // a replica to read from
	}
	n, at := int(d.int32()), len(res.memory)
	if f.tooLarge = n > maxDecoded; f.tooLarge {
		d.skip(n)
		return f
	}
	res.memory = d.bytes(res.memory, max(n, 0))
	f.log = res.memory[at:]
	return f
}

// An inlet reads an answer. After an error all that it gives is zero.
type inlet struct {
	r    io.Reader
	left int // bytes of the answer
	err  error
	word [8]byte
}

func (d *inlet) next(n int) []byte {
	if d.err == nil && n > d.left {
		d.err = errMalformed
	}
	if d.err == nil {
		_, d.err = io.ReadFull(d.r, d.word[:n])
		d.left -= n
	}
	if d.err != nil {
		clear(d.word[:])
	}
	return d.word[:n]
}

func (d *inlet) int16() int16 { return int16(binary.BigEndian.Uint16(d.next(2))) }
func (d *inlet) int32() int32 { return int32(binary.BigEndian.Uint32(d.next(4))) }
func (d *inlet) int64() int64 { return int64(binary.BigEndian.Uint64(d.next(8))) }

// count is the length of a list.
func (d *inlet) count() int { return int(d.int32()) }

// bytes appends the next n bytes to dst.
func (d *inlet) bytes(dst []byte, n int) []byte {
	if d.err == nil && (n < 0 || n > d.left) {
		d.err = errMalformed
	}
	if d.err != nil {
		return dst
	}
	at := len(dst)
	if cap(dst)-at < n {
		dst = append(make([]byte, 0, at+n), dst...)
	}
	dst = dst[:at+n]
	_, d.err = io.ReadFull(d.r, dst[at:])
	d.left -= n
	return dst
}

func (d *inlet) skip(n int) {
	if d.err == nil && n > d.left {
		d.err = errMalformed
	}
	if d.err == nil {
		_, d.err = io.CopyN(io.Discard, d.r, int64(n))
		d.left -= n
	}
}
