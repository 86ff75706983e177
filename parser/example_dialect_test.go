package parser

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// firstAlike is the first row of the list with the layout of the row.
func firstAlike(row int) Dialect {
	for i := range dialects[:row] {
		a, b := &dialects[i], &dialects[row]
		if a.Encoding != b.Encoding || a.Format == "" {
			continue
		}
		if a.Encoding == Text && rawCluster.Replace(a.Format) == rawCluster.Replace(b.Format) || a.Encoding != Text && sameKeys(a, b) {
			return firstProduct + Dialect(i)
		}
	}
	return firstProduct + Dialect(row)
}

func sameKeys(a, b *DialectInfo) bool {
	keys := map[string]bool{}
	for k := range jsonPairs(a.Format) {
		keys[k] = true
	}
	n := 0
	for k := range jsonPairs(b.Format) {
		if !keys[k] {
			return false
		}
		n++
	}
	return n == len(keys)
}

// The example of every row is read as a record of the row's layout: the
// dialect is the first row that has it.
func TestExamples(t *testing.T) {
	for i, d := range dialects {
		line := d.Example()
		if (line == "") != (d.Encoding == Elsewhere) {
			t.Errorf("%s: example %q", d.ID, line)
		}
		if line == "" {
			continue
		}
		all := account(t, []byte(line), AllFields)
		r := all[0]
		if len(all) != 1 || r.Kind != Access || r.Partial || r.Suspicious || r.Dialect != firstAlike(i) {
			t.Errorf("%s: %d records: %s\n%s", d.ID, len(all), describe(r), line)
			continue
		}
		set, has := r.Flags()
		if has && set != FlagsOf(5) && set != FlagsOf(5, 15) || has != r.Column(ResponseFlags) {
			t.Errorf("%s: flags %v: %s", d.ID, set, line)
		}
		if code, has := r.Code(); has && code != 503 && code != 0 || has != r.Column(ResponseCode) {
			t.Errorf("%s: code %v: %s", d.ID, code, line)
		}
		if string(r.Bytes(UpstreamHost)) == "" {
			t.Errorf("%s: no upstream host: %s", d.ID, describe(r))
		}
	}
}

// Every layout has a golden case.
func TestEveryDialectHasCases(t *testing.T) {
	files, err := filepath.Glob("../testdata/logs/*/*.want")
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	for i, d := range dialects {
		if id := firstAlike(i).String(); d.Encoding != Elsewhere && !bytes.Contains(all, []byte(`"dialect": "`+id+`"`)) {
			t.Errorf("%s: no case has dialect %s", d.ID, id)
		}
	}
}
