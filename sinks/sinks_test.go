package sinks

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(got) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

// padded is a copy of a block with the readable bytes that parsers need.
func padded(block string) []byte {
	b := make([]byte, len(block), len(block)+parser.Padding)
	copy(b, block)
	return b
}

// catalogue is one classifier for all tests, none of which is parallel.
var catalogue = sync.OnceValue(classify.Default)

// countBlock adds all records of a block, as a batch.
func countBlock(d *Delta, from Origin, block string) {
	c := catalogue()
	p := parser.NewParser(Wanted | c.Fields())
	from.Block = padded(block)
	p.Reset(from.Block)
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		d.Add(&from, r, c.Classify(r))
	}
	d.EndBatch(&from, from.Offset+int64(len(block)))
}

// count is the Snapshot of one input.
func count(input, text string) *Snapshot {
	d := NewDelta()
	countBlock(d, Origin{Input: input}, text)
	s := NewSnapshot()
	s.Merge(d)
	return s
}

// An access is what a line of Istio's text layout is made of.
type access struct {
	time, code, flags, details, host, cluster, id string
}

func (a access) String() string {
	def := func(s, d string) string {
		if s == "" {
			return d
		}
		return s
	}
	return fmt.Sprintf(`[%s] "GET /reviews/7 HTTP/1.1" %s %s %s - "-" 0 95 3 2 "-" "curl/8.9.1" "%s" "reviews:9080" "%s" %s 10.42.1.7:40112 10.96.7.1:9080 10.42.1.7:51000 - default`+"\n",
		def(a.time, "2026-03-02T10:00:00.000Z"), def(a.code, "200"), def(a.flags, "-"), def(a.details, "via_upstream"),
		def(a.id, "5f0c9a44-6c1e-4a57-9d0a-2f8f6f1b0a01"), def(a.host, "10.42.3.9:9080"), def(a.cluster, "outbound|9080||reviews.shop.svc.cluster.local"))
}

func TestWantedCoversClassify(t *testing.T) {
	if missing := (classify.FailedFields | classify.AnsweredFields) &^ Wanted; missing != 0 {
		t.Errorf("Wanted lacks %b", missing)
	}
}

func TestCounts(t *testing.T) {
	text := access{}.String() + access{code: "404"}.String() +
		access{code: "503", flags: "UF,URX", details: "upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_Connection_refused}"}.String() +
		access{code: "503", flags: "URX,UF", details: "upstream_reset_before_response_started{remote_connection_failure}"}.String() +
		access{code: "404", flags: "NR", details: "route_not_found", cluster: "-", host: "-"}.String() +
		access{code: "503", flags: "ZZ,UH,AA", details: "no_healthy_upstream", host: "-", cluster: "inbound|9080||"}.String() +
		"2026-03-02T10:00:01.000000Z\tinfo\tReadiness succeeded in 1.2s\n" +
		"\nplain text\n"
	s := count("log", text)
	r := s.Report(Input{Name: "log", Bytes: int64(len(text))})
	if got, want := r.Totals, (Totals{Records: 9, Access: 6, Events: 1, Noise: 2, Failed: 4, ClientErrors: 1}); got != want {
		t.Errorf("totals %+v, want %+v", got, want)
	}
	if !r.Accounting.Complete || r.Accounting.Read != uint64(len(text)) {
		t.Errorf("account %+v", r.Accounting)
	}
	if got := fmt.Sprint(r.Codes); got != "[{503 3 3 0.5} {404 2 1 0.333333} {200 1 0 0.166667}]" {
		t.Errorf("codes %s", got)
	}
	flags := map[string]uint64{}
	for _, f := range r.Flags {
		flags[f.Name] = f.Count
	}
	if got := fmt.Sprint(flags); got != "map[AA:1 NR:1 UF:2 UH:1 URX:2 ZZ:1]" {
		t.Errorf("flags %s", got)
	}
	sets := map[string]uint64{}
	for _, o := range r.Outcomes {
		sets[fmt.Sprint(*o.Code, o.Flags, o.Unknown)] = o.Count
	}
	if got := fmt.Sprint(sets); got != "map[200 [] []:1 404 [NR] []:1 404 [] []:1 503 [UF URX] []:2 503 [UH] [AA ZZ]:1]" {
		t.Errorf("outcomes %s", got)
	}
	if got := fmt.Sprint(r.Details); got != "[{upstream_reset_before_response_started{remote_connection_failure} 2 2} {via_upstream 2 0} {no_healthy_upstream 1 1} {route_not_found 1 1}]" {
		t.Errorf("details %s", got)
	}
	if got := fmt.Sprint(r.Clusters); got != "[{outbound|9080||reviews.shop.svc.cluster.local 4 2} {- 1 1} {inbound|9080|| 1 1}]" {
		t.Errorf("clusters %s", got)
	}
	if got := fmt.Sprint(r.Directions); got != "[{outbound 4 2} {inbound 1 1}]" {
		t.Errorf("directions %s", got)
	}
	if got := fmt.Sprint(r.Events); got != "[{pilot-agent info 1 0}]" {
		t.Errorf("events %s", got)
	}
	if len(r.Hosts) != 1 || r.Hosts[0].Host != "10.42.3.9:9080" || r.Hosts[0].Count != 2 || r.Hosts[0].Excess != 0 {
		t.Errorf("hosts %+v", r.Hosts)
	}
	if len(r.Timeline.Cells) != 4 || r.Timeline.Untimed != 0 {
		t.Errorf("timeline %+v", r.Timeline)
	}
}

