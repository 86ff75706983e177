package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// packers write each compressed format that a library can write.
var packers = map[string]func(io.Writer) (io.WriteCloser, error){
	"gzip":   func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
	"zstd":   func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
	"lz4":    func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil },
	"snappy": func(w io.Writer) (io.WriteCloser, error) { return s2.NewWriter(w, s2.WriterSnappyCompat()), nil },
	"s2":     func(w io.Writer) (io.WriteCloser, error) { return s2.NewWriter(w), nil },
	"xz":     func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) },
}

// bzip2Text is what the program bzip2 makes of lines(0, 3).
const bzip2Text = "QlpoOTFBWSZTWQIHkNEAABDZgAAQQABwAAMnjEAgACM/9VIbKNkgpgADaEZiXaVKeLWpytLbD5hp+LuSKcKEgBA8hog="

// pack compresses parts, each as a member of its own.
func pack(t testing.TB, format string, parts ...string) string {
	t.Helper()
	var out bytes.Buffer
	for _, part := range parts {
		w, err := packers[format](&out)
		if err == nil {
			_, err = io.WriteString(w, part)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// A packedFile is a member of an archive.
type packedFile struct{ name, text string }

func packTar(t testing.TB, files ...packedFile) string {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.text)), Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, f.text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// packZip writes sizes in front of the data or, if trailing, behind it.
func packZip(t testing.TB, method uint16, trailing bool, files ...packedFile) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: method}
		m, err := io.Writer(nil), error(nil)
		if trailing {
			m, err = w.CreateHeader(h)
		} else {
			m, err = rawMember(w, h, &f)
		}
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(m, f.text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// rawMember begins a stored member whose sizes are known.
func rawMember(w *zip.Writer, h *zip.FileHeader, f *packedFile) (io.Writer, error) {
	h.CRC32 = crcOf(f.text)
	h.UncompressedSize64, h.CompressedSize64 = uint64(len(f.text)), uint64(len(f.text))
	return w.CreateRaw(h)
}

// readPacked drains files with these contents and joins what each stream held.
func readPacked(t *testing.T, opt Options, files ...packedFile) (streams map[string]string, r *Reader, err error) {
	t.Helper()
	root := t.TempDir()
	var args []string
	for _, f := range files {
		path := filepath.Join(root, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.text), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	r = newReader(t, opt, args...)
	list, err := drain(t, r)
	streams = map[string]string{}
	for _, g := range list {
		streams[strings.TrimPrefix(g.name, root+string(filepath.Separator))] = g.data
	}
	return streams, r, err
}

func TestEveryFormat(t *testing.T) {
	text := lines(0, 30000)
	for format := range packers {
		t.Run(format, func(t *testing.T) {
			padding := ""
			if format == "gzip" || format == "xz" { // the others have none
				padding = strings.Repeat("\x00", 10240)
			}
			for name, data := range map[string]string{
				"one":    pack(t, format, text),
				"three":  pack(t, format, text[:1000], text[1000:300001], text[300001:]),
				"zeros":  pack(t, format, text) + padding,
				"inside": pack(t, "gzip", pack(t, format, text)),
				"tar":    pack(t, format, packTar(t, packedFile{"a.log", text})),
			} {
				streams, r, err := readPacked(t, Options{Lines: true}, packedFile{"x", data})
				member := "x"
				if name == "tar" {
					member = "x!a.log"
				}
				if err != io.EOF || streams[member] != text || len(streams) != 1 {
					t.Errorf("%s: %d of %d bytes in %d streams, %v", name, len(streams[member]), len(text), len(streams), err)
				}
				in := r.Inputs()[0]
				if read, size := r.Progress(); read != size || size != int64(len(data)) || in.Bytes != int64(len(text)) || !in.Done {
					t.Errorf("%s: read %d of %d, %+v", name, read, size, in)
				}
			}
		})
	}
}

func TestBzip2(t *testing.T) {
	one, err := base64.StdEncoding.DecodeString(bzip2Text)
	if err != nil {
		t.Fatal(err)
	}
	streams, _, err := readPacked(t, Options{}, packedFile{"x.bz2", strings.Repeat(string(one), 3)})
	if want := strings.Repeat(lines(0, 3), 3); err != io.EOF || streams["x.bz2"] != want {
		t.Errorf("%q, %v", streams["x.bz2"], err)
	}
	streams, _, err = readPacked(t, Options{}, packedFile{"x.bz2", string(one[:len(one)-5])})
	if err == io.EOF || !strings.Contains(err.Error(), "truncated bzip2") {
		t.Errorf("%q, %v", streams["x.bz2"], err)
	}
}

// Standard input is told by its first bytes too, as a file and as a pipe that
// comes in small pieces.
func TestPackedStdin(t *testing.T) {
	text := lines(0, 5000)
	for name, data := range map[string]string{
		"gzip": pack(t, "gzip", text), "zstd": pack(t, "zstd", text), "tar": packTar(t, packedFile{"a.log", text}),
		"zip": packZip(t, zip.Deflate, true, packedFile{"a.log", text}), "text": text,
	} {
		member := Stdin
		if name == "tar" || name == "zip" {
			member = Stdin + "!a.log"
		}
		path := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := New(nil, f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		list, err := drain(t, r)
		if err != io.EOF || len(list) != 1 || list[0].name != member || list[0].data != text {
			t.Errorf("%s as a file: %d streams, %v", name, len(list), err)
		}
		f.Close()
		r, w := piped(Options{})
		go func() {
			for i := range len(data) {
				if _, err := io.WriteString(w, data[i:i+1]); err != nil || i == 1000 {
					io.WriteString(w, data[i+1:])
					break
				}
			}
			w.Close()
		}()
		list, err = drain(t, r)
		if err != io.EOF || len(list) != 1 || list[0].name != member || list[0].data != text {
			t.Errorf("%s as a pipe: %d streams, %v", name, len(list), err)
		}
	}
}

func TestArchives(t *testing.T) {
	a, b := lines(0, 3000), lines(3000, 9000)
	files := []packedFile{{"logs/", ""}, {"logs/a.log", a}, {"logs/deep/b.log.1.gz", pack(t, "gzip", b)}, {"notes.json", "{}\n"}, {"inner.tar", packTar(t, packedFile{"logs.txt", a})}}
	want := map[string]string{"logs/a.log": a, "logs/deep/b.log.1.gz": b, "inner.tar!logs.txt": a}
	for name, data := range map[string]string{
		"x.tar":     packTar(t, files...),
		"x.tar.gz":  pack(t, "gzip", packTar(t, files...)),
		"x.tar.zst": pack(t, "zstd", packTar(t, files...)),
		"x.zip":     packZip(t, zip.Deflate, true, files...),
		"y.zip":     packZip(t, zip.Store, false, files...),
		"z.zip":     packZip(t, zip.Store, true, files...),
	} {
		streams, r, err := readPacked(t, Options{}, packedFile{name, data})
		if err != io.EOF || len(streams) != len(want) {
			t.Errorf("%s: %d streams, %v", name, len(streams), err)
		}
		for member, text := range want {
			if streams[name+"!"+member] != text {
				t.Errorf("%s!%s: %d bytes, want %d", name, member, len(streams[name+"!"+member]), len(text))
			}
		}
		if r.rows[0].NoLogs != 1 || len(r.Inputs()) != len(want) {
			t.Errorf("%s: %+v", name, r.Inputs())
		}
	}
}

// The heads of members whose names tell nothing are shown to IsLog.
func TestMemberIsLog(t *testing.T) {
	data := packTar(t, packedFile{"proxies/shop/cart/dump", lines(0, 9)}, packedFile{"nodes.json", "{}\n"})
	_, _, err := readPacked(t, Options{}, packedFile{"x.tar", data})
	if err == nil || !strings.Contains(err.Error(), "x.tar: no log in this archive") {
		t.Errorf("%v", err)
	}
	streams, _, err := readPacked(t, Options{IsLog: func(head []byte) bool { return head[0] != '{' }}, packedFile{"x.tar", data})
	if err != io.EOF || len(streams) != 1 || streams["x.tar!proxies/shop/cart/dump"] != lines(0, 9) {
		t.Errorf("%q, %v", streams, err)
	}
}

// However a compressed log is cut off, what comes before is read, the error
// names the file and the byte, and other inputs are read to their ends.
func TestTruncated(t *testing.T) {
	text := lines(0, 400)
	for format := range packers {
		whole := pack(t, format, text[:5000], text[5000:])
		middle := len(pack(t, format, text[:5000]))
		for n := 1; n < len(whole); n += 1 + len(whole)/60 {
			streams, r, err := readPacked(t, Options{}, packedFile{"x.log", whole[:n]}, packedFile{"y", pack(t, format, text)})
			if streams["y"] != text {
				t.Fatalf("%s cut at %d: the other input has %d bytes", format, n, len(streams["y"]))
			}
			if got := streams["x.log"]; n >= magicSize && !strings.HasPrefix(text, got) {
				t.Fatalf("%s cut at %d: handed out %d bytes, not the beginning of the text", format, n, len(got))
			} else if n > middle && len(got) < 5000 {
				t.Fatalf("%s cut at %d: the first member is lost", format, n)
			}
			complete := n == middle || n < magicSize || (format == "s2" || format == "snappy") // without an end mark
			if !complete && (err == io.EOF || !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), fmt.Sprintf("x.log: byte %d: truncated %s", n, format))) {
				t.Fatalf("%s cut at %d of %d: %v", format, n, len(whole), err)
			}
			if in := r.Inputs()[0]; in.Bytes != int64(len(streams["x.log"])) {
				t.Fatalf("%s cut at %d: %+v", format, n, in)
			}
		}
	}
}

// A damage in one member costs no other member.
func TestCorruptMember(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 0))
	parts := []string{lines(0, 900), lines(900, 2000), lines(2000, 2500)}
	for format := range packers {
		first, second, last := pack(t, format, parts[0]), pack(t, format, parts[1]), pack(t, format, parts[2])
		for range 20 {
			bad := []byte(second)
			for range 3 {
				bad[len(bad)/4+random.IntN(len(bad)/2)] ^= byte(1 + random.IntN(255))
			}
			streams, r, err := readPacked(t, Options{Lines: true}, packedFile{"x", first + string(bad) + last})
			got := streams["x"]
			if !strings.HasPrefix(got, parts[0]) || !strings.HasSuffix(got, parts[2]) {
				t.Fatalf("%s: %d bytes of %d, %v", format, len(got), len(parts[0]+parts[1]+parts[2]), err)
			}
			if err == io.EOF || !strings.Contains(err.Error(), "x: byte ") {
				t.Fatalf("%s: %v", format, err)
			}
			if in := r.Inputs()[0]; !in.Done {
				t.Fatalf("%s: %+v", format, in)
			}
		}
	}
}

