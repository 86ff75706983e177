package sinks

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// mixture is lines of all sorts.
func mixture() []string {
	return []string{
		access{}.String(),
		access{time: "2026-03-02T10:00:07.512Z", cluster: "inbound|9080||", id: "77b0c6c2-9f6d-4a30-8f3b-1d2f3c4b5a69"}.String(),
		access{time: "2026-03-02T10:01:30.004Z", cluster: "outbound|8080||ratings.shop.svc.cluster.local"}.String(),
		access{code: "503", flags: "UF,URX", details: "upstream_reset_before_response_started{remote_connection_failure}"}.String(),
		access{code: "503", flags: "QQ,ZZ", details: "no_such_details{x}"}.String(),
		access{code: "404", flags: "NR", details: "route_not_found", cluster: "-", host: "-"}.String(),
		access{time: "yesterday", code: "0", flags: "DC", details: "downstream_remote_disconnect"}.String(),
		`{"start_time":"2026-03-02T10:00:00.000Z","method":"GET","path":"/a\u00e9","response_code":"500","response_flags":"-","upstream_cluster":"inbound|80||"}` + "\n",
		"[2026-03-02 10:00:01.000][21][warning][config] [external/envoy/source/common/config/grpc_stream.h:152] StreamAggregatedResources gRPC config stream closed: 14\n",
		"2026-03-02T10:00:01.000000Z\tWARN\tsomething is late\n",
		"[2026-03-02T10:00:00.000Z] \"GET /reviews/7 HTTP/1.1\"\n",
		"{\"method\": \"GET\", \"response_code\": }\n",
		"\x00\x01\x02\x03\x04\n",
		"[pod/ratings-2/istio-proxy] " + access{}.String(),
		"2026-03-02T10:00:02.000000000Z stdout F " + access{code: "504", flags: "UT", details: "response_timeout"}.String(),
		"plain text\n", "\n", "error: no such pod\n",
		strings.Replace(access{}.String(), "curl/8.9.1", `x" "y" "z" "-" "-`, 1),
	}
}

func TestAddAllocatesNothing(t *testing.T) {
	block := padded(strings.Join(mixture(), ""))
	records, c := cloneAll(block), classify.Default()
	for _, from := range []Origin{{Input: "log"}, {Input: "log", Namespace: "shop", Pod: "p", Container: "istio-proxy"}} {
		from.Block = block
		d := NewDelta()
		run := func() {
			for _, r := range records {
				d.Add(&from, r, c.Classify(r))
			}
		}
		if n := testing.AllocsPerRun(50, run); n != 0 {
			t.Errorf("%v allocations in %d records", n, len(records))
		}
		if n := testing.AllocsPerRun(50, func() { d.Reset(); run() }); n != 0 {
			t.Errorf("%v allocations with Reset", n)
		}
	}
}

func cloneAll(block []byte) []*parser.Record {
	var list []*parser.Record
	p := parser.NewParser(Wanted)
	p.Reset(block)
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		list = append(list, r.Clone())
	}
	return list
}

func TestResetIsEmpty(t *testing.T) {
	d := NewDelta()
	countBlock(d, Origin{Input: "log", Pod: "p"}, strings.Join(mixture(), ""))
	d.AddDiscarded("binary", 3)
	d.Reset()
	s := NewSnapshot()
	s.Merge(d)
	if got, want := asJSON(t, s), asJSON(t, NewSnapshot()); got != want {
		t.Errorf("after Reset: %s", got)
	}
}

func asJSON(t *testing.T, s *Snapshot) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Report().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Any partition, merged in any order, is the whole: every line goes to one of
// several Deltas, these go to several Snapshots, these into one.
func TestAnyPartitionMergesToTheWhole(t *testing.T) {
	type piece struct {
		from Origin
		text string
	}
	var pieces []piece
	rand := rand.New(rand.NewPCG(3, 2026))
	lines := mixture()
	for i := range 400 {
		input := []string{"a.log", "b.log"}[i%2]
		pieces = append(pieces, piece{Origin{Input: input, Pod: input, Offset: int64(1000 * i)}, lines[rand.IntN(len(lines))]})
	}
	whole := NewDelta()
	for _, p := range pieces {
		countBlock(whole, p.from, p.text)
	}
	s := NewSnapshot()
	s.Merge(whole)
	want := asJSON(t, s)
	for range 10 {
		rand.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
		parts, sums := make([]*Delta, 1+rand.IntN(8)), []*Snapshot{NewSnapshot(), NewSnapshot(), NewSnapshot()}
		for i := range parts {
			parts[i] = NewDelta()
		}
		for _, p := range pieces {
			countBlock(parts[rand.IntN(len(parts))], p.from, p.text)
		}
		for _, d := range parts {
			sums[rand.IntN(len(sums))].Merge(d)
		}
		all := NewSnapshot()
		for _, sum := range sums {
			all.MergeSnapshot(sum)
		}
		if got := asJSON(t, all); got != want {
			t.Fatalf("got %s\nwant %s", got, want)
		}
	}
}

