package parser

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// A rendered is a record as a proxy of a row of the list would write it, and
// what it says.
type rendered struct {
	row   int
	line  string
	code  int // negative: the layout has none
	flags FlagSet
	has   bool // the layout has flags
}

func pick(rng *rand.Rand, list ...string) string { return list[rng.IntN(len(list))] }

// renderRandom writes a record of a row with random values; users write no
// quotes.
func renderRandom(rng *rand.Rand, row int) rendered {
	d := dialects[row]
	out := rendered{row: row, code: -1}
	tcp := d.Traffic == "tcp" || strings.Contains(d.Traffic, "tcp") && rng.IntN(4) == 0
	values := map[string]string{}
	out.line = d.render(func(op string) string {
		v, ok := values[op]
		if !ok {
			v = randomValue(rng, op, tcp)
			values[op] = v
		}
		switch op {
		case "RESPONSE_CODE":
			out.code, _ = strconv.Atoi(v)
		case "RESPONSE_FLAGS":
			out.flags, out.has = decodeFlags([]byte(v)), true
		}
		return v
	})
	return out
}

func randomValue(rng *rand.Rand, op string, tcp bool) string {
	name, arg, _ := strings.Cut(op, "(")
	user := strings.HasPrefix(name, "RE") && arg != "" || name == "PROTOCOL"
	row := operatorByName(name)
	always := row != nil && (row.Missing == Zero || row.Missing == Never)
	if tcp && user || rng.IntN(8) == 0 && !always && op != "REQ(:METHOD)" && !strings.Contains(op, "PATH)") && name != "PROTOCOL" && !strings.HasPrefix(name, "KUMA") {
		return "-"
	}
	address := fmt.Sprintf("10.%d.%d.%d:%d", rng.IntN(256), rng.IntN(256), rng.IntN(256), 1+rng.IntN(65535))
	switch name {
	case "START_TIME":
		return fmt.Sprintf("2026-%02d-%02dT%02d:%02d:%02d.%03dZ", 1+rng.IntN(12), 1+rng.IntN(28), rng.IntN(24), rng.IntN(60), rng.IntN(60), rng.IntN(1000))
	case "PROTOCOL":
		return pick(rng, "HTTP/1.1", "HTTP/2", "HTTP/1.0", "HTTP/3")
	case "RESPONSE_CODE":
		if tcp {
			return "0"
		}
		return pick(rng, "200", "204", "302", "404", "429", "500", "503", "504", "0")
	case "RESPONSE_FLAGS":
		return pick(rng, "-", "UF", "UF,URX", "URX,UF", "NR", "UC", "DC", "UPE", "UMSDR", "DPE", "UAEX")
	case "BYTES_RECEIVED", "BYTES_SENT", "DURATION", "RESPONSE_DURATION":
		return strconv.Itoa(rng.IntN(1 << rng.IntN(26)))
	case "RESPONSE_CODE_DETAILS":
		return pick(rng, "via_upstream", "route_not_found", "upstream_reset_before_response_started{connection_termination}", "rbac_access_denied_matched_policy[ns[shop]-policy[x]-rule[0]]")
	case "CONNECTION_TERMINATION_DETAILS":
		return pick(rng, "-", "transport socket timeout was reached")
	case "UPSTREAM_TRANSPORT_FAILURE_REASON":
		return pick(rng, "-", "delayed_connect_error:_111", "TLS error: 268435703:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER")
	case "UPSTREAM_HOST", "UPSTREAM_LOCAL_ADDRESS", "DOWNSTREAM_LOCAL_ADDRESS", "DOWNSTREAM_REMOTE_ADDRESS":
		return address
	case "UPSTREAM_CLUSTER", "UPSTREAM_CLUSTER_RAW":
		return pick(rng, "outbound|9080||reviews.shop.svc.cluster.local", "inbound|8080||", "PassthroughCluster", "httproute/shop/web/rule/0")
	case "REQUESTED_SERVER_NAME", "ROUTE_NAME":
		return pick(rng, "-", "default", "web.example.com")
	case "KUMA_MESH", "KUMA_SOURCE_SERVICE", "KUMA_DESTINATION_SERVICE":
		return pick(rng, "default", "web_shop_svc_80", "reviews")
	case "KUMA_SOURCE_ADDRESS_WITHOUT_PORT":
		return address[:strings.IndexByte(address, ':')]
	case "GRPC_STATUS_NUMBER", "GRPC_STATUS":
		return "-"
	}
	switch {
	case strings.Contains(op, "METHOD"):
		return pick(rng, "GET", "POST", "DELETE")
	case strings.Contains(op, "PATH)"):
		return pick(rng, "/", "/cart/17?q=a&b=c", "/reviews/42/%20x")
	case strings.Contains(op, "FORWARDED"):
		return address[:strings.IndexByte(address, ':')]
	case strings.Contains(op, "USER-AGENT"):
		return pick(rng, "curl/8.7.1", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101", "-")
	case strings.Contains(op, "SERVICE-TIME"):
		return strconv.Itoa(rng.IntN(2000))
	case strings.Contains(op, "AUTHORITY"):
		return pick(rng, "reviews:9080", "web.example.com")
	case strings.Contains(op, "REQUEST-ID"):
		return fmt.Sprintf("%08x-1b1e-4d71-8d6e-0a3b4c5d6e7f", rng.Uint32())
	}
	return "-"
}

// readable are the rows that a format describes.
func readable() (rows []int) {
	for i, d := range dialects {
		if d.Format != "" {
			rows = append(rows, i)
		}
	}
	return rows
}

// wrappings are what tools put around a line.
var wrappings = []struct {
	name string
	wrap func(line string) string
}{
	{"cri", func(s string) string { return "2026-11-30T01:02:03.000000001Z stdout F " + s }},
	{"docker", func(s string) string {
		return `{"log":` + quoted(s+"\n") + `,"stream":"stdout","time":"2026-11-30T01:02:03.1Z"}`
	}},
	{"kubectl-timestamp", func(s string) string { return "2026-11-30T01:02:03.123456789Z " + s }},
	{"kubectl-prefix", func(s string) string { return "[pod/web-6d9-x/istio-proxy] " + s }},
	{"stern", func(s string) string { return "web-6d9-x istio-proxy " + s }},
	{"compose", func(s string) string { return "envoy-1  | " + s }},
	{"syslog", func(s string) string { return "<134>Nov 30 01:02:03 node-1 envoy[77]: " + s }},
	{"syslog", func(s string) string { return "<134>1 2026-11-30T01:02:03.1Z node-1 envoy 77 - - " + s }},
	{"syslog", func(s string) string { return "Nov 30 01:02:03 node-1 envoy[77]: " + s }},
	{"syslog", func(s string) string { return "2026-11-30T01:02:03+0000 node-1 envoy[77]: " + s }},
	{"json:log", func(s string) string {
		return `{"date":1.5,"log":` + quoted(s) + `,"kubernetes":{"namespace_name":"shop","pod_name":"web-1","container_name":"istio-proxy"}}`
	}},
	{"json:message", func(s string) string {
		return `{"@timestamp":"2026-11-30T01:02:03.1Z","message":` + quoted(s) + `,"agent":{"type":"filebeat"},"kubernetes":{"pod":{"name":"web-1"}}}`
	}},
	{"json:textPayload", func(s string) string {
		return `{"insertId":"i","textPayload":` + quoted(s) + `,"resource":{"labels":{"pod_name":"web-1"}}}`
	}},
	{"json:MESSAGE", func(s string) string {
		return `{"MESSAGE":` + quoted(s) + `,"__REALTIME_TIMESTAMP":"1","SYSLOG_IDENTIFIER":"envoy"}`
	}},
	{"json:body", func(s string) string {
		return `{"resourceLogs":[{"resource":{"attributes":[{"key":"k8s.pod.name","value":{"stringValue":"web-1"}}]},"scopeLogs":[{"logRecords":[{"body":{"stringValue":` + quoted(s) + `}}]}]}]}`
	}},
	{"quote", func(s string) string { return "> " + s }},
	{"quote", func(s string) string { return "`" + s + "`" }},
	{"quote", func(s string) string { return "│ " + s + " │" }},
	{"ansi", func(s string) string { return "\x1b[32m" + s + "\x1b[0m" }},
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// sameOutcome says whether a record has the code and the flags that were
// written.
func sameOutcome(r *Record, want rendered) bool {
	code, hasCode := r.Code()
	set, hasFlags := r.Flags()
	return hasCode == (want.code >= 0) && (!hasCode || code == want.code) && hasFlags == want.has && set == want.flags
}

// neverWrong fails when a record has a code or flags that no written record
// has. Of a suspicious record nothing is promised.
func neverWrong(t *testing.T, line string, records []*Record, written ...rendered) {
	t.Helper()
	for _, r := range records {
		if r.Kind != Access || r.Suspicious {
			continue
		}
		code, hasCode := r.Code()
		set, hasFlags := r.Flags()
		ok := false
		for _, w := range written {
			ok = ok || (!hasCode || code == w.code) && (!hasFlags || set == w.flags || w.flags != 0 && set&^w.flags == 0 && r.Partial && !r.ended)
		}
		if !ok {
			t.Errorf("wrong code %d or flags %x: %s\nof %s", code, uint64(set), describe(r), line)
		}
	}
}

const renderings = 60

// Every row, rendered as the proxy would: dialect, code and flags come back.
func TestRendered(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, row := range readable() {
		for range renderings {
			w := renderRandom(rng, row)
			all := account(t, []byte(w.line), AllFields)
			r := all[0]
			if len(all) != 1 || r.Kind != Access || r.Partial || r.Suspicious || !sameOutcome(r, w) || r.Dialect != firstAlike(row) {
				t.Fatalf("%s: %d records: %s\nof %s", dialects[row].ID, len(all), describe(r), w.line)
			}
		}
	}
}

// Every row in every wrapper, and in up to four of them.
func TestRenderedInWrappers(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for _, row := range readable() {
		for i, outer := range wrappings {
			w := renderRandom(rng, row)
			line := outer.wrap(w.line)
			checkWrapped(t, line, w, outer.name)
			inner := wrappings[rng.IntN(len(wrappings))]
			if inner.name != outer.name && inner.name != "ansi" && !(outer.name == "quote" && i > 0) {
				checkNested(t, outer.wrap(inner.wrap(w.line)), w)
			}
		}
	}
	four := wrappings[3].wrap(wrappings[0].wrap(wrappings[1].wrap(wrappings[6].wrap(dialects[0].Example()))))
	if r := account(t, []byte(four), AllFields)[0]; r.Kind != Access || len(r.Envelopes()) != 4 {
		t.Errorf("four deep: %s", describe(r))
	}
	five := wrappings[5].wrap(four)
	if r := account(t, []byte(five), AllFields)[0]; r.Kind == Access && r.Dialect != envoyDefault {
		t.Errorf("five deep: %s", describe(r))
	}
}

func checkWrapped(t *testing.T, line string, w rendered, envelope string) {
	t.Helper()
	all := account(t, []byte(line), AllFields)
	r := all[0]
	if len(all) != 1 || r.Kind != Access || r.Partial || !sameOutcome(r, w) || r.Dialect != firstAlike(w.row) || len(r.Envelopes()) != 1 || r.Envelopes()[0].String() != envelope {
		t.Errorf("%s in %s: %d records: %s\nof %s", dialects[w.row].ID, envelope, len(all), describe(r), line)
	}
}

func checkNested(t *testing.T, line string, w rendered) {
	t.Helper()
	all := account(t, []byte(line), AllFields)
	if r := all[0]; len(all) != 1 || r.Kind != Access || r.Partial || !sameOutcome(r, w) || len(r.Envelopes()) == 0 {
		t.Errorf("%s: %d records: %s\nof %s", dialects[w.row].ID, len(all), describe(r), line)
	}
}

// Records glued together come back one by one, or are marked.
func TestRenderedGlued(t *testing.T) {
	rng, rows := rand.New(rand.NewPCG(4, 3)), readable()
	for range 2000 {
		a, b := renderRandom(rng, rows[rng.IntN(len(rows))]), renderRandom(rng, rows[rng.IntN(len(rows))])
		if strings.HasPrefix(dialects[b.row].ID, "kuma-tcp") {
			continue // nothing in it that a route's name may not have
		}
		line := a.line + pick(rng, "", " ") + b.line
		all := account(t, []byte(line), AllFields)
		if len(all) != 2 || !sameOutcome(all[0], a) || !sameOutcome(all[1], b) {
			if len(all) == 1 && (all[0].Suspicious || all[0].Partial) {
				neverWrong(t, line, all, a, b)
				continue
			}
			t.Fatalf("%s and %s: %d records: %s\nof %s", dialects[a.row].ID, dialects[b.row].ID, len(all), describe(all[0]), line)
		}
	}
}

// A record cut anywhere, at the front, at the end or in a wrapper, has its code
// and flags or none.
func TestRenderedCut(t *testing.T) {
	rng, rows := rand.New(rand.NewPCG(4, 4)), readable()
	for range 6000 {
		w := renderRandom(rng, rows[rng.IntN(len(rows))])
		line := w.line
		if rng.IntN(2) == 0 {
			line = wrappings[rng.IntN(len(wrappings))].wrap(line)
		}
		lo, hi := 0, len(line)
		if rng.IntN(2) == 0 {
			lo = rng.IntN(len(line))
		} else {
			hi = rng.IntN(len(line))
		}
		neverWrong(t, line[lo:hi], account(t, []byte(line[lo:hi]), AllFields), w)
	}
}

// A record that a terminal or an editor wrapped is one record again, or its
// first line tells what it can.
func TestRenderedOverLines(t *testing.T) {
	rng, whole, all := rand.New(rand.NewPCG(4, 5)), 0, 0
	for _, row := range readable() {
		for range 20 {
			w := renderRandom(rng, row)
			text := overLines(rng, w.line)
			records := account(t, []byte(text), AllFields)
			neverWrong(t, text, records, w)
			if all++; records[0].Kind == Access && !records[0].Partial && sameOutcome(records[0], w) {
				whole++
			}
		}
	}
	if whole*100 < all*90 {
		t.Errorf("%d of %d records are whole", whole, all)
	}
}

// overLines wraps a line at a width, or at blanks near it.
func overLines(rng *rand.Rand, line string) string {
	var b strings.Builder
	width, blanks := 60+rng.IntN(80), rng.IntN(2) == 0
	for len(line) > width {
		n := width
		if i := strings.LastIndexByte(line[:width], ' '); blanks && i > 40 {
			b.WriteString(line[:i] + "\n")
			line = line[i+1:]
			continue
		}
		b.WriteString(line[:n] + "\n")
		line = line[n:]
	}
	return b.String() + line
}

// What editors and tables do to a line is undone.
func TestRenderedMended(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 6))
	damages := map[string]func(string) string{
		"smart quotes": func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, `" `, "” "), ` "`, " “") },
		"csv":          func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` },
		"escaped":      func(s string) string { return strings.ReplaceAll(s, `"`, `\"`) },
		"html":         func(s string) string { return strings.ReplaceAll(s, `"`, "&quot;") },
		"numbered":     func(s string) string { return "  12: " + s },
		"prompt":       func(s string) string { return "envoy@web-1:/$ " + s },
	}
	for _, row := range readable() {
		if !strings.Contains(dialects[row].Format, `"`) {
			continue
		}
		for name, damage := range damages {
			w := renderRandom(rng, row)
			line := damage(w.line)
			if all := account(t, []byte(line), AllFields); len(all) != 1 || all[0].Kind != Access || !sameOutcome(all[0], w) {
				t.Errorf("%s, %s: %s\nof %s", dialects[row].ID, name, describe(all[0]), line)
			}
		}
	}
}

// A time that another program wrote into the middle of a record is taken out of
// it; the record is marked.
func TestRenderedSpliced(t *testing.T) {
	rng, read, all := rand.New(rand.NewPCG(4, 7)), 0, 0
	for _, row := range readable() {
		for range 20 {
			w := renderRandom(rng, row)
			at := 40 + rng.IntN(len(w.line)-40)
			line := w.line[:at] + "2026-11-30T01:02:03.123456789Z " + w.line[at:]
			records := account(t, []byte(line), AllFields)
			neverWrong(t, line, records, w)
			if all++; records[0].Kind == Access && sameOutcome(records[0], w) {
				read++
			} else if testing.Verbose() {
				t.Logf("%s\nof %s", describe(records[0]), line)
			}
		}
	}
	if read*100 < all*95 {
		t.Errorf("%d of %d records are read", read, all)
	}
}