func TestGarbageBehind(t *testing.T) {
	text := lines(0, 100)
	for format := range packers {
		streams, r, err := readPacked(t, Options{}, packedFile{"x", pack(t, format, text) + "garbage that is no member"})
		if streams["x"] != text || err == io.EOF || !errors.Is(err, ErrIncomplete) {
			t.Errorf("%s: %d bytes, %v", format, len(streams["x"]), err)
		}
		if in := r.Inputs()[0]; in.Bytes < int64(len(text)) || in.Bytes > int64(len(text)+25) {
			t.Errorf("%s: %+v", format, in)
		}
	}
}

func TestDamagedArchives(t *testing.T) {
	a, b, c := lines(0, 3000), lines(3000, 9000), lines(9000, 9100)
	files := []packedFile{{"a.log", a}, {"b.log.gz", pack(t, "gzip", b)}, {"c.log", c}}
	bad := []byte(files[1].text)
	bad[len(bad)/2] ^= 0x55
	damaged := []packedFile{files[0], {"b.log.gz", string(bad)}, files[2]}
	for name, data := range map[string]string{"x.tar": packTar(t, damaged...), "x.zip": packZip(t, zip.Store, false, damaged...), "y.zip": packZip(t, zip.Deflate, true, damaged...)} {
		streams, _, err := readPacked(t, Options{}, packedFile{name, data})
		if streams[name+"!a.log"] != a || streams[name+"!c.log"] != c || err == io.EOF || !strings.Contains(err.Error(), name+"!b.log.gz: byte ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, data := range map[string]string{"x.tar": packTar(t, files...), "x.zip": packZip(t, zip.Deflate, true, files...), "x.tar.gz": pack(t, "gzip", packTar(t, files...))} {
		for i := 700; i < len(data)-1200; i += len(data) / 50 {
			streams, _, err := readPacked(t, Options{}, packedFile{name, data[:i]})
			if err == io.EOF || !strings.Contains(err.Error(), "truncated ") || !strings.HasPrefix(a, streams[name+"!a.log"]) {
				t.Errorf("%s cut at %d of %d: %v", name, i, len(data), err)
			}
		}
	}
	zipped := packZip(t, zip.Deflate, true, files...)
	at := strings.Index(zipped, "a.log") + 200
	streams, _, err := readPacked(t, Options{}, packedFile{"x.zip", zipped[:at] + "\xff\xff\xff\xff" + zipped[at+4:]})
	if err == io.EOF || streams["x.zip!c.log"] != c || streams["x.zip!b.log.gz"] != b {
		t.Errorf("a damaged member of a zip: %v", err)
	}
}

// A header may promise anything: memory is bounded by the window.
func TestWindow(t *testing.T) {
	text := lines(0, 500000)
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithWindowSize(16<<20), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, text)
	w.Close()
	wide := packedFile{"x.zst", out.String()}
	_, _, err = readPacked(t, Options{}, wide)
	if err == nil || !strings.Contains(err.Error(), "x.zst: byte 0: needs a window of 16 MiB; --max-window 16MiB allows it") {
		t.Errorf("%v", err)
	}
	if streams, _, err := readPacked(t, Options{MaxWindow: 16 << 20}, wide); err != io.EOF || streams["x.zst"] != text {
		t.Errorf("with a window of 16 MiB: %v", err)
	}
	out.Reset()
	x, err := xz.WriterConfig{DictCap: 64 << 20}.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(x, text)
	x.Close()
	_, _, err = readPacked(t, Options{}, packedFile{"x.xz", out.String()})
	if err == nil || !strings.Contains(err.Error(), "--max-window 64MiB") {
		t.Errorf("%v", err)
	}
	if streams, _, err := readPacked(t, Options{MaxWindow: 64 << 20}, packedFile{"x.xz", out.String()}); err != io.EOF || streams["x.xz"] != text {
		t.Errorf("with a dictionary of 64 MiB: %v", err)
	}
}

