package source

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// fiveLogs are the members of an archive.
func fiveLogs() (files []packedFile) {
	for i := range 5 {
		files = append(files, packedFile{fmt.Sprintf("logs/pod-%d.log", i), lines(1000*i, 1000*i+1000)})
	}
	return files
}

// A damage inside a compressed archive costs what the damaged member of the
// compressed stream held: logs before it are whole, the one that it cuts gives
// what was readable, and logs behind it are read, as are other files.
func TestDamagedTarGoesOn(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 0))
	files := fiveLogs()
	data := packTar(t, files...)
	third := len(data) / 3
	for format := range packers {
		first, second, last := pack(t, format, data[:third]), pack(t, format, data[third:2*third]), pack(t, format, data[2*third:])
		for range 8 {
			bad := []byte(second)
			for range 3 {
				bad[len(bad)/4+random.IntN(len(bad)/2)] ^= byte(1 + random.IntN(255))
			}
			streams, r, err := readPacked(t, Options{}, packedFile{"x.tar." + format, first + string(bad) + last}, packedFile{"y.log", files[0].text})
			name := "x.tar." + format + "!"
			if streams[name+files[0].name] != files[0].text || streams[name+files[4].name] != files[4].text || streams["y.log"] != files[0].text {
				t.Fatalf("%s: logs around the damage are not whole: %v", format, err)
			}
			if head := streams[name+files[1].name]; !strings.HasPrefix(head, files[1].text[:1000]) {
				t.Fatalf("%s: the log that was cut has %d bytes", format, len(head))
			}
			if err == io.EOF || !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), ": byte ") {
				t.Fatalf("%s: %v", format, err)
			}
			checkBytes(t, r, streams)
		}
	}
}

// checkBytes checks that what the inputs say is what was handed out.
func checkBytes(t *testing.T, r *Reader, streams map[string]string) {
	t.Helper()
	said, got := int64(0), int64(0)
	for _, in := range r.Inputs() {
		said += in.Bytes
		if !in.Done {
			t.Errorf("%+v", in)
		}
	}
	for _, text := range streams {
		got += int64(len(text))
	}
	if said < got {
		t.Errorf("the inputs say %d bytes of %d", said, got)
	}
}

// A broken header costs its member, not those behind it.
func TestDamagedTarHeader(t *testing.T) {
	files := fiveLogs()
	data := []byte(packTar(t, files...))
	at := strings.Index(string(data), files[2].name)
	copy(data[at+tarSumAt:], "garbage!")
	for name, text := range map[string]string{"x.tar": string(data), "x.tar.gz": pack(t, "gzip", string(data))} {
		streams, _, err := readPacked(t, Options{}, packedFile{name, text})
		if err == io.EOF || !strings.Contains(err.Error(), name+": byte ") || !strings.Contains(err.Error(), "corrupt tar: malformed header") {
			t.Errorf("%s: %v", name, err)
		}
		for i, f := range files {
			if got := streams[name+"!"+f.name]; (got == f.text) != (i != 2) {
				t.Errorf("%s: %s has %d bytes", name, f.name, len(got))
			}
		}
	}
}

// Copies inside of an archive are counted once and said so.
func TestTwinsInArchives(t *testing.T) {
	text, other := lines(0, 9000), lines(0, 8999)+"something else of the same length?\n"
	gz, zst := pack(t, "gzip", text), pack(t, "zstd", text)
	large, huge := strings.Repeat("a line of a log\n", 300_000), strings.Repeat("a line of a log\n", 1_100_000)
	for name, row := range map[string]struct {
		files []packedFile
		want  int // logs that are counted
		same  string
	}{
		"beside":           {[]packedFile{{"a.log", text}, {"a.log.gz", gz}}, 1, "a.log"},
		"the other way":    {[]packedFile{{"a.log.gz", gz}, {"a.log", text}}, 1, "a.log.gz"},
		"two compressions": {[]packedFile{{"a.log.gz", gz}, {"b.log", other}, {"a.log.zst", zst}}, 2, "a.log.gz"},
		"other contents":   {[]packedFile{{"a.log", other}, {"a.log.gz", gz}}, 2, ""},
		"longer":           {[]packedFile{{"a.log", text + "x\n"}, {"a.log.gz", gz}}, 2, ""},
		"two pods":         {[]packedFile{{"pod-1/a.log", text}, {"pod-2/a.log.gz", gz}}, 2, ""},
		"a damaged copy":   {[]packedFile{{"a.log", text}, {"a.log.gz", gz[:len(gz)-20]}}, 2, ""},
		"a large one":      {[]packedFile{{"a.log", large}, {"a.log.gz", pack(t, "gzip", large)}}, 1, "a.log"},
		"too large a copy": {[]packedFile{{"a.log.gz", pack(t, "gzip", huge)}, {"a.log", huge}}, 2, ""},
	} {
		for archive, data := range map[string]string{
			"x.tar": packTar(t, row.files...), "x.tar.gz": pack(t, "gzip", packTar(t, row.files...)), "x.zip": packZip(t, zip.Deflate, true, row.files...),
		} {
			streams, r, err := readPacked(t, Options{}, packedFile{archive, data})
			if len(streams) != row.want || (err == io.EOF) != (name != "a damaged copy") {
				t.Errorf("%s, %s: %d logs, %v", archive, name, len(streams), err)
			}
			same := ""
			for _, in := range r.Inputs() {
				if in.Same != "" {
					same = strings.TrimPrefix(filepath.Base(in.Same), archive+"!")
				}
			}
			if same != row.same {
				t.Errorf("%s, %s: the same as %q, want %q", archive, name, same, row.same)
			}
		}
	}
}
