package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/spell"
	"github.com/flagwatch/flagwatch/parser"
)

// A table is a list in both of its forms: the cells of the text, and what is
// drawn as JSON.
type table struct {
	head  []string
	rows  [][]string
	below []string // a line under each row
	json  any
}

// tables are what there is to list, by name.
var tables = []struct {
	name, short string
	table       func() table
}{
	{"flags", "response flags", flagTable},
	{"dialects", "log layouts", dialectTable},
	{"fields", "fields of a record", fieldTable},
	{"causes", "causes of failures", causeTable},
	{"metrics", "metrics", metricTable},
}

func tableNames() (names []string) {
	for _, t := range tables {
		names = append(names, t.name)
	}
	return names
}

func newList(std streams) *cobra.Command {
	output := newChoice("table", "json")
	cmd := &cobra.Command{
		Use:       "list " + strings.Join(tableNames(), "|"),
		Short:     "List the response flags, dialects, fields, causes or metrics that flagwatch knows",
		ValidArgs: tableNames(),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("list: want one of %s", strings.Join(tableNames(), ", "))
			}
			return list(std.out, args[0], output.value)
		},
	}
	cmd.Flags().VarP(output, "output", "o", "output format")
	return cmd
}

func list(w io.Writer, name, output string) error {
	for _, t := range tables {
		switch {
		case t.name != name:
		case output == "json":
			return writeJSON(w, t.table().json)
		default:
			return writeTable(w, t.table())
		}
	}
	return usageError("list: no list %s%s (want one of %s)", name, spell.DidYouMean(name, tableNames()), strings.Join(tableNames(), ", "))
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func writeTable(w io.Writer, t table) error {
	var b bytes.Buffer
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.head}, t.rows...) {
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	tw.Flush()
	i := 0
	for line := range bytes.Lines(b.Bytes()) {
		if i > 0 && i <= len(t.below) && t.below[i-1] != "" {
			line = append(line[:len(line):len(line)], "    "+t.below[i-1]+"\n"...)
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		i++
	}
	return nil
}

func flagTable() table {
	type row struct {
		Bit   int    `json:"bit"`
		Short string `json:"short"`
		Long  string `json:"long"`
		On    string `json:"on"`
		Since string `json:"since"`
		About string `json:"about"`
	}
	t, rows := table{head: []string{"FLAG", "LONG NAME", "ON", "ENVOY", "MEANING"}}, []row{}
	for bit, f := range parser.FlagList() {
		t.rows = append(t.rows, []string{f.Short, f.Long, f.On, f.Since + "+", f.About})
		rows = append(rows, row{bit, f.Short, f.Long, f.On, f.Since, f.About})
	}
	t.json = rows
	return t
}

func dialectTable() table {
	type row struct {
		ID       string `json:"id"`
		Product  string `json:"product"`
		Versions string `json:"versions"`
		Encoding string `json:"encoding"`
		Format   string `json:"format,omitempty"`
		Example  string `json:"example,omitempty"`
	}
	t, rows := table{head: []string{"DIALECT", "PRODUCT", "VERSIONS", "ENCODING"}}, []row{}
	for _, d := range parser.DialectList() {
		r := row{d.ID, d.Product, d.Versions, d.Encoding.String(), d.Format, d.Example()}
		t.rows = append(t.rows, []string{r.ID, r.Product, r.Versions, r.Encoding})
		t.below = append(t.below, r.Example)
		rows = append(rows, r)
	}
	t.json = rows
	return t
}

func fieldTable() table {
	type row struct {
		Name      string   `json:"name"`
		Operators []string `json:"operators,omitempty"`
		Keys      []string `json:"keys"`
		About     string   `json:"about"`
	}
	t, rows := table{head: []string{"FIELD", "OPERATOR", "MEANING"}}, []row{}
	for _, f := range parser.FieldList() {
		r := row{Name: f.Name, Keys: append([]string{f.Name}, f.Keys...), About: f.About}
		cell := "-"
		if f.Operator != "" {
			r.Operators = append([]string{f.Operator}, f.Aliases...)
			cell = "%" + f.Operator + "%"
		}
		t.rows = append(t.rows, []string{r.Name, cell, r.About})
		rows = append(rows, r)
	}
	t.json = rows
	return t
}

func causeTable() table {
	type row struct {
		ID       string   `json:"id"`
		Title    string   `json:"title"`
		Seen     string   `json:"seen"`
		Parent   string   `json:"parent,omitempty"`
		Side     string   `json:"side"`
		Severity string   `json:"severity"`
		Aliases  []string `json:"aliases,omitempty"`
		Docs     []string `json:"docs,omitempty"`
	}
	t, rows := table{head: []string{"CAUSE", "SEVERITY", "SIDE", "SEEN IN", "WHAT"}}, []row{}
	for _, c := range classify.Causes() {
		r := row{c.ID, c.Title, c.Seen.String(), c.Parent, c.Side.String(), c.Severity.String(), c.Aliases, c.Docs}
		t.rows = append(t.rows, []string{r.ID, r.Severity, r.Side, r.Seen, r.Title})
		rows = append(rows, r)
	}
	t.json = rows
	return t
}