// TestBombs demands that gigabytes of nothing take no memory.
func TestBombs(t *testing.T) {
	zeros := make([]byte, 1<<20)
	for _, format := range []string{"gzip", "zstd", "snappy"} {
		var out bytes.Buffer
		w, err := packers[format](&out)
		if err != nil {
			t.Fatal(err)
		}
		for range 256 {
			w.Write(zeros)
		}
		w.Close()
		path := filepath.Join(t.TempDir(), "bomb")
		if err := os.WriteFile(path, []byte(pack(t, "gzip", out.String())), 0o644); err != nil {
			t.Fatal(err)
		}
		r := newReader(t, Options{}, path)
		var b Batch
		var sum int64
		var peak uint64
		var mem runtime.MemStats
		for r.Next(t.Context(), &b) == nil {
			sum += b.Bytes()
			if sum%(16<<20) < b.Bytes() {
				runtime.GC()
				runtime.ReadMemStats(&mem)
				peak = max(peak, mem.HeapAlloc)
			}
		}
		if sum != 256<<20 || peak > 48<<20 {
			t.Errorf("%s: %d bytes, %d of memory", format, sum, peak)
		}
	}
	deep := lines(0, 3)
	for range 12 {
		deep = pack(t, "gzip", deep)
	}
	if _, _, err := readPacked(t, Options{}, packedFile{"x", deep}); err == nil || !strings.Contains(err.Error(), "formats around each other") {
		t.Errorf("12 layers: %v", err)
	}
}