func TestClassOf(t *testing.T) {
	for _, c := range []struct{ details, class string }{
		{"via_upstream", "via_upstream"},
		{"upstream_reset_before_response_started{connection_failure,TLS_error:_1}", "upstream_reset_before_response_started{connection_failure}"},
		{"upstream_reset_after_response_started{local_reset|codec_error}", "upstream_reset_after_response_started{local_reset}"},
		{"upstream_reset_before_response_started{overflow}", "upstream_reset_before_response_started{overflow}"},
		{"upstream_reset_before_response_started", "upstream_reset_before_response_started"},
		{"rbac_access_denied_matched_policy[ns[shop]-policy[deny]-rule[0]]", "rbac_access_denied_matched_policy[ns[shop]-policy[deny]-rule[0]]"},
		{"rbac_access_denied_matched_policy[a{b}]", "rbac_access_denied_matched_policy[a{b}]"},
		{"rbac_access_denied_matched_policy[cut", "rbac_access_denied_matched_policy"},
		{"downstream_local_disconnect(closed_by_filter)", "downstream_local_disconnect"},
		{"jwt_authn_access_denied{Jwt_is_missing}", "jwt_authn_access_denied"},
		{"", ""},
	} {
		if got := className(string(classOf([]byte(c.details)))); got != c.class {
			t.Errorf("%s: class %s, want %s", c.details, got, c.class)
		}
	}
}

func TestInsertToken(t *testing.T) {
	want := "AA,B,CC,D"
	tokens := strings.Split(want, ",")
	for range 50 {
		list := []byte{}
		for range 2 {
			rand.Shuffle(len(tokens), func(i, j int) { tokens[i], tokens[j] = tokens[j], tokens[i] })
			for _, s := range tokens {
				list = insertToken(list, []byte(s))
			}
		}
		if string(list) != want {
			t.Fatalf("got %s", list)
		}
	}
}

