package classify

import (
	"strings"
	"testing"
)

// What a record can not rule out is of use only to one who is told how to.
func TestRivalsAreToldApart(t *testing.T) {
	c := classifier(t)
	told := map[string]bool{}
	for _, cause := range c.All() {
		for _, r := range cause.Rivals {
			if r.Tell == "" {
				t.Errorf("%s: rival %s has no tell", cause.ID, r.ID)
			}
			told[cause.ID+" "+r.ID] = true
		}
	}
	for _, r := range Rules() {
		for rival := range strings.FieldsSeq(r.Rivals) {
			if pair := r.Cause + " " + rival; !told[pair] {
				told[pair] = true
				t.Errorf("nothing tells %s from %s", r.Cause, rival)
			}
		}
	}
}
