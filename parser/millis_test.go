package parser

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// millisAlike compares what Millis says of all records with what Number says.
func millisAlike(t *testing.T, data []byte) (n int) {
	t.Helper()
	padded := append(data[:len(data):len(data)], make([]byte, Padding)...)[:len(data)]
	a, b := NewParser(Fields(Duration)), NewParser(Fields(Duration))
	a.Reset(padded)
	b.Reset(padded)
	for {
		x, ok := a.Next()
		y, _ := b.Next()
		if !ok {
			return n
		}
		got, gotOK := x.Millis()
		want, wantOK := y.Number(Duration)
		if got != int64(want) || gotOK != wantOK {
			t.Errorf("%d %v, want %v %v: %.400q", got, gotOK, want, wantOK, data[x.Begin:x.Begin+x.Size])
		}
		if again, ok := x.Millis(); again != got || ok != gotOK {
			t.Errorf("%d %v at first, then %d %v", got, gotOK, again, ok)
		}
		if wantOK {
			n++
		}
	}
}

func TestMillisOfLogs(t *testing.T) {
	logs, err := filepath.Glob("../testdata/logs/*/*.log")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range logs {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n += millisAlike(t, data)
	}
	if n < 100 {
		t.Errorf("only %d records have a duration", n)
	}
}

func TestMillis(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	value := func() string {
		switch rnd.IntN(12) {
		case 0:
			return "-"
		case 1:
			return "0"
		}
		return fmt.Sprint(rnd.Uint64() >> (24 + rnd.IntN(40)))
	}
	var data []byte
	for range 3000 {
		data = fmt.Appendf(data, "[2026-03-01T07:00:00.000Z] \"GET /a HTTP/1.1\" 200 - via_upstream - \"-\" %s %s %s %s \"-\" \"curl/8\" \"6f3a\" \"till:80\" \"192.0.2.7:80\" outbound|80||till.shop.svc.cluster.local 192.0.2.1:1 198.51.100.12:80 192.0.2.21:60891 - default\n", value(), value(), value(), value())
	}
	if n := millisAlike(t, data); n < 2000 {
		t.Errorf("only %d of 3000 records have a duration", n)
	}
}
