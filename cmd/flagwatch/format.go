package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/flagwatch/flagwatch/internal/logformat"
	"github.com/flagwatch/flagwatch/internal/safe"
	"github.com/flagwatch/flagwatch/internal/spell"
	"github.com/flagwatch/flagwatch/parser"
)

// Formats are the access-log formats that the user gives.
type formats struct {
	given []string // as in the contract: STRING, @FILE or the id of a dialect
	from  []string // files of configuration
}

func (o *formats) addFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.given, "format", nil, "the access-log `format`: a format string, a JSON map, @FILE with either, or the id of a dialect; may be given again")
	flags.StringArrayVar(&o.from, "format-from", nil, "a `file` of configuration that has access-log formats, of Istio, Envoy, Envoy Gateway, Contour, Kuma, Emissary, Gloo, Consul or App Mesh; may be given again")
}

// load compiles what was given, and says on w what was found and what it
// lacks.
func (o *formats) load(w io.Writer) (list []*parser.Format, err error) {
	for _, value := range o.given {
		f, err := parseFormat(value)
		if err != nil {
			return nil, err
		}
		list = sayFormat(w, list, f)
	}
	for _, file := range o.from {
		data, err := readConfig(file, logformat.MaxSize)
		if err != nil {
			return nil, usageError("--format-from: %w", err)
		}
		found, err := logformat.Find(file, data)
		if err != nil {
			return nil, &exitError{exitUsage, err}
		}
		for _, f := range found {
			say(w, fmt.Sprintf("%v: %s", f.Place, describe(f)))
			list = sayFormat(w, list, f)
		}
	}
	return list, nil
}

func parseFormat(value string) (f logformat.Found, err error) {
	name := "--format"
	switch file, isFile := strings.CutPrefix(value, "@"); {
	case isFile && !strings.Contains(file, "%"):
		data, err := readConfig(file, parser.MaxRecord)
		if err != nil {
			return f, usageError("--format: %w", err)
		}
		name, value = file, string(data)
	case !strings.Contains(value, "%") && !strings.HasPrefix(value, "{"):
		format, known := parser.DialectFormat(value)
		if !known {
			return f, usageError("--format: no dialect %q, and no operator such as %%RESPONSE_CODE%% in it%s", value, spell.DidYouMean(value, dialectIDs()))
		}
		f.Format = format
		return f, nil
	}
	if f, err = logformat.Parse(name, value); err != nil {
		return f, &exitError{exitUsage, err}
	}
	return f, nil
}

// readConfig reads a file of at most a size, and what is behind it only as far
// as to see that there is more.
func readConfig(file string, most int64) ([]byte, error) {
	f, err := safe.OpenFile(file)
	if err != nil {
		return nil, openError(file, err)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	return data, errors.Join(err, f.Close())
}

// sayFormat adds a format to the list and says what it lacks.
func sayFormat(w io.Writer, list []*parser.Format, f logformat.Found) []*parser.Format {
	for _, n := range f.Notes {
		say(w, fmt.Sprintf("%v: %s", n.Place, n.Text))
	}
	if f.Format == nil {
		return list
	}
	return append(list, f.Format)
}

func describe(f logformat.Found) string {
	what := f.What
	switch {
	case f.Format == nil:
		return what + " needs no --format"
	case f.More > 0:
		return fmt.Sprintf("format of %s, and %d more like it", what, f.More)
	}
	return "format of " + what
}

func dialectIDs() (ids []string) {
	for _, d := range parser.DialectList() {
		ids = append(ids, d.ID)
	}
	return ids
}
