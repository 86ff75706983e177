// Package source turns inputs into batches: blocks of whole records of one
// stream, together with the place in the stream where they stand.
package source

import (
	"context"
	"errors"
	"strconv"
)

// A Position is a place in a stream.
type Position struct {
	Offset int64 // bytes of the (decoded) stream before here, or a Kafka offset
	Line   int64 // physical line ends before here; 0 when lines are not counted
}

// A Stream is where a batch comes from. Its address is its identity: the
// positions of one Stream only ever grow, and a file that begins anew is
// another Stream. It does not change after it was first handed out.
type Stream struct {
	Name      string
	Input     string // the configured input that it belongs to, "" where there is none
	Namespace string
	Pod       string
	Container string
	Group     int // counts of one Group are committed or dropped together: a Kafka partition; everything else is group 0
}

// A Discard says why bytes that were read are in no record.
type Discard uint8

const (
	Oversize Discard = iota // rest of a record longer than parser.MaxRecord
	Binary
	Corrupt // damaged archive
	NumDiscards
)

var discards = [NumDiscards]string{"oversize", "binary", "corrupt"}

func (d Discard) String() string { return discards[d] }

// A Loss says why bytes that are known of were never read.
type Loss uint8

const (
	RotatedAway   Loss = iota // a generation of a log was deleted
	TruncatedAway             // a log was cut off before it was read to its end
	HoldBudget                // a deleted file was held open for too long
	Retention                 // Kafka's
	NumLosses
)

var losses = [NumLosses]string{"rotated-away", "truncated-away", "hold-budget", "retention"}

func (l Loss) String() string { return losses[l] }

// A Batch is a block of whole records of one stream. It belongs to the worker
// that passes it to Next; every Next overwrites all of it, Data's memory too.
// The zero value is ready for use.
//
// To.Offset - From.Offset is len(Data) and the sum of Discarded, unless offsets
// are Kafka's. The discarded bytes stand behind Data.
type Batch struct {
	Stream    *Stream
	From, To  Position
	Data      []byte // parser.Padding readable bytes follow it within its capacity; empty when bytes were only discarded
	Cut       bool   // the last record is the head of one that is longer than parser.MaxRecord
	Discarded [NumDiscards]int64
	Lost      [NumLosses]int64 // bytes in front of Data that were never read; in no position

	buf []byte
}

// Bytes is how many bytes of the stream the batch stands for.
func (b *Batch) Bytes() int64 {
	n := int64(len(b.Data))
	for _, d := range b.Discarded {
		n += d
	}
	return n
}

// A Source yields the batches of any number of streams.
//
// Next fills b with what has arrived, cut at the last whole record; it waits
// for the first bytes, never for more. When ctx is done it returns promptly,
// even if the underlying read can not: a source may first hand out what had
// already arrived, then it returns ctx's error. The end of all input is
// io.EOF, or an error that Is ErrIncomplete when a part could not be read. An
// error means that nothing follows. Calls must not overlap.
type Source interface {
	Next(ctx context.Context, b *Batch) error
}

// ErrIncomplete is what the error at the end of the input Is when not all of
// the input could be read.
var ErrIncomplete = errors.New("input incomplete")

// A RefusedError says why an input is no log: see Options.Refuse.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return e.Why }

// NotOpened is the Offset of an InputError about an input that was not opened.
const NotOpened = -1

// An InputError says what could not be read.
type InputError struct {
	Name   string
	Offset int64 // bytes of the input that were read before, or NotOpened
	Err    error
}

func (e *InputError) Error() string {
	if e.Offset == NotOpened {
		return e.Name + ": " + e.Err.Error()
	}
	return e.Name + ": byte " + strconv.FormatInt(e.Offset, 10) + ": " + e.Err.Error()
}

func (e *InputError) Unwrap() error { return e.Err }

// Is makes every InputError an ErrIncomplete.
func (e *InputError) Is(target error) bool { return target == ErrIncomplete }