// Above the caps the totals stay exact, and so they do when parts merge.
func TestCaps(t *testing.T) {
	const n = 40000
	codes, flags, unknown := map[int]uint64{}, map[string]uint64{}, uint64(0)
	parts := []*Delta{NewDelta(), NewDelta()}
	names := []string{"-", "UF", "UF,URX", "NR", "DC", "UH"}
	for i := range n {
		code, set := 200+i%397, names[i%len(names)]
		if i%5 == 0 {
			set = fmt.Sprintf("X%d", i)
			unknown++
		}
		line := access{
			time: fmt.Sprintf("2026-03-%02dT%02d:%02d:%02d.000Z", 1+i/8640%28, i/360%24, i/6%60, i%6*10), code: fmt.Sprint(code), flags: set,
			details: fmt.Sprintf("details_%d{x}", i), cluster: fmt.Sprintf("outbound|80||c%d.shop.svc", i), host: fmt.Sprintf("10.0.%d.%d:80", i/250, i%250),
		}
		countBlock(parts[i%2], Origin{Input: "log", Pod: fmt.Sprintf("pod-%d", i)}, line.String())
		codes[code]++
		if i%5 != 0 && set != "-" {
			for f := range strings.SplitSeq(set, ",") {
				flags[f]++
			}
		}
	}
	s := NewSnapshot()
	s.Merge(parts[0])
	s.Merge(parts[1])
	r := s.Report()
	if r.Totals.Access != n {
		t.Fatalf("totals %+v", r.Totals)
	}
	for _, c := range r.Codes {
		if c.Count != codes[c.Code] {
			t.Errorf("code %d: %d, want %d", c.Code, c.Count, codes[c.Code])
		}
	}
	gotUnknown := uint64(0)
	for _, f := range r.Flags {
		if !f.Known {
			gotUnknown += f.Count
		} else if f.Count != flags[f.Name] {
			t.Errorf("flag %s: %d, want %d", f.Name, f.Count, flags[f.Name])
		}
	}
	if len(r.Codes) != len(codes) || gotUnknown != unknown {
		t.Errorf("%d codes, want %d; %d unknown flags, want %d", len(r.Codes), len(codes), gotUnknown, unknown)
	}
	for name, list := range map[string][]Tally{"clusters": r.Clusters, "details": r.Details, "directions": r.Directions} {
		sum := uint64(0)
		for _, t := range list {
			sum += t.Count
		}
		if sum != n {
			t.Errorf("%s add up to %d, want %d", name, sum, n)
		}
	}
	if r.Clusters[0].Name != other || r.Details[0].Name != other || len(r.Clusters) > maxClusters+1 || len(r.Details) > maxDetails+1 {
		t.Errorf("%d clusters, first %+v; %d details, first %+v", len(r.Clusters), r.Clusters[0], len(r.Details), r.Details[0])
	}
	if len(r.Places) > maxPlaces+1 || r.Places[0].Namespace != other || len(r.Hosts) != maxHosts {
		t.Errorf("%d places, first %+v; %d hosts", len(r.Places), r.Places[0], len(r.Hosts))
	}
	failed := r.Timeline.Untimed
	for _, c := range r.Timeline.Cells {
		failed += c.Failed
	}
	if failed != r.Totals.Failed || len(r.Timeline.Cells) > 2*maxCells {
		t.Errorf("%d cells with %d failed, want %d", len(r.Timeline.Cells), failed, r.Totals.Failed)
	}
}

// A count is at most its excess too high and never too low, and who is not
// kept occurred at most as often as the last one kept; merged lists as well.
func TestHostsKeepTheirBounds(t *testing.T) {
	truth := map[string]uint64{}
	parts := []top{newTop(maxHosts), newTop(maxHosts), newTop(maxHosts), newTop(maxHosts)}
	zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.2, 1, 999)
	for i := range 50000 {
		name := fmt.Sprintf("10.0.0.%d:80", zipf.Uint64())
		truth[name]++
		parts[i%4].add(key{flags: 1}, []byte(name), int64(i), true)
	}
	all := newTop(maxHosts)
	for i := range parts {
		all.merge(&parts[i], func(k key) key { return k })
	}
	kept := map[string]bool{}
	for _, h := range all.list {
		name := h.value()
		kept[name] = true
		if h.count < truth[name] || h.count-h.excess > truth[name] {
			t.Errorf("%s: %d, excess %d, true %d", name, h.count, h.excess, truth[name])
		}
	}
	for name, n := range truth {
		if !kept[name] && n > all.floor() {
			t.Errorf("%s occurred %d times and is not kept; floor %d", name, n, all.floor())
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	for name, lines := range map[string][]string{
		"same":    {access{}.String()},
		"healthy": {access{}.String(), access{cluster: "inbound|9080||", time: "2026-03-02T10:00:01.100Z"}.String(), access{cluster: "outbound|80||x.shop.svc.cluster.local", code: "304"}.String()},
		"failed":  {access{code: "503", flags: "UF,URX", details: "upstream_reset_before_response_started{remote_connection_failure}"}.String(), access{code: "404", flags: "NR", details: "route_not_found"}.String()},
	} {
		b.Run(name, func(b *testing.B) {
			records, d, from, c := cloneAll(padded(strings.Join(lines, ""))), NewDelta(), Origin{Input: "log"}, classify.Default()
			i := 0
			for b.Loop() {
				d.Add(&from, records[i], c.Classify(records[i]))
				if i++; i == len(records) {
					i = 0
				}
			}
		})
	}
}

// Records of one combination are counted however many they are.
func TestManyUsualRecords(t *testing.T) {
	d, from := NewDelta(), Origin{Input: "log"}
	r := cloneAll(padded(access{}.String()))[0]
	d.Add(&from, r, classify.Verdict{})
	place, ok := d.Met(r)
	if !ok {
		t.Fatal("the record was not met")
	}
	d.usual.counts[place].n = math.MaxUint32 - 3
	for range 7 {
		d.AddMet(&from, r, place)
	}
	all := uint64(0)
	for _, n := range d.outcomes {
		all += n
	}
	if want := uint64(math.MaxUint32 + 4); all != want {
		t.Errorf("%d records, want %d", all, want)
	}
}