// A log and its compressed copy are one log, however they are named in the
// arguments; two pods that say the same are two.
func TestTwins(t *testing.T) {
	text, other := lines(0, 9000), lines(0, 8999)+"something else of the same length?\n"
	gz, zst := pack(t, "gzip", text), pack(t, "zstd", text)
	for name, row := range map[string]struct {
		files []packedFile
		want  int // logs that are counted
		same  string
	}{
		"beside":            {[]packedFile{{"a.log", text}, {"a.log.gz", gz}}, 1, "a.log"},
		"the other way":     {[]packedFile{{"a.log.gz", gz}, {"a.log", text}}, 1, "a.log"},
		"two compressions":  {[]packedFile{{"a.log.gz", gz}, {"a.log.zst", zst}}, 1, "a.log.gz"},
		"all three":         {[]packedFile{{"a.log.zst", zst}, {"a.log", text}, {"a.log.gz", gz}}, 1, "a.log"},
		"other contents":    {[]packedFile{{"a.log", other}, {"a.log.gz", gz}}, 2, ""},
		"longer":            {[]packedFile{{"a.log", text + "x\n"}, {"a.log.gz", gz}}, 2, ""},
		"shorter":           {[]packedFile{{"a.log", text[:5000]}, {"a.log.gz", gz}}, 2, ""},
		"two pods":          {[]packedFile{{"pod-1/a.log", text}, {"pod-2/a.log.gz", gz}}, 2, ""},
		"generations":       {[]packedFile{{"a.log.1", text}, {"a.log.2.gz", gz}}, 2, ""},
		"a damaged copy":    {[]packedFile{{"a.log", text}, {"a.log.gz", gz[:len(gz)-20]}}, 1, "a.log"},
		"a name is no copy": {[]packedFile{{"a.log", text}, {"a.log.gz", text}}, 2, ""},
	} {
		streams, r, err := readPacked(t, Options{}, row.files...)
		if len(streams) != row.want || (err == io.EOF) != (name != "a damaged copy") {
			t.Errorf("%s: %d logs, %v", name, len(streams), err)
		}
		same := ""
		for _, in := range r.Inputs() {
			if in.Same != "" {
				same = filepath.Base(in.Same)
			}
		}
		if same != row.same {
			t.Errorf("%s: the same as %q, want %q", name, same, row.same)
		}
		for _, data := range streams {
			if len(data) < 5000 {
				t.Errorf("%s: a log of %d bytes", name, len(data))
			}
		}
	}
}

