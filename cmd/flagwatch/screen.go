package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/flagwatch/flagwatch/sinks"
)

// textOptions says what the place that a report goes to can show.
func textOptions(std streams, color string) sinks.TextOptions {
	return sinks.TextOptions{Width: width(std), Color: wantsColor(std, color), ASCII: isASCII(std.env)}
}

// width is what COLUMNS or the terminal says, else 0.
func width(std streams) int {
	if n, err := strconv.Atoi(std.env("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := std.out.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}

// wantsColor follows https://no-color.org and https://bixense.com/clicolors.
func wantsColor(std streams, color string) bool {
	switch {
	case color != "auto":
		return color == "always"
	case std.env("NO_COLOR") != "":
		return false
	case set(std.env("FORCE_COLOR")) || set(std.env("CLICOLOR_FORCE")):
		return true
	case std.env("TERM") == "dumb":
		return false
	}
	f, ok := std.out.(*os.File)
	return ok && isTerminal(f)
}

func set(value string) bool { return value != "" && value != "0" }

// isASCII says whether the locale names another character set than UTF-8.
func isASCII(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(env(name)); value != "" {
			return !strings.Contains(value, "utf-8") && !strings.Contains(value, "utf8")
		}
	}
	return false
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
