package rules

import (
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
)

const good = `causes:
  - id: payments-nightly-restart
    title: Payments restarts at night
    severity: warning
    match:
      - when: flag:UF cluster:payments
        rivals: [upstream-refused]
        confidence: medium
    meaning: The batch job restarts the pods.
`

func TestParse(t *testing.T) {
	own, err := Parse("team.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	c, r := own.Causes[0], own.Rules[0]
	if c.ID != "payments-nightly-restart" || c.Severity != classify.Warning || c.Side != classify.App ||
		r.When != "flag:UF cluster:payments" || r.Rivals != "upstream-refused" || r.Confidence != classify.Medium {
		t.Errorf("got %+v %+v", c, r)
	}
}

// Errors name the line and the column, and what was meant.
func TestParseErrors(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"unknown key":    {"severity:", "severty:", `team.yaml:4:5: unknown key "severty"; did you mean severity?`},
		"unknown value":  {"severity: warning", "severity: bad", `team.yaml:4:15: "bad" is none of info, warning, error`},
		"twice":          {"severity: warning", "title: again", `team.yaml:4:5: "title" is there twice`},
		"bad condition":  {"flag:UF cluster", "flag:UF clutser", `team.yaml:6:15: `},
		"unknown flag":   {"flag:UF", "flag:QQ", `no flag "QQ"`},
		"unknown rival":  {"upstream-refused", "upstream-refusd", `no cause "upstream-refusd"`},
		"id of ours":     {"payments-nightly-restart", "upstream-refused", `team.yaml:2:9: cause upstream-refused: the name "upstream-refused" is taken`},
		"alias of ours":  {"    severity", "    aliases: [upstream-refused]\n    severity", `team.yaml:2:9: cause payments-nightly-restart: the name "upstream-refused" is taken`},
		"id of another":  {good, good + strings.TrimPrefix(good, "causes:\n"), `team.yaml:10:9: cause payments-nightly-restart: the name "payments-nightly-restart" is taken`},
		"no title":       {"    title: Payments restarts at night\n", "", "has no title"},
		"bad id":         {"payments-nightly-restart", "Payments Restart", `team.yaml:2:5: id "Payments Restart"`},
		"list wanted":    {"[upstream-refused]", "upstream-refused", "team.yaml:7:17: want a list"},
		"broken yaml":    {"match:", "match: [", "team.yaml: line"},
		"tab":            {"    severity", "\tseverity", "found a tab character"},
		"two documents":  {"    meaning:", "---\ncauses: []\n#", "team.yaml:10:1: a second document: want all causes in one"},
		"mapping wanted": {good, "- a\n", "team.yaml:1:1: want a mapping of causes"},
		"nothing":        {good, "", "team.yaml: no causes"},
		"no causes":      {good, "causes: []\n", "no causes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("team.yaml", []byte(strings.Replace(good, c.from, c.to, 1)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
