package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/flagwatch/flagwatch/"

// mayImport is the import diagram: what each package may import beside the
// standard library. Imports go one way.
var mayImport = map[string][]string{
	"parser":             {"github.com/valyala/fastjson", "golang.org/x/sys/cpu"},
	"classify":           {"parser", "internal/spell", "golang.org/x/sys/cpu"},
	"sinks":              {"parser", "classify", "internal/safe", "internal/packed", "github.com/mattn/go-runewidth", "github.com/VictoriaMetrics/metrics"},
	"internal/safe":      {},
	"internal/generated": {},
	"internal/packed":    {},
	"internal/tail":      {"parser", "internal/safe", "internal/source", "github.com/bmatcuk/doublestar/v4", "github.com/fsnotify/fsnotify", "golang.org/x/sys/unix"},
	"internal/agent":     {"parser", "classify", "sinks", "internal/document", "internal/ledger", "internal/pipeline", "internal/safe", "internal/spell", "internal/tail", "go.yaml.in/yaml/v3"},
	"internal/kafka": {
		"parser", "sinks", "internal/ledger", "internal/pipeline", "internal/safe", "internal/source", "github.com/valyala/fastjson",
		"github.com/klauspost/compress/gzip", "github.com/klauspost/compress/s2", "github.com/klauspost/compress/zstd", "github.com/pierrec/lz4/v4", "github.com/segmentio/kafka-go",
		"github.com/segmentio/kafka-go/protocol", "github.com/segmentio/kafka-go/protocol/fetch", "github.com/segmentio/kafka-go/sasl",
		"github.com/segmentio/kafka-go/sasl/plain", "github.com/segmentio/kafka-go/sasl/scram",
	},
	"internal/exposed":    {"sinks", "internal/kafka"},
	"internal/spell":      {},
	"internal/document":   {"go.yaml.in/yaml/v3"},
	"internal/rules":      {"classify", "internal/document", "internal/spell", "go.yaml.in/yaml/v3"},
	"internal/logformat":  {"parser", "internal/spell", "go.yaml.in/yaml/v3"},
	"internal/monitoring": {"classify", "go.yaml.in/yaml/v3"},
	"internal/source": {
		"parser", "internal/safe", "github.com/bmatcuk/doublestar/v4", "github.com/pierrec/lz4/v4", "github.com/ulikunitz/xz/lzma",
		"github.com/klauspost/compress/flate", "github.com/klauspost/compress/gzip", "github.com/klauspost/compress/s2", "github.com/klauspost/compress/zstd",
	},
	"internal/doctor":   {"parser", "classify", "sinks", "internal/safe", "github.com/mattn/go-runewidth"},
	"internal/ledger":   {"sinks", "internal/source"},
	"internal/pipeline": {"parser", "classify", "sinks", "internal/safe", "internal/source", "internal/ledger"},
	"cmd/flagwatch": {
		"deploy", "internal/agent", "internal/doctor", "internal/exposed", "internal/kafka", "internal/tail", "parser", "classify", "sinks", "internal/logformat", "internal/monitoring", "internal/rules", "internal/safe", "internal/spell", "internal/source", "internal/ledger", "internal/pipeline",
		"github.com/flagwatch/flagwatch", "github.com/mattn/go-runewidth", "github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/valyala/fastjson", "golang.org/x/term",
	},
}

// mustNotImport is what no library of ours may use: logs, flags and metrics
// are for the program.
var mustNotImport = map[string][]string{
	"parser":   {"log", "log/slog", "flag", "expvar", "net/http"},
	"classify": {"log", "log/slog", "flag", "expvar", "net/http"},
	"sinks":    {"log", "log/slog", "flag"},
}

func TestImportsGoOneWay(t *testing.T) {
	seen := map[string]bool{}
	for _, top := range []string{"parser", "classify", "sinks", "internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join("../..", top), func(file string, d fs.DirEntry, err error) error {
			if err != nil || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
				return err
			}
			pkg := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(file), filepath.FromSlash("../../")))
			seen[pkg] = true
			checkImports(t, pkg, file)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for pkg := range mayImport {
		if !seen[pkg] {
			t.Errorf("%s is in the diagram and not in the tree", pkg)
		}
	}
}

func checkImports(t *testing.T, pkg, file string) {
	allowed, known := mayImport[pkg]
	if !known {
		t.Errorf("%s: package %s is not in the diagram", file, pkg)
		return
	}
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range tree.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Error(err)
		}
		name = strings.TrimPrefix(name, module)
		standard := !strings.Contains(strings.Split(name, "/")[0], ".") && mayImport[name] == nil
		if !standard && !slices.Contains(allowed, name) || slices.Contains(mustNotImport[pkg], name) {
			t.Errorf("%s: %s may not import %s", file, pkg, name)
		}
	}
}
