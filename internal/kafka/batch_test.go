package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// pack compresses as producers do. Snappy in pieces is how the Java client
// writes it.
func pack(t testing.TB, codec int, inPieces bool, plain []byte) []byte {
	var out bytes.Buffer
	var w io.WriteCloser
	switch codec {
	case codecNone:
		return plain
	case codecGzip:
		w = gzip.NewWriter(&out)
	case codecLZ4:
		w = lz4.NewWriter(&out)
	case codecZstd:
		z, err := zstd.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	case codecSnappy:
		if !inPieces {
			return s2.EncodeSnappy(nil, plain)
		}
		out.WriteString(framed + "\x00\x00\x00\x01\x00\x00\x00\x01")
		for piece := range slices.Chunk(plain, 100) {
			block := s2.EncodeSnappy(nil, piece)
			binary.Write(&out, binary.BigEndian, int32(len(block)))
			out.Write(block)
		}
		return out.Bytes()
	}
	w.Write(plain)
	w.Close()
	return out.Bytes()
}

// newBatch is a batch as a broker keeps it, whose records have been compacted
// to those of the offsets given.
func newBatch(t testing.TB, base int64, last int32, attributes int16, inPieces bool, records ...kmsg.Record) []byte {
	var body []byte
	for _, r := range records {
		plain := r.AppendTo(nil)
		r.Length = int32(len(plain) - len(binary.AppendVarint(nil, 0)))
		body = r.AppendTo(body)
	}
	b := kmsg.RecordBatch{FirstOffset: base, Magic: 2, Attributes: attributes, LastOffsetDelta: last, ProducerID: 7, NumRecords: int32(len(records)),
		Records: pack(t, int(attributes&codecBits), inPieces, body)}
	raw := b.AppendTo(nil)
	raw = raw[:batchHead+len(b.Records)]
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-frameSize))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[checkedAt:], castagnoli))
	return raw
}

// listed writes what a log holds.
func listed(log []byte) (string, error) {
	var out strings.Builder
	var u unpacker
	for len(log) > 0 {
		whole, rest, err := cutBatch(log)
		if err != nil {
			return out.String(), err
		}
		b, err := parseBatch(whole)
		if err != nil {
			return out.String(), err
		}
		body, err := u.unpack(b.attributes&codecBits, b.body)
		if err != nil {
			return out.String(), err
		}
		err = b.records(body, new(record), func(r *record) error {
			fmt.Fprintf(&out, "%d %q=%q", r.offset, r.key, r.value)
			for _, h := range r.headers {
				fmt.Fprintf(&out, " %s:%s", h.key, h.value)
			}
			out.WriteByte('\n')
			return nil
		})
		if err != nil {
			return out.String(), err
		}
		fmt.Fprintf(&out, "-> %d\n", b.next)
		log = rest
	}
	return out.String(), nil
}

func TestBatches(t *testing.T) {
	records := []kmsg.Record{
		{OffsetDelta: 0, Key: []byte("k"), Value: []byte("first")},
		{OffsetDelta: 3, TimestampDelta64: -5, Value: []byte(strings.Repeat("second ", 100)), Headers: []kmsg.Header{{Key: "pod", Value: []byte("cart-1")}, {Key: "empty"}}},
		{OffsetDelta: 4, Value: []byte{}},
	}
	want := fmt.Sprintf("1000 \"k\"=\"first\"\n1003 \"\"=%q pod:cart-1 empty:\n1004 \"\"=\"\"\n-> 1010\n", strings.Repeat("second ", 100))
	for codec := range int16(5) {
		for _, inPieces := range []bool{false, true} {
			log := newBatch(t, 1000, 9, codec, inPieces, records...)
			if got, err := listed(append(log, log...)); err != nil || got != want+want {
				t.Errorf("codec %d: %v\n%s", codec, err, got)
			}
			for n := range log {
				if _, _, err := cutBatch(log[:n]); err != errCut {
					t.Fatalf("codec %d, %d bytes: %v", codec, n, err)
				}
			}
			for at := magicAt + 1; at < len(log); at++ {
				harmed := bytes.Clone(log)
				harmed[at] ^= 0x20
				if _, err := listed(harmed); err == nil {
					t.Fatalf("codec %d: byte %d is changed, and nobody sees it", codec, at)
				}
			}
		}
	}
}

// oldMessage is a message of a log of before Kafka 0.11.
// https://kafka.apache.org/documentation/#messageset
func oldMessage(offset int64, magic, codec int8, key, value []byte) []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(offset))
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0, byte(magic), byte(codec))
	if magic == 1 {
		b = binary.BigEndian.AppendUint64(b, 1_700_000_000_000)
	}
	for _, field := range [][]byte{key, value} {
		if field == nil {
			b = binary.BigEndian.AppendUint32(b, 0xffffffff)
			continue
		}
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(field))), field...)
	}
	binary.BigEndian.PutUint32(b[8:], uint32(len(b)-frameSize))
	binary.BigEndian.PutUint32(b[12:], crc32.ChecksumIEEE(b[magicAt:]))
	return b
}

