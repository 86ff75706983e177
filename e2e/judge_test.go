//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const keptDir = "../testdata/logs/lab"

// A kept scenario is its lines with what must be read from them.
type kept struct {
	s        Scenario
	dir      string
	log      string // application log
	cells    []cell
	problems []string // what was not as the table says
}

func (k *kept) problem(format string, args ...any) {
	k.problems = append(k.problems, fmt.Sprintf(format, args...))
}

// A cell is one record in one dialect, or one event.
type cell struct {
	dialect dialect
	lines   []string
	want    record   // the keys that are fixed
	causes  []string // accepted causes, the best first; none is not fixed, unless exact
	exact   bool     // the layout shows all that the cause needs
}

// operators are the keys whose values Envoy's own typed JSON fixes for all
// dialects that have the column.
func operators() map[string]string {
	return map[string]string{
		"response_code_details": "RESPONSE_CODE_DETAILS", "connection_termination_details": "CONNECTION_TERMINATION_DETAILS",
		"upstream_transport_failure_reason": "UPSTREAM_TRANSPORT_FAILURE_REASON", "downstream_transport_failure_reason": "DOWNSTREAM_TRANSPORT_FAILURE_REASON",
		"method": "REQ(:METHOD)", "protocol": "PROTOCOL", "authority": "REQ(:AUTHORITY)",
		"upstream_host": "UPSTREAM_HOST", "upstream_cluster": "UPSTREAM_CLUSTER", "requested_server_name": "REQUESTED_SERVER_NAME",
		"bytes_sent": "BYTES_SENT", "bytes_received": "BYTES_RECEIVED",
	}
}

// access compares what Envoy logged with the table, then says what each
// dialect must yield.
func (k *kept) access() {
	facts, err := decode([]byte(strings.Join(readLines(k.dir, truth), "\n")))
	if err != nil {
		k.problem("%s: %v", truth, err)
	}
	if len(facts) != len(k.s.Want) {
		k.problem("envoy wrote %d records, the table has %d:\n%s", len(facts), len(k.s.Want), strings.Join(readLines(k.dir, truth), "\n"))
		return
	}
	for i, w := range k.s.Want {
		k.checkTable(w, facts[i])
	}
	for _, d := range dialects() {
		lines := readLines(k.dir, d.id)
		if len(lines) != len(k.s.Want) {
			k.problem("%s: %d lines, want %d", d.id, len(lines), len(k.s.Want))
			continue
		}
		for i, w := range k.s.Want {
			k.cells = append(k.cells, w.cell(d, lines[i], facts[i]))
		}
	}
}

// checkTable is the check of the documents: did this Envoy print what they
// say?
func (k *kept) checkTable(w Want, fact record) {
	text := func(key string) string { s, _ := fact[key].(string); return s }
	bad := func(what string, got, want any) {
		k.problem("envoy printed another %s: got %v, table has %v, in %s", what, got, want, jsonText(fact))
	}
	if got := fmt.Sprint(fact["response_code"]); got != fmt.Sprint(w.Code) {
		bad("code", got, w.Code)
	}
	if got := flagList(text("response_flags")); !reflect.DeepEqual(got, flagList(w.Flags)) {
		bad("flag", got, w.Flags)
	}
	for key, pattern := range map[string]string{"response_code_details": w.Details, "connection_termination_details": w.End, "downstream_transport_failure_reason": w.Down} {
		if !fits(pattern, text(key)) {
			bad(key, text(key), pattern)
		}
	}
	if w.Reason != "" && !fits(w.Reason, text("upstream_transport_failure_reason")) {
		bad("transport reason", text("upstream_transport_failure_reason"), w.Reason)
	}
}

