package kafka

import (
	"encoding/binary"
	"hash/crc32"
)

// What is written here reads the messages that logs held before Kafka 0.11 had
// batches. A compressed message holds others; its offset is that of the last.
// https://kafka.apache.org/documentation/#messageset

const (
	messageHead = 18 // up to the attributes
	stampSize   = 8  // in format 1 only
)

// parseMessage makes a batch of one message, and compares its checksum.
func parseMessage(whole []byte) (b batch, err error) {
	b.magic = whole[magicAt]
	if len(whole) < messageHead {
		return b, errDamaged
	}
	if want, have := binary.BigEndian.Uint32(whole[12:]), crc32.ChecksumIEEE(whole[magicAt:]); want != have {
		return b, checksumError(want, have)
	}
	b.attributes = int16(whole[17] & codecBits)
	b.base = int64(binary.BigEndian.Uint64(whole))
	b.next = b.base + 1
	b.body = whole
	if b.attributes&codecBits == 0 {
		return b, nil
	}
	_, b.body, err = keyAndValue(whole)
	return b, err
}

func keyAndValue(whole []byte) (key, value []byte, err error) {
	d := fields{rest: whole[messageHead:]}
	if whole[magicAt] == 1 {
		d.take(stampSize)
	}
	key, value = d.take(d.int32()), d.take(d.int32())
	if d.bad {
		return nil, nil, errDamaged
	}
	return key, value, nil
}

func (d *fields) int32() int64 {
	if v := d.take(4); v != nil {
		return int64(int32(binary.BigEndian.Uint32(v)))
	}
	return 0
}

// messages calls f with each message. Those within one of format 1 count
// their offsets from the first of them.
func (b *batch) messages(body []byte, rec *record, f func(*record) error) error {
	shift := int64(0)
	if b.magic == 1 && b.attributes&codecBits != 0 {
		for rest := body; len(rest) > 0; {
			whole, behind, err := cutBatch(rest)
			if err != nil {
				return errDamaged
			}
			shift = b.base - int64(binary.BigEndian.Uint64(whole))
			rest = behind
		}
	}
	for len(body) > 0 {
		whole, rest, err := cutBatch(body)
		if err != nil || len(whole) < messageHead {
			return errDamaged
		}
		rec.offset = shift + int64(binary.BigEndian.Uint64(whole))
		rec.headers = rec.headers[:0]
		if rec.key, rec.value, err = keyAndValue(whole); err != nil {
			return err
		}
		if err := f(rec); err != nil {
			return err
		}
		body = rest
	}
	return nil
}
