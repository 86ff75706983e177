package sinks

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// healthBatches are batches of one input: records of one a second, except for
// a gap of 40 s behind the sixth and one that is 3 s late.
func healthBatches() (list []string) {
	second := 0
	for i := range 12 {
		var text strings.Builder
		for j := range 1 + i%3 {
			at := second
			if i == 8 && j == 0 {
				at -= 4
			}
			fmt.Fprintf(&text, "[2026-03-17T10:%02d:%02d.000Z] \"GET / HTTP/1.1\" 200 - 0 12 3 2 \"-\" \"curl\" \"%d\" \"shop\" \"192.0.2.1:80\"\n", at/60, at%60, second)
			second++
		}
		if i == 6 {
			second += 39
		}
		text.WriteString("a line of other text\n")
		list = append(list, text.String())
	}
	return list
}

// TestHealthOfAnyPartition demands that batches, whoever counts them in
// whatever order, give the health that one reader would see.
func TestHealthOfAnyPartition(t *testing.T) {
	batches := healthBatches()
	size := int64(len(strings.Join(batches, "")))
	var want *Health
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		deltas := []*Delta{NewDelta(), NewDelta(), NewDelta()}
		total, offset := NewSnapshot(), int64(0)
		for _, text := range batches {
			d := deltas[0]
			if seed > 0 {
				d = deltas[rnd.IntN(len(deltas))]
			}
			addBatch(d, "a.log", offset, text)
			offset += int64(len(text))
			if seed > 0 && rnd.IntN(4) == 0 {
				for _, d := range deltas {
					total.Merge(d)
					d.Reset()
				}
			}
		}
		rnd.Shuffle(len(deltas), func(i, j int) { deltas[i], deltas[j] = deltas[j], deltas[i] })
		for _, d := range deltas {
			total.Merge(d)
		}
		got := total.Report(Input{Name: "a.log", Bytes: size, NotRead: size}).Inputs[0].Health
		if seed == 0 {
			want = got
			if got.Access != 24 || got.Noise != 12 || got.Records != 36 || got.Gap != 40 || got.Back != 3 || got.Read != 0.5 || len(got.Dialects) != 1 || got.Last.Sub(*got.First).Seconds() != 62 {
				t.Fatalf("%+v", got)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %+v, want %+v", seed, got, want)
		}
	}
}

func addBatch(d *Delta, name string, offset int64, text string) {
	block := append(make([]byte, 0, len(text)+parser.Padding), text...)
	p, c := parser.NewParser(Wanted|classify.Default().Fields()), classify.Default()
	from := Origin{Input: name, Offset: offset, Block: block}
	p.Reset(block)
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		v := c.Classify(r)
		d.Add(&from, r, v)
	}
	d.EndBatch(&from, offset+int64(len(text)))
}
