package parser

import (
	"hash/maphash"
	"strings"
	"testing"
)

// faceOf is the face of an access record; the line is read once before, so that
// an object is read in its order.
func faceOf(t *testing.T, seed maphash.Seed, line string) uint64 {
	t.Helper()
	p := NewParser(AllFields)
	p.Reset(block([]byte(line + "\n" + line + "\n")))
	p.Next()
	r, ok := p.Next()
	if !ok || r.Kind != Access {
		t.Fatalf("%s is no access record", line)
	}
	ending, known := r.Ending(seed)
	face, ok := r.Face(seed)
	if !known || !ok {
		t.Fatalf("%s has no face", line)
	}
	if h, ok := r.Face(seed); !ok || h != face {
		t.Errorf("the face of %s changes", line)
	}
	if face == ending {
		t.Errorf("the face of %s is its ending", line)
	}
	return face
}

// A face is another one with any column that it stands for, and the same one
// whatever else differs.
func TestFace(t *testing.T) {
	const (
		istio  = `[2026-03-02T10:00:00.123Z] "GET /a HTTP/1.1" 200 UT response_timeout - "-" 5 0 7 - "10.0.0.9" "probe/1.0" "id-1" "cart:8080" "10.1.2.3:80" outbound|80||cart.shop 10.1.2.9:40908 10.9.25.1:80 10.1.2.9:40831 cart.example default`
		short  = `[2026-03-02T10:00:00.123Z] "GET /a HTTP/1.1" 200 UT 5 0 7 - "10.0.0.9" "probe/1.0" "id-1" "cart:8080" "10.1.2.3:80"`
		object = `{"authority":"cart:8080","bytes_sent":0,"duration":7,"path":"/a","request_id":"id-1","requested_server_name":"cart.example","response_code":200,` +
			`"response_code_details":"response_timeout","response_flags":"UT","route_name":"default","start_time":"2026-03-02T10:00:00.123Z",` +
			`"upstream_cluster":"outbound|80||cart.shop","upstream_host":"10.1.2.3:80","upstream_service_time":null}`
	)
	others := map[string][][2]string{
		istio: {
			{" 200 UT", " 201 UT"}, {" 200 UT", " 200 SI"}, {"response_timeout", "stream_idle_timeout"}, {" 0 7 -", " 1 7 -"}, {" 0 7 -", " 0 7 6"}, {`"cart:8080"`, `"cart:80"`},
			{`"cart:8080"`, `"-"`}, {"outbound|80||cart.shop", "outbound|81||cart.shop"}, {"outbound|80||cart.shop", "-"}, {"cart.example", "-"}, {"default", "canary"},
		},
		short: {{" 200 UT", " 200 SI"}, {" 0 7 -", " 1 7 -"}, {" 0 7 -", " 0 7 6"}, {`"cart:8080"`, `"cart:80"`}},
		object: {
			{":200", ":201"}, {"UT", "SI"}, {"response_timeout", "stream_idle_timeout"}, {`"bytes_sent":0`, `"bytes_sent":1`}, {`"upstream_service_time":null`, `"upstream_service_time":"6"`},
			{`"cart:8080"`, `"cart:80"`}, {"outbound|80||cart.shop", "outbound|81||cart.shop"}, {"cart.example", "shop.example"}, {"default", "canary"},
		},
	}
	alike := [][2]string{{"/a", "/b"}, {"id-1", "id-2"}, {"10.1.2.3:80", "10.1.2.4:80"}, {":00.123Z", ":01.456Z"}, {":40831", ":40832"}, {"probe", "curl"}}
	seed := maphash.MakeSeed()
	for line, list := range others {
		face := faceOf(t, seed, line)
		for _, change := range list {
			if changed := strings.Replace(line, change[0], change[1], 1); changed == line || faceOf(t, seed, changed) == face {
				t.Errorf("%s: %s has the face of %s", line, change[1], change[0])
			}
		}
		for _, change := range alike {
			if changed := strings.Replace(line, change[0], change[1], 1); faceOf(t, seed, changed) != face {
				t.Errorf("%s: %s has another face than %s", line, change[1], change[0])
			}
		}
	}
}

// A record that was not read from end to end in a known order has no face.
func TestNoFace(t *testing.T) {
	p := NewParser(AllFields)
	p.Reset(block([]byte("an application's line\n")))
	if r, _ := p.Next(); r != nil {
		if _, ok := r.Face(maphash.MakeSeed()); ok {
			t.Error("noise has a face")
		}
	}
}
