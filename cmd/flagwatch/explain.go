package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/spell"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// maxExplained is how much of standard input is explained.
const maxExplained = 1 << 20

func newExplain(std streams) *cobra.Command {
	color := newChoice("auto", "always", "never")
	var rules string
	cmd := &cobra.Command{
		Use:   "explain X...",
		Short: "Say what a flag, a detail, an error or a pasted record means and what to do",
		Long: `explain says what something in a proxy's log means, which causes it can have,
how to tell them apart and what to type next. It takes a cause's id, response
flags, response code details, a transport failure reason, a response code, a
gRPC status, the error that a client showed, or a whole record; without
arguments it explains the records on standard input.`,
		Example: `  flagwatch explain UF
  flagwatch explain upstream-refused
  flagwatch explain 'curl: (35) wrong version number'
  kubectl logs POD -c istio-proxy | tail -1 | flagwatch explain`,
		RunE: func(_ *cobra.Command, args []string) error {
			causes, err := loadRules(rules)
			if err != nil {
				return err
			}
			e := &explainer{causes: causes, out: std.out, opt: textOptions(std, color.value)}
			if len(args) > 0 {
				return e.explainAll(args)
			}
			if isTerminal(std.in) {
				return usageError("explain: nothing to explain; name a flag, a cause or an error, or paste a record into a pipe")
			}
			data, err := io.ReadAll(io.LimitReader(std.in, maxExplained))
			if err != nil {
				return fmt.Errorf("standard input: %w", err)
			}
			return e.pasted(string(data))
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return explainable(classify.Default()), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&rules, "rules", "", "a file of the team's own causes, tried before the catalogue's")
	cmd.Flags().Var(color, "color", "colour in the text")
	return cmd
}

// explainable are the names that explain knows.
func explainable(c *classify.Classifier) (names []string) {
	for _, cause := range c.All() {
		names = append(append(names, cause.ID), cause.Aliases...)
	}
	for _, f := range parser.FlagList() {
		names = append(names, f.Short, f.Long)
	}
	return names
}

type explainer struct {
	causes *classify.Classifier
	out    io.Writer
	opt    sinks.TextOptions
	any    bool // something has been written
}

// explainAll explains each argument, or all together when one means nothing
// by itself: an error text that was not quoted.
func (e *explainer) explainAll(args []string) error {
	var answers []func() error
	for _, arg := range args {
		answer := e.answer(arg)
		if answer == nil {
			answers = nil
			break
		}
		answers = append(answers, answer)
	}
	if answers == nil {
		whole := strings.Join(args, " ")
		answer := e.answer(whole)
		if answer == nil {
			return usageError("explain: nothing known about %q%s", whole, spell.DidYouMean(whole, explainable(e.causes)))
		}
		answers = append(answers, answer)
	}
	for _, answer := range answers {
		if err := answer(); err != nil {
			return err
		}
	}
	return nil
}

// answer returns what writes the explanation of x, nil if there is none.
func (e *explainer) answer(x string) func() error {
	x = strings.TrimSpace(x)
	if cause, ok := e.causes.Cause(x); ok {
		return func() error { return sinks.WriteCause(e.part(), cause, e.opt) }
	}
	if misspelt(x, e.causes) {
		return nil
	}
	for _, find := range []func(string) func() error{e.flags, e.number, e.status, e.records, e.symptom, e.text} {
		if answer := find(x); answer != nil {
			return answer
		}
	}
	return nil
}

// misspelt says whether x is nearly the id of a cause: a word with hyphens,
// which no log has.
func misspelt(x string, c *classify.Classifier) bool {
	return strings.Contains(x, "-") && strings.Trim(x, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && spell.Closest(x, explainable(c)) != ""
}

// part begins the next explanation.
func (e *explainer) part() io.Writer {
	if e.any {
		io.WriteString(e.out, "\n")
	}
	e.any = true
	return e.out
}

func (e *explainer) suspects(name, about string, causes []*classify.Cause) func() error {
	return func() error { return sinks.WriteSuspects(e.part(), name, about, causes, e.opt) }
}

// flags answers for `UF`, `UF,URX` and long names.
func (e *explainer) flags(x string) func() error {
	var set parser.FlagSet
	var about []string
	for _, name := range strings.Split(x, ",") {
		f, ok := parser.FlagByName(strings.TrimSpace(name))
		if !ok {
			if f, ok = parser.FlagByName(strings.ToUpper(strings.TrimSpace(name))); !ok {
				return nil
			}
		}
		info := parser.FlagList()[f]
		set |= parser.FlagsOf(f)
		about = append(about, fmt.Sprintf("%s (on %s records, Envoy %s and later): %s.", info.Long, info.On, info.Since, info.About))
	}
	return e.suspects(x, strings.Join(about, " "), e.causes.AboutFlags(set))
}

// number answers for response codes, and for gRPC statuses below 17.
func (e *explainer) number(x string) func() error {
	n, ok := codeLine(x)
	switch {
	case !ok || n > 16 && n < 100:
		return nil
	case n > 0 && n <= 16:
		return e.status(x)
	case n == 0:
		return e.suspects(x, "No response was sent: a TCP connection, or a request whose client left or was cut off. By itself it is no failure.", e.causes.AboutCode(n))
	}
	causes := e.causes.AboutCode(n)
	if len(causes) == 0 {
		return e.suspects(x, "A response code that no cause of the catalogue goes with: most likely it is the application's own answer.", nil)
	}
	return e.suspects(x, "A response code. The flags and the details beside it say who set it and why.", causes)
}

// codeLine reads `502`, `502 Bad Gateway` and `HTTP/1.1 502 Bad Gateway`.
func codeLine(x string) (code int, ok bool) {
	words := strings.Fields(x)
	named := len(words) > 1 && strings.HasPrefix(strings.ToUpper(words[0]), "HTTP/")
	if named {
		words = words[1:]
	}
	if len(words) == 0 {
		return 0, false
	}
	code, err := strconv.Atoi(strings.TrimRight(words[0], ":"))
	if err != nil || code < 0 || code > 599 {
		return 0, false
	}
	reason := strings.Join(words[1:], " ")
	return code, named || reason == "" || strings.EqualFold(reason, http.StatusText(code))
}

// status answers for gRPC statuses, by number or by name, with or without the
// header's name in front.
func (e *explainer) status(x string) func() error {
	name := x
	if rest, ok := strings.CutPrefix(strings.ToLower(x), "grpc-status"); ok {
		name = strings.Trim(x[len(x)-len(rest):], " :=")
	}
	n, ok := parser.GRPCStatusNumber([]byte(name))
	if !ok {
		return nil
	}
	return e.suspects(x, fmt.Sprintf("gRPC status %d. The HTTP code beside it is 200; flags and details say whether the proxy or the upstream set it.", n), e.causes.AboutStatus(n))
}

// records answers for one or more pasted records.
func (e *explainer) records(x string) func() error {
	if strings.IndexByte(x, ' ') < 0 && !strings.HasPrefix(x, "{") {
		return nil
	}
	found, silent := false, true
	eachRecord(x, func(r *parser.Record) error {
		found = found || r.Kind == parser.Access || r.Kind == parser.Event
		silent = silent && (r.Kind != parser.Access && e.causes.Classify(r).Cause == nil)
		return nil
	})
	if _, known := classify.SymptomOf(x); !found || silent && known {
		return nil // the symptom says more than an event without a fault
	}
	return func() error { return eachRecord(x, e.record) }
}

// eachRecord walks the records of a text until do returns an error.
func eachRecord(text string, do func(*parser.Record) error) error {
	block := make([]byte, 0, len(text)+1+parser.Padding)
	block = append(append(block, text...), '\n')
	p := parser.NewParser(parser.AllFields)
	p.Reset(block)
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		if err := do(r); err != nil {
			return err
		}
	}
	return nil
}

func (e *explainer) record(r *parser.Record) error {
	if r.Kind != parser.Access && r.Kind != parser.Event {
		return nil
	}
	return sinks.WriteVerdict(e.part(), summary(r), r, e.causes.Classify(r), e.opt)
}

// summary names a record by what an eye looks for first.
func summary(r *parser.Record) string {
	if r.Kind == parser.Event {
		return strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Emitter, r.Bytes(parser.Level), r.Bytes(parser.Message)))
	}
	var b bytes.Buffer
	for _, f := range []parser.Field{parser.ResponseCode, parser.ResponseFlags, parser.ResponseCodeDetails, parser.UpstreamCluster, parser.UpstreamHost} {
		if v := r.Bytes(f); v != nil {
			b.Write(v)
			b.WriteByte(' ')
		}
	}
	if b.Len() == 0 {
		return r.Dialect.String()
	}
	return strings.TrimSpace(b.String())
}

// symptom answers for what a client saw.
func (e *explainer) symptom(x string) func() error {
	s, ok := classify.SymptomOf(x)
	if !ok {
		return nil
	}
	var causes []*classify.Cause
	for _, id := range s.Causes {
		if cause, ok := e.causes.Cause(id); ok {
			causes = append(causes, cause)
		}
	}
	return e.suspects(x, s.About, causes)
}

// text answers for details, transport failure reasons and messages.
func (e *explainer) text(x string) func() error {
	causes, in := e.causes.AboutText(x)
	if len(causes) == 0 {
		return nil
	}
	return e.suspects(x, "Words that are looked for in: "+strings.Join(in, ", ")+".", causes)
}

// pasted explains what came through a pipe: records, else their text.
func (e *explainer) pasted(text string) error {
	if strings.TrimSpace(text) == "" {
		return usageError("explain: standard input is empty")
	}
	return e.explainAll([]string{text})
}
