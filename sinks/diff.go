package sinks

import (
	"cmp"
	"math"
	"slices"
)

// A Diff is what changed between two reports: causes that are new, gone, or
// met significantly more or less often, in each cluster.
type Diff struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Before     DiffSide  `json:"before"`
	After      DiffSide  `json:"after"`
	Changes    []Change  `json:"changes"`   // the most important first
	Unchanged  []Compare `json:"unchanged"` // met in both, and no significant change
}

// A DiffSide is one of the two reports.
type DiffSide struct {
	Inputs []Input `json:"inputs"`
	Span   *Span   `json:"span,omitempty"`
	Totals Totals  `json:"totals"`
}

// A Compare is how often one cause was met in one cluster: requests of those
// that the cluster had, events of all records.
type Compare struct {
	Cause    string `json:"cause"` // "" for failed requests that no rule explains
	Title    string `json:"title"`
	Severity string `json:"severity"`
	Cluster  string `json:"cluster,omitempty"` // "" for events
	Before   uint64 `json:"before"`
	Of       uint64 `json:"beforeOf"`
	After    uint64 `json:"after"`
	AfterOf  uint64 `json:"afterOf"`
}

// The kinds of change.
const (
	changeNew  = "new"
	changeGone = "gone"
	changeMore = "more"
	changeLess = "less"
)

// ChangeKinds is the list of values of Change.Change.
func ChangeKinds() []string { return []string{changeNew, changeGone, changeMore, changeLess} }

// A Change is a Compare that changed. The ratio of the two shares lies between
// Low and High with a probability of 95 %; all three are 0 where the cause is
// new or gone, and where nothing is known of the cluster on one side.
type Change struct {
	Compare
	Change     string  `json:"change"`
	Ratio      float64 `json:"ratio,omitempty"`
	Low        float64 `json:"ratioLow,omitempty"`
	High       float64 `json:"ratioHigh,omitempty"`
	Chance     float64 `json:"chance"`     // of such a difference, or a larger one, if nothing had changed
	Confidence string  `json:"confidence"` // high: a chance under 0.1 %; medium: under 1 %; low
}

// significant is the chance below which a cause that was met on both sides
// has changed.
const significant = 0.01

// Compare returns what changed from one report to another.
func (r *Report) Compare(after *Report) *Diff {
	d := &Diff{
		APIVersion: apiVersion, Kind: "Diff",
		Before: DiffSide{r.Inputs, r.Span, r.Totals}, After: DiffSide{after.Inputs, after.Span, after.Totals},
		Changes: []Change{}, Unchanged: []Compare{},
	}
	for _, c := range comparisons(r, after) {
		if change, ok := c.change(); ok {
			d.Changes = append(d.Changes, change)
		} else {
			d.Unchanged = append(d.Unchanged, c)
		}
	}
	slices.SortStableFunc(d.Changes, compareChanges)
	return d
}

// compareChanges puts what needs action first: outages in front of the rest,
// what came in front of what went, and what is sure in front of what is not.
func compareChanges(a, b Change) int {
	return cmp.Or(
		cmp.Compare(severityMark(b.Severity), severityMark(a.Severity)),
		cmp.Compare(changeRank(a.Change), changeRank(b.Change)),
		cmp.Compare(a.Chance, b.Chance),
		cmp.Compare(b.After+b.Before, a.After+a.Before),
		cmp.Compare(a.Cause, b.Cause),
		cmp.Compare(a.Cluster, b.Cluster),
	)
}

func changeRank(change string) int {
	return slices.Index([]string{changeNew, changeMore, changeLess, changeGone}, change)
}

