package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A batch is one of a partition's log.
// https://kafka.apache.org/documentation/#recordbatch
type batch struct {
	base, next int64 // its first offset, and the one behind its last
	attributes int16
	producer   int64
	body       []byte // its records, compressed as the attributes say
	magic      byte
}

const (
	codecBits     = 7
	transactional = 1 << 4
	control       = 1 << 5

	frameSize  = 12 // offset and length of a batch
	magicAt    = 16
	batchHead  = 61 // all that stands before the records
	checkedAt  = 21
	abortMark  = 0
	newestKind = 2
)

var (
	errCut     = errors.New("a batch is cut off")
	errDamaged = errors.New("a batch is damaged")
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// cutBatch takes the first batch off a log. It is errCut when the log ends
// within it. What a batch says of itself is not checked yet.
func cutBatch(log []byte) (whole, rest []byte, err error) {
	if len(log) <= magicAt {
		return nil, nil, errCut
	}
	size := int64(binary.BigEndian.Uint32(log[8:]))
	switch {
	case size > maxAnswer || size <= magicAt-frameSize:
		return nil, nil, fmt.Errorf("%w: its length is %d", errDamaged, size)
	case frameSize+size > int64(len(log)):
		return nil, nil, errCut
	}
	return log[:frameSize+size], log[frameSize+size:], nil
}

// lastOffset is the offset of the last record of a whole batch, by its head
// alone.
func lastOffset(whole []byte) int64 {
	base := int64(binary.BigEndian.Uint64(whole))
	if whole[magicAt] < newestKind || len(whole) < batchHead {
		return base
	}
	return base + int64(int32(binary.BigEndian.Uint32(whole[23:])))
}

// parseBatch reads the head of a whole batch and compares its checksum.
func parseBatch(whole []byte) (b batch, err error) {
	b.magic = whole[magicAt]
	switch {
	case b.magic > newestKind:
		return b, fmt.Errorf("a batch is of the unknown format %d", b.magic)
	case b.magic < newestKind:
		return parseMessage(whole)
	case len(whole) < batchHead:
		return b, errDamaged
	}
	if want, have := binary.BigEndian.Uint32(whole[17:]), crc32.Checksum(whole[checkedAt:], castagnoli); want != have {
		return b, checksumError(want, have)
	}
	b.base = int64(binary.BigEndian.Uint64(whole))
	b.attributes = int16(binary.BigEndian.Uint16(whole[21:]))
	b.next = b.base + int64(int32(binary.BigEndian.Uint32(whole[23:]))) + 1
	b.producer = int64(binary.BigEndian.Uint64(whole[43:]))
	b.body = whole[batchHead:]
	return b, nil
}

func checksumError(want, have uint32) error {
	return fmt.Errorf("checksum %08x of a batch is not %08x", have, want)
}

// A record is one of a batch. Its bytes are the batch's.
type record struct {
	offset  int64
	key     []byte
	value   []byte
	headers []header
}

type header struct{ key, value []byte }

// records calls f with each record of a batch's body, which is decompressed by
// now. The record is f's until f returns.
func (b *batch) records(body []byte, rec *record, f func(*record) error) error {
	if b.magic < newestKind {
		return b.messages(body, rec, f)
	}
	d := fields{rest: body}
	for len(d.rest) > 0 {
		one := fields{rest: d.sized(), bad: d.bad}
		one.take(1)  // attributes, of which there are none
		one.varint() // milliseconds since the batch's first
		rec.offset = b.base + one.varint()
		rec.key, rec.value = one.sized(), one.sized()
		rec.headers = rec.headers[:0]
		for n := one.varint(); n > 0 && !one.bad; n-- {
			rec.headers = append(rec.headers, header{one.sized(), one.sized()})
		}
		if one.bad {
			return errDamaged
		}
		if err := f(rec); err != nil {
			return err
		}
	}
	return nil
}

// fields reads the fields of a record. After an error all that it gives is
// empty.
type fields struct {
	rest []byte
	bad  bool
}

func (d *fields) varint() int64 {
	if len(d.rest) > 1 { // nearly all are of one byte or two
		if a, b := int64(d.rest[0]), int64(d.rest[1]); a < 0x80 {
			d.rest = d.rest[1:]
			return a>>1 ^ -(a & 1)
		} else if b < 0x80 {
			d.rest = d.rest[2:]
			return (a&0x7f|b<<7)>>1 ^ -(a & 1)
		}
	}
	v, n := binary.Varint(d.rest)
	if n <= 0 {
		d.rest, d.bad = nil, true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *fields) take(n int64) []byte {
	if n > int64(len(d.rest)) {
		d.rest, d.bad = nil, true
		return nil
	}
	if n < 0 { // there is none
		return nil
	}
	v := d.rest[:n:n]
	d.rest = d.rest[n:]
	return v
}

// sized takes what has its length in front.
func (d *fields) sized() []byte { return d.take(d.varint()) }
