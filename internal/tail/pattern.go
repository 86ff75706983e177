package tail

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// IsPattern says whether a path stands for others, as long as there is no file
// of that name.
func IsPattern(path string) bool { return strings.ContainsAny(path, "*?[{") }

// IsMalformed says whether a path is a pattern that nothing can match.
func IsMalformed(path string) bool { return IsPattern(path) && !doublestar.ValidatePathPattern(path) }
