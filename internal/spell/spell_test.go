package spell

import "testing"

// A hint names something else than what was written.
func TestDidYouMean(t *testing.T) {
	names := []string{"code", "cause", "cluster"}
	for word, want := range map[string]string{
		"cod": "; did you mean code?", "clsuter": "; did you mean cluster?", "c": "", "weather": "",
		"code": "", "cause": "", "cluster": "",
	} {
		if got := DidYouMean(word, names); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