// The short way of usual records must say what package classify says.
func TestUsualRecords(t *testing.T) {
	text := ""
	for _, code := range []string{"0", "101", "200", "206", "302", "304", "399", "400", "404", "499", "500", "503"} {
		for _, flags := range []string{"-", "DC", "UF", "DI"} {
			for _, details := range []string{"via_upstream", "-", "direct_response", "route_not_found"} {
				for _, cluster := range []string{"", "inbound|80||", "PassthroughCluster"} {
					text += access{code: code, flags: flags, details: details, cluster: cluster}.String()
				}
			}
		}
	}
	text += `{"start_time":"2026-03-02T10:00:00.000Z","method":"POST","path":"/x","response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":"Unavailable","upstream_cluster":"inbound|80||"}` + "\n"
	text += "[2026-03-02T10:00:00.000Z] \"GET / HTTP/1.1\" 200 - 0 95 3 2 \"-\" \"curl/8.4.0\" \"-\" \"reviews:9080\" \"10.42.3.9:9080\"\n"
	p := parser.NewParser(Wanted)
	block := padded(text)
	p.Reset(block)
	d := NewDelta()
	want := map[outcome]uint64{}
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		if r.Kind != parser.Access {
			t.Fatalf("%s: %s", block[r.Begin:r.Begin+r.Size], r.Kind)
		}
		code, _ := r.Code()
		want[outcome{code: uint16(code), dir: uint8(r.Direction()), answered: uint8(classify.AnsweredBy(r)), failed: classify.Failed(r)}]++
		d.Add(&Origin{Block: block}, r, classify.Verdict{Failed: classify.Failed(r)})
		d.Add(&Origin{Block: block}, r, classify.Verdict{Failed: classify.Failed(r)})
	}
	got := map[outcome]uint64{}
	for k, n := range d.outcomes {
		o := unpack(k.rest)
		got[outcome{code: o.code, dir: o.dir, answered: o.answered, failed: o.failed}] += n
	}
	for o, n := range want {
		if got[o] != 2*n {
			t.Errorf("%+v: %d records, want %d", o, got[o], 2*n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d outcomes, want %d", len(got), len(want))
	}
}

func TestClock(t *testing.T) {
	var c clock
	for _, s := range []string{
		"2026-03-02T10:00:00.000Z", "2026-03-02T10:00:59.999Z", "2026-03-02T10:01:00.001Z", "2026-03-02T10:00:07.120Z",
		"2026-03-02T10:00:61.000Z", "2026-03-02T10:00:5x.000Z", "2026-03-02T10:00:59,999Z", "1969-12-31T23:59:59.500Z", "2026-03-02T12:00:00.5+02:00",
	} {
		p := parser.NewParser(Wanted)
		p.Reset(padded(access{time: s}.String()))
		r, _ := p.Next()
		want, wantOK := r.Time()
		if got, ok := c.time(r); ok != wantOK || ok && got != want {
			t.Errorf("%s: %d %v, want %d %v", s, got, ok, want, wantOK)
		}
	}
}

func TestKubectlErrors(t *testing.T) {
	s := count("log", "Error from server (NotFound): pods \"x\" not found\n"+
		"failed to try resolving symlinks in path \"/var/log/pods/a/0.log\": lstat: no such file or directory\nsome text\n")
	r := s.Report()
	if r.Totals.Kubectl != 2 || len(r.Samples.Kubectl) != 2 || !strings.HasPrefix(r.Samples.Kubectl[0].Text, "Error from server") {
		t.Errorf("kubectl %d %+v", r.Totals.Kubectl, r.Samples.Kubectl)
	}
}

func TestPlaces(t *testing.T) {
	d := NewDelta()
	from := Origin{Input: "a", Namespace: "shop", Pod: "reviews-1", Container: "istio-proxy"}
	countBlock(d, from, access{}.String()+access{code: "503", flags: "UH"}.String())
	countBlock(d, Origin{Input: "b"}, access{}.String()+"[pod/ratings-2/istio-proxy] "+access{}.String())
	s := NewSnapshot()
	s.Merge(d)
	want := "[{shop reviews-1 istio-proxy {2 2 1}} { ratings-2 istio-proxy {1 1 0}}]"
	if got := fmt.Sprint(s.Report().Places); got != want {
		t.Errorf("places %s, want %s", got, want)
	}
}

func TestSamplesAreTheFirst(t *testing.T) {
	d := NewDelta()
	bad := "[2026-03-02T10:00:00.000Z] \"GET /reviews/7 HTTP/1.1\"\n"
	for _, offset := range []int64{500, 100, 300, 200, 400} {
		countBlock(d, Origin{Input: "log", Offset: offset}, bad)
	}
	d.AddDiscarded("oversize", 7)
	s := NewSnapshot()
	s.Merge(d)
	r := s.Report()
	if r.Totals.Invalid != 5 {
		t.Fatalf("totals %+v", r.Totals)
	}
	for i, e := range r.Samples.Invalid {
		if e.Offset != int64(100*(i+1)) || e.Text != strings.TrimRight(bad, "\n") || e.Reason == "" {
			t.Errorf("sample %d: %+v", i, e)
		}
	}
	if got := r.Accounting.Read; got != uint64(5*len(bad)+7) || !r.Accounting.Complete {
		t.Errorf("account %+v", r.Accounting)
	}
	if s.Identity(Input{Bytes: 1}).Complete {
		t.Error("the account is complete with one byte read")
	}
}

func TestBothSides(t *testing.T) {
	text := ""
	for i := range 2000 {
		id := fmt.Sprintf("5f0c9a44-6c1e-4a57-9d0a-%012d", i)
		text += access{id: id}.String()
		if i%2 == 0 {
			text += access{id: id, cluster: "inbound|9080||"}.String()
		}
	}
	b := count("log", text).Report().BothSides
	if b.SampledRequests != maxRequests || b.SeenTwice < maxRequests/3 || b.SeenTwice > maxRequests*2/3 {
		t.Errorf("%+v, want half of %d", b, maxRequests)
	}
}
