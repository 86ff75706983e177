package tail

import (
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// IsPattern says whether a path stands for others, as long as there is no file
// of that name.
func IsPattern(path string) bool { return strings.ContainsAny(path, "*?[{") }

// Base is where all that a pattern matches lies; a path that is none is its own.
func Base(path string) string {
	if !IsPattern(path) {
		return path
	}
	base, _ := doublestar.SplitPattern(filepath.ToSlash(path))
	return filepath.FromSlash(base)
}

// IsMalformed says whether a path is a pattern that nothing can match.
func IsMalformed(path string) bool { return IsPattern(path) && !doublestar.ValidatePathPattern(path) }