// cell is what the record must be in the dialect.
func (w Want) cell(d dialect, line string, fact record) cell {
	want := record{"kind": "access", "response_code": json.Number(fmt.Sprint(w.Code)), "response_flags": flagList(w.Flags), "failed": w.visible(d, fact)}
	if d.reads != "" {
		want["dialect"] = d.reads
	}
	for key, operator := range operators() {
		if v := fact[key]; v != nil && v != "-" && v != "" && d.has(operator) {
			want[key] = v
		}
	}
	c := cell{dialect: d, lines: []string{line}, want: want}
	if d.has("RESPONSE_CODE_DETAILS") {
		cluster, _ := fact["upstream_cluster"].(string)
		if by := w.answeredBy(strings.HasPrefix(cluster, "inbound|") || cluster == "InboundPassthroughCluster"); by != unpinned {
			want["answered_by"] = by
		}
	}
	switch {
	case !w.OK && !w.visible(d, fact):
		c.exact = true
	case d.has("RESPONSE_CODE_DETAILS") && (w.Down == "" || d.has("DOWNSTREAM_TRANSPORT_FAILURE_REASON")):
		c.causes, c.exact = strings.Fields(w.Cause), true
	default:
		c.causes = strings.Fields(w.Weak)
	}
	return c
}

// visible says whether the layout shows that the record failed: many failures
// have no flag and no code over 499, only details or a reason.
func (w Want) visible(d dialect, fact record) bool {
	shows := func(operator, key string) bool {
		v, _ := fact[key].(string)
		return d.has(operator) && v != "" && v != "-"
	}
	switch {
	case w.OK:
		return false
	case w.Flags != "", w.Code >= 500:
		return true
	case w.Status:
		return d.has("GRPC_STATUS") || d.has("GRPC_STATUS(CAMEL_STRING)")
	}
	return shows("RESPONSE_CODE_DETAILS", "response_code_details") || shows("CONNECTION_TERMINATION_DETAILS", "connection_termination_details") ||
		shows("UPSTREAM_TRANSPORT_FAILURE_REASON", "upstream_transport_failure_reason") || shows("DOWNSTREAM_TRANSPORT_FAILURE_REASON", "downstream_transport_failure_reason") ||
		d.has("GRPC_STATUS_NUMBER") && serverError(fact["grpc_status"])
}

// serverError says whether a gRPC status is one that OpenTelemetry counts as
// an error of a server.
func serverError(status any) bool {
	return slices.Contains([]any{"Unknown", "DeadlineExceeded", "Unimplemented", "Internal", "Unavailable", "DataLoss"}, status)
}

// has says whether the layout has the column.
func (d dialect) has(operator string) bool {
	return strings.Contains(d.format, "%"+operator+"%") || operator == "UPSTREAM_CLUSTER" && strings.Contains(d.format, "%UPSTREAM_CLUSTER_RAW%")
}

// events finds the records of the application log.
func (k *kept) events() {
	lines := strings.Split(k.log, "\n")
	for _, ev := range k.s.Events {
		at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, ev.Text) })
		if at < 0 || at+ev.Lines > len(lines) {
			k.problem("no %q in the application log", ev.Text)
			continue
		}
		want := record{"kind": "event", "emitter": "envoy"}
		k.cells = append(k.cells, cell{dialect: dialect{id: "application"}, lines: lines[at : at+ev.Lines], want: want, causes: strings.Fields(ev.Cause), exact: true})
	}
}

// judge gives the lines to flagwatch and compares.
func (l *lab) judge(t *testing.T, k *kept) {
	t.Helper()
	for _, c := range k.cells {
		var args []string
		if c.dialect.custom {
			args = []string{"--format", c.dialect.format}
		}
		got, err := l.parse(c.lines, args...)
		var faults []string
		switch {
		case err != nil:
			faults = []string{"run"}
			t.Errorf("%s: %v", c.dialect.id, err)
		case len(got) != 1:
			faults = []string{"records"}
			t.Errorf("%s: %d records from %q", c.dialect.id, len(got), c.lines)
		default:
			faults = c.compare(t, got[0])
		}
		l.table.add(k.s.Name, c, faults)
	}
}