// comparisons lists every cause and cluster of either report, by name.
func comparisons(before, after *Report) (list []Compare) {
	type place struct{ cause, cluster string }
	at := map[place]int{}
	for side, r := range []*Report{before, after} {
		for i := range r.Causes {
			for cluster, n := range r.Causes[i].byCluster() {
				c := &r.Causes[i]
				k := place{c.ID, cluster}
				if _, ok := at[k]; !ok {
					at[k] = len(list)
					list = append(list, Compare{Cause: k.cause, Title: c.Title, Severity: c.Severity, Cluster: cluster, Of: before.exposure(cluster), AfterOf: after.exposure(cluster)})
				}
				if side == 0 {
					list[at[k]].Before += n
				} else {
					list[at[k]].After += n
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b Compare) int {
		return cmp.Or(cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.Cluster, b.Cluster))
	})
	return list
}

// byCluster is how often the cause was met in each cluster, and under "" how
// many events have it.
func (c *Card) byCluster() map[string]uint64 {
	m := map[string]uint64{}
	for _, v := range c.Clusters {
		if n := v.Count - v.Excess; n > 0 {
			m[v.Value] = n
		}
	}
	if c.Events > 0 {
		m[""] = c.Events
	}
	return m
}

// exposure is how many records of a cluster there are, of all for "".
func (r *Report) exposure(cluster string) uint64 {
	if cluster == "" {
		return r.Totals.Records
	}
	for _, t := range r.Clusters {
		if t.Name == cluster {
			return t.Count
		}
	}
	return 0
}

// change says whether and how a cause changed.
func (c Compare) change() (change Change, ok bool) {
	change = Change{Compare: c, Chance: 1}
	if c.Of > 0 && c.AfterOf > 0 {
		change.Chance = chance(c.Before, c.Of, c.After, c.AfterOf)
	}
	switch {
	case c.Before == 0:
		change.Change = changeNew
	case c.After == 0:
		change.Change = changeGone
	case change.Chance >= significant:
		return change, false
	default:
		change.ratio()
		change.Change = changeMore
		if change.Ratio < 1 {
			change.Change = changeLess
		}
	}
	switch {
	case change.Chance < 0.001:
		change.Confidence = "high"
	case change.Chance < 0.01:
		change.Confidence = "medium"
	default:
		change.Confidence = "low"
	}
	change.Chance = rounded(change.Chance)
	return change, true
}

// ratio sets the ratio of the shares and its interval, which is symmetric in
// the logarithm: the usual one for a ratio of two rates.
func (c *Change) ratio() {
	r := float64(c.After) / float64(c.AfterOf) * float64(c.Of) / float64(c.Before)
	spread := math.Exp(1.96 * math.Sqrt(1/float64(c.Before)+1/float64(c.After)))
	c.Ratio, c.Low, c.High = rounded(r), rounded(r/spread), rounded(r*spread)
}

// rounded keeps three digits.
func rounded(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(x))))
	if math.IsInf(scale, 0) {
		return 0
	}
	return math.Round(x*scale) / scale
}

// chance is that of a difference like this one or larger when both sides have
// the same rate: given how many there are together, how many of them come
// after is binomial, with the share that after has of all records.
func chance(before, of, after, afterOf uint64) float64 {
	n, p := before+after, float64(afterOf)/float64(of+afterOf)
	less := binomialTail(after, n, p)
	more := binomialTail(before, n, 1-p)
	return min(1, 2*min(less, more))
}

// binomialTail is the probability of at most k of n. The terms are added from
// the largest down, until they do not matter.
func binomialTail(k, n uint64, p float64) float64 {
	if k >= n {
		return 1
	}
	if float64(k) > float64(n)*p {
		return 1 - binomialTail(n-k-1, n, 1-p)
	}
	term := math.Exp(logBinomial(k, n, p))
	sum := term
	for i := k; i > 0 && term > sum*1e-17; i-- {
		term *= float64(i) / float64(n-i+1) * (1 - p) / p
		sum += term
	}
	return min(1, sum)
}

func logBinomial(k, n uint64, p float64) float64 {
	lg := func(x uint64) float64 {
		v, _ := math.Lgamma(float64(x) + 1)
		return v
	}
	return lg(n) - lg(k) - lg(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p)
}