// However many inputs are decoded at once, each log is the same.
func TestParallel(t *testing.T) {
	var files []packedFile
	want := map[string]string{}
	for i := range 40 {
		name := fmt.Sprintf("%02d.log", i)
		text := lines(i*1000, i*1000+500+i)
		data := text
		if i%4 != 0 {
			data = pack(t, []string{"gzip", "zstd", "lz4"}[i%3], text)
		}
		files = append(files, packedFile{name, data})
		want[name] = text
	}
	for _, opt := range []Options{{}, {Parallel: 8}, {Ordered: true, Parallel: 8}} {
		streams, _, err := readPacked(t, opt, files...)
		if err != io.EOF || len(streams) != len(want) {
			t.Errorf("%+v: %d logs, %v", opt, len(streams), err)
		}
		for name, text := range want {
			if streams[name] != text {
				t.Errorf("%+v: %s differs", opt, name)
			}
		}
	}
	root := t.TempDir()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(root, f.name), []byte(f.text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := drain(t, newReader(t, Options{Ordered: true, Parallel: 8}, root))
	if err != io.EOF {
		t.Fatal(err)
	}
	for i, g := range list {
		if want := fmt.Sprintf("%02d.log", i); filepath.Base(g.name) != want {
			t.Errorf("log %d is %s, want %s", i, g.name, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	for path, want := range map[string]Stream{
		"/var/log/pods/shop_cart-7d9c-x2_0d5f1f0e-1b1f-4f5e-9a57-1f0f7c1d2e3f/istio-proxy/0.log":                        {Namespace: "shop", Pod: "cart-7d9c-x2", Container: "istio-proxy"},
		"pods/shop_cart-7d9c-x2_0d5f1f0e-1b1f-4f5e-9a57-1f0f7c1d2e3f/istio-proxy/0.log.20260102-030405.gz":              {Namespace: "shop", Pod: "cart-7d9c-x2", Container: "istio-proxy"},
		"containers/cart-7d9c-x2_shop_istio-proxy-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.log": {Namespace: "shop", Pod: "cart-7d9c-x2", Container: "istio-proxy"},
		"bug-report/proxies/shop/cart-7d9c-x2/proxy.log":                                                                {Namespace: "shop", Pod: "cart-7d9c-x2"},
		"bug-report/istio/istio-system/istiod-5f/discovery.log":                                                         {Namespace: "istio-system", Pod: "istiod-5f"},
		"dump/shop/cart-7d9c-x2/logs.txt":                                                                               {Namespace: "shop", Pod: "cart-7d9c-x2"},
		"logs/istio-proxy.log.1.gz":                                                                                     {},
		"archive/shop/cart/access.log":                                                                                  {},
	} {
		var got Stream
		got.locate(path)
		if got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
}

// FuzzUnpack demands that no bytes make unpacking panic, hang or take much.
func FuzzUnpack(f *testing.F) {
	text := lines(0, 50)
	for format := range packers {
		f.Add([]byte(pack(f, format, text)))
	}
	f.Add([]byte(packTar(f, packedFile{"a.log", text})))
	f.Add([]byte(packZip(f, zip.Deflate, true, packedFile{"a.log", text})))
	f.Add([]byte(packZip(f, zip.Store, true, packedFile{"a.log", text})))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		r := newReader(t, Options{}, path)
		var b Batch
		var sum int64
		for r.Next(t.Context(), &b) == nil {
			if sum += b.Bytes(); sum > 64<<20 {
				return
			}
		}
		for _, in := range r.Inputs() {
			sum -= in.Bytes
		}
		if sum != 0 {
			t.Errorf("the inputs say %d bytes less than were handed out", sum)
		}
	})
}

func crcOf(text string) uint32 { return crc32.ChecksumIEEE([]byte(text)) }
