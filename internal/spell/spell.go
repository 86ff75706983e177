// Package spell finds the name that a misspelt one was meant to be.
package spell

import (
	"slices"
	"strings"
)

// Nearest returns the names that word may be a misspelling of: at most a
// third of the letters differ, or it begins the name.
func Nearest(word string, names []string) (list []string) {
	for _, name := range names {
		if distance(word, name) <= max(1, len(name)/3) || len(word) > 1 && strings.HasPrefix(name, word) {
			list = append(list, name)
		}
	}
	return list
}

// distance is how many letters must be added, removed or replaced, or swapped
// with their neighbour, to turn a into b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(last[j+1], row[j]) + 1
			if a[i] == b[j] {
				row[j+1] = min(row[j+1], last[j])
			} else {
				row[j+1] = min(row[j+1], last[j]+1)
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// DidYouMean is the hint for a misspelt word, "" when nothing is near or the
// word is one of the names.
func DidYouMean(word string, names []string) string {
	if slices.Contains(names, word) {
		return ""
	}
	list := Nearest(word, names)
	if len(list) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(list, " or ") + "?"
}

// Closest returns the name that word is most likely a misspelling of, "" when
// none is near.
func Closest(word string, names []string) (closest string) {
	least := 0
	for _, name := range Nearest(word, names) {
		if d := distance(word, name); closest == "" || d < least {
			closest, least = name, d
		}
	}
	return closest
}