// TestOldMessages demands that logs of before Kafka 0.11 are read, of which
// compressed messages hold others: in format 1 with offsets that count from
// the first.
func TestOldMessages(t *testing.T) {
	for magic := range int8(2) {
		log := append(oldMessage(5, magic, 0, []byte("k"), []byte("one")), oldMessage(7, magic, 0, nil, []byte("two"))...)
		want := "5 \"k\"=\"one\"\n-> 6\n7 \"\"=\"two\"\n-> 8\n"
		for codec := int8(1); codec < 4; codec++ {
			inner := [2]int64{20, 22}
			if magic == 1 {
				inner = [2]int64{0, 2}
			}
			set := append(oldMessage(inner[0], magic, 0, nil, []byte("a")), oldMessage(inner[1], magic, 0, nil, []byte("b"))...)
			log = append(log, oldMessage(22, magic, codec, nil, pack(t, int(codec), true, set))...)
			want += "20 \"\"=\"a\"\n22 \"\"=\"b\"\n-> 23\n"
		}
		if got, err := listed(log); err != nil || got != want {
			t.Errorf("format %d: %v\n%s\nwant\n%s", magic, err, got, want)
		}
		log[len(log)-1] ^= 1
		if _, err := listed(log); err == nil {
			t.Errorf("format %d: a changed byte is not seen", magic)
		}
	}
}

// TestBombs (K20) demands of each codec that what becomes too large is
// refused, be it only said to be.
func TestBombs(t *testing.T) {
	zeros := make([]byte, maxDecoded+1)
	for codec := codecGzip; codec <= codecZstd; codec++ {
		if _, err := new(unpacker).unpack(int16(codec), pack(t, codec, false, zeros)); !errors.Is(err, errTooLarge) {
			t.Errorf("codec %d: %v", codec, err)
		}
	}
	if _, err := new(unpacker).unpack(codecSnappy, binary.AppendUvarint(nil, 0xffffffff)); !errors.Is(err, errTooLarge) {
		t.Errorf("a block that is said to be 4 GiB: %v", err)
	}
}

// FuzzBatches demands that no log breaks the reader, and that one which can be
// read still can when its parts are.
func FuzzBatches(f *testing.F) {
	f.Add([]byte("text"), byte(2), byte(0))
	plain := kmsg.Record{Length: 8, Value: []byte("v")}
	f.Add(plain.AppendTo(nil), byte(2), byte(0))
	f.Add(oldMessage(3, 1, 0, nil, []byte("v")), byte(1), byte(codecGzip))
	f.Fuzz(func(t *testing.T, body []byte, magic, codec byte) {
		var whole []byte
		if magic %= 3; magic == 2 {
			b := kmsg.RecordBatch{Magic: 2, Attributes: int16(codec % 6), Records: pack(t, int(codec%5), codec&8 != 0, body)}
			whole = b.AppendTo(nil)[:batchHead+len(b.Records)]
			binary.BigEndian.PutUint32(whole[8:], uint32(len(whole)-frameSize))
			binary.BigEndian.PutUint32(whole[17:], crc32.Checksum(whole[checkedAt:], castagnoli))
		} else {
			whole = oldMessage(9, int8(magic), int8(codec%4), nil, pack(t, int(codec%4), codec&8 != 0, body))
		}
		one, err := listed(whole)
		two, errs := listed(append(bytes.Clone(whole), whole...))
		if err == nil && (errs != nil || two != one+one) {
			t.Errorf("%v\n%s\n%s", errs, one, two)
		}
		listed(body)
	})
}

// TestResponses compares with another reading of the protocol, in all versions
// that are spoken, and demands that an answer which ends early is an error.
func TestResponses(t *testing.T) {
	log := newBatch(t, 3, 0, 0, false, kmsg.Record{Value: []byte("v")})
	for version := int16(minFetch); version <= 11; version++ {
		r := kmsg.FetchResponse{Version: version}
		for i, topic := range []string{"access", "other"} {
			rt := kmsg.NewFetchResponseTopic()
			rt.Topic = topic
			for p := range int32(3) {
				rp := kmsg.NewFetchResponseTopicPartition()
				rp.Partition, rp.HighWatermark, rp.LastStableOffset, rp.LogStartOffset = p, 90, int64(40+i), 2
				if p == 1 {
					rp.ErrorCode = 6
				} else {
					rp.AbortedTransactions = []kmsg.FetchResponseTopicPartitionAbortedTransaction{{ProducerID: 7, FirstOffset: int64(p)}}
					rp.RecordBatches = log[:len(log)-int(p)]
				}
				rt.Partitions = append(rt.Partitions, rp)
			}
			r.Topics = append(r.Topics, rt)
		}
		body := r.AppendTo(nil)
		raw := binary.BigEndian.AppendUint32(nil, uint32(len(body)+4))
		raw = append(binary.BigEndian.AppendUint32(raw, correlation), body...)
		block := func(n int) []byte { return make([]byte, 0, n) }
		res, err := readResponse(bytes.NewReader(raw), version, block)
		if err != nil || len(res.parts) != 6 {
			t.Fatalf("version %d: %v, %+v", version, err, res)
		}
		for i, p := range res.parts {
			rp := r.Topics[i/3].Partitions[i%3]
			start := rp.LogStartOffset
			if version < 5 {
				start = 0
			}
			if p.topic != r.Topics[i/3].Topic || p.id != int(rp.Partition) || p.code != rp.ErrorCode || p.stable != rp.LastStableOffset || p.logStart != start ||
				!bytes.Equal(p.log, rp.RecordBatches) || len(p.aborted) != len(rp.AbortedTransactions) || len(p.aborted) > 0 && p.aborted[0] != (abortion{7, int64(p.id)}) {
				t.Errorf("version %d: %+v\nwant %+v", version, p, rp)
			}
		}
		for n := range raw {
			short := bytes.Clone(raw[:n])
			if _, err := readResponse(bytes.NewReader(short), version, block); err == nil {
				t.Fatalf("version %d: %d of %d bytes are enough", version, n, len(raw))
			}
			if n > 4 {
				binary.BigEndian.PutUint32(short, uint32(n-4))
				if _, err := readResponse(bytes.NewReader(short), version, block); err == nil {
					t.Fatalf("version %d: an answer of %d of %d bytes is enough", version, n, len(raw))
				}
			}
		}
	}
}