// judgeLog reads the whole application log: its causes are those of the
// scenario's events and no others.
func (l *lab) judgeLog(t *testing.T, k *kept) {
	t.Helper()
	if len(k.s.Events) == 0 {
		return
	}
	var accepted []string
	for _, ev := range k.s.Events {
		accepted = append(accepted, strings.Fields(ev.Cause)...)
	}
	records, err := l.parse([]string{k.log})
	if err != nil {
		t.Errorf("application log: %v", err)
	}
	var faults []string
	for _, r := range records {
		cause, _ := r["cause"].(string)
		if cause != "" && r["failed"] == true && !slices.Contains(accepted, cause) {
			faults = []string{"cause"}
			t.Errorf("application log: a record of cause %s beside %q: %s", cause, accepted, jsonText(r))
		}
	}
	l.table.add(k.s.Name, cell{dialect: dialect{id: "application log"}}, faults)
}

// compare names the keys that differ.
func (c cell) compare(t *testing.T, got record) (faults []string) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(c.want)) {
		if !reflect.DeepEqual(got[key], c.want[key]) {
			faults = append(faults, key)
			t.Errorf("%s: %s: got %s, want %s, in %s", c.dialect.id, key, jsonText(got[key]), jsonText(c.want[key]), strings.Join(c.lines, "\n"))
		}
	}
	cause, _ := got["cause"].(string)
	switch {
	case c.exact && cause == "" && len(c.causes) == 0, !c.exact && len(c.causes) == 0:
	case !slices.Contains(c.causes, cause):
		faults = append(faults, "cause")
		t.Errorf("%s: cause: got %q, want %q, in %s", c.dialect.id, cause, c.causes, strings.Join(c.lines, "\n"))
	}
	if side := sides()[cause]; slices.Contains(c.causes, cause) && got["side"] != side {
		faults = append(faults, "side")
		t.Errorf("%s: side of %s: got %v, want %q", c.dialect.id, cause, got["side"], side)
	}
	return faults
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// write keeps the lines and the expected values, those of a custom format in a
// folder of their own beside the format.
func (k *kept) write(t *testing.T) {
	t.Helper()
	var known []cell
	for _, c := range k.cells {
		if !c.dialect.custom {
			known = append(known, c)
			continue
		}
		dir := filepath.Join(keptDir, c.dialect.id)
		keepCells(t, filepath.Join(dir, k.s.Name), []cell{c})
		replace(t, filepath.Join(dir, "format"), c.dialect.format+"\n")
	}
	keepCells(t, filepath.Join(keptDir, k.s.Name), known)
}

// keepCells writes a log and its expected values. Lines that differ from the kept
// ones only in numbers and random words stay as they are.
func keepCells(t *testing.T, path string, cells []cell) {
	t.Helper()
	var log, want strings.Builder
	line := 1
	for _, c := range cells {
		log.WriteString(strings.Join(c.lines, "\n") + "\n")
		r := maps.Clone(c.want)
		r["line"], r["lines"] = line, len(c.lines)
		switch {
		case slices.Contains(c.causes, unpinned):
		case len(c.causes) == 1, len(c.causes) > 1 && c.exact && !c.dialect.custom: // a custom format may lack what tells the best one
			r["cause"], r["side"] = c.causes[0], sides()[c.causes[0]]
		case len(c.causes) == 0 && c.exact:
			r["cause"] = nil
		}
		line += len(c.lines)
		want.WriteString(jsonText(r) + "\n")
	}
	oldLog, _ := os.ReadFile(path + ".log")
	oldWant, _ := os.ReadFile(path + ".want")
	if shape(string(oldLog)) == shape(log.String()) && shape(string(oldWant)) == shape(want.String()) {
		return
	}
	replace(t, path+".log", log.String())
	replace(t, path+".want", want.String())
}

// replace writes a file that is kept.
func replace(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shape is the text without what differs from run to run: numbers, ids that
// Envoy made up, random words and blanks in its error messages, and the
// configuration in one, whose keys have no order.
func shape(text string) string {
	for _, rule := range [][2]string{
		{`[0-9a-f]{8}-[0-9a-f-]{27}`, "ID"}, {`goo\.gle/debug\w+`, "DEBUG"}, {`(could not find @type '[^']*'\):) \{.*\}`, "$1"}, {`\d+`, "#"}, {` +`, " "},
	} {
		text = regexp.MustCompile(rule[0]).ReplaceAllString(text, rule[1])
	}
	return text
}
