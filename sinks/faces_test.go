package sinks

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// goldenLogs are the bundled logs as one block.
func goldenLogs(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("../testdata/logs/*/*.log")
	if err != nil || len(paths) == 0 {
		t.Fatal("no logs", err)
	}
	var text strings.Builder
	for _, path := range append(paths, "../testdata/logs/sample.log") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
	}
	return text.String()
}

// variants are failed records that differ in one column each.
func variants() string {
	var text strings.Builder
	columns := [][]string{
		{"503 UF upstream_reset_before_response_started{connection_timeout} - \"-\"", "503 UC upstream_reset_before_response_started{connection_termination} - \"-\"", "500 - via_upstream - \"-\"", "200 - via_upstream - \"-\"", "200 UT response_timeout - \"-\""},
		{"0 91 7 -", "0 91 7 6", "0 0 7 -"},
		{"stock:80", "stock.shop:80"},
		{"10.1.2.3:80", "10.1.2.4:80"},
		{"outbound|80||stock.shop.svc.cluster.local", "inbound|80||", "-"},
		{"-", "stock.example"},
		{"default", "canary"},
	}
	picks := make([]int, len(columns))
	for n := 0; ; n++ {
		c := func(i int) string { return columns[i][picks[i]] }
		fmt.Fprintf(&text, "[2026-03-02T10:%02d:%02d.%03dZ] \"GET /stock/7 HTTP/1.1\" %s %s \"-\" \"probe/1.0\" \"%08d\" %q %q %s 10.1.2.9:40908 10.9.25.1:80 10.1.2.9:40831 %s %s\n",
			n/60%60, n%60, n%1000, c(0), c(1), n, c(2), c(3), c(4), c(5), c(6))
		i := 0
		for ; i < len(picks); i++ {
			if picks[i]++; picks[i] < len(columns[i]) {
				break
			}
			picks[i] = 0
		}
		if i == len(picks) {
			return text.String()
		}
	}
}

// objects are the access records of lines as objects, with what was not known
// as null.
func objects(t *testing.T, lines string) string {
	t.Helper()
	var text strings.Builder
	p := parser.NewParser(Wanted)
	p.Reset(padded(lines))
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		code, _ := r.Code()
		values := map[string]any{parser.ResponseCode.String(): code, parser.ResponseFlags.String(): "-"}
		for _, f := range []parser.Field{
			parser.StartTime, parser.ResponseFlags, parser.ResponseCodeDetails, parser.ConnectionTerminationDetails, parser.UpstreamTransportFailureReason, parser.Method,
			parser.Path, parser.Authority, parser.UpstreamHost, parser.UpstreamCluster, parser.RouteName, parser.RequestedServerName, parser.GRPCStatus,
			parser.BytesSent, parser.UpstreamServiceTime,
		} {
			if v := r.Bytes(f); v != nil {
				values[f.String()] = string(v)
			} else if f != parser.ResponseFlags {
				values[f.String()] = nil
			}
		}
		line, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	return text.String()
}

// Records that are known by their bytes, or healthy at a glance, are counted
// like those that are taken apart.
func TestKnownByBytesTwin(t *testing.T) {
	logs := variants()
	logs += objects(t, logs)
	text := goldenLogs(t) + strings.Repeat(logs, 2)
	count := func(add func(d *Delta, from *Origin, r *parser.Record, c *classify.Classifier)) (*Report, map[string]float64) {
		d, c := metered(), classify.Default()
		p := parser.NewParser(Wanted | c.Fields())
		from := Origin{Input: "a.log", Block: padded(text)}
		p.Reset(from.Block)
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			add(d, &from, r, c)
		}
		d.EndBatch(&from, int64(len(text)))
		s := NewSnapshot()
		s.Merge(d)
		return s.Report(), expose(t, s, MetricOptions{})
	}
	known := 0
	got, series := count(func(d *Delta, from *Origin, r *parser.Record, c *classify.Classifier) {
		if _, ok := r.Ending(maphash.MakeSeed()); ok {
			known++
		}
		if place, met := d.Met(r); met && classify.Ordinary(r) {
			d.AddMet(from, r, place)
		} else {
			d.Add(from, r, c.Classify(r))
		}
	})
	want, wantSeries := count(func(d *Delta, from *Origin, r *parser.Record, c *classify.Classifier) {
		r = r.Without(0)
		d.Add(from, r, c.Classify(r))
	})
	if known < 2*strings.Count(logs, "\n") {
		t.Errorf("%d records have an ending", known)
	}
	if !maps.Equal(series, wantSeries) {
		t.Errorf("metrics differ:\n%v\nwant\n%v", series, wantSeries)
	}
	a, b := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for i := range a.NumField() {
		if f := a.Type().Field(i); f.IsExported() && !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			t.Errorf("%s differ:\n%+v\nwant\n%+v", f.Name, a.Field(i), b.Field(i))
		}
	}
}
