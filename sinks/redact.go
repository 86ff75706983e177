package sinks

import (
	"slices"
	"strings"
)

// secrets are the words in front of a value that must not be shown.
var secrets = []string{"token", "password", "passwd", "secret", "authorization", "apikey", "api_key", "api-key", "access_key", "session", "cookie", "signature", "credential"}

// schemes stand in front of credentials in a header.
var schemes = []string{"bearer ", "basic "}

// secretLetters are those that a name of a secret or a scheme begins with, in
// lower case.
var secretLetters = func() (is [256]bool) {
	for _, name := range slices.Concat(secrets, schemes) {
		is[name[0]] = true
	}
	return is
}()

// redact takes the secrets out of a record as it was written: query strings,
// bearer tokens, JSON web tokens and the values of telling names. What it
// leaves out is shown as three dots.
func redact(s string) string {
	var b strings.Builder
	shown := 0 // what is in front of it is in b, or was left out
	for i := 0; i < len(s); {
		n, keep := secretAt(s, i)
		if n == 0 {
			i++
			continue
		}
		b.WriteString(s[shown : i+keep])
		b.WriteString("...")
		i += n
		shown = i
	}
	if shown == 0 {
		return s
	}
	b.WriteString(s[shown:])
	return b.String()
}

// secretAt returns how long the secret that begins at s[i] is and how much of
// its begin may stay; 0 if there is none.
func secretAt(s string, i int) (n, keep int) {
	switch c := s[i]; {
	case c == '?':
		if end := valueEnd(s, i+1, " \"'\\"); end > i+1 {
			return end - i, 1
		}
	case c == 'e' && strings.HasPrefix(s[i:], "eyJ"):
		if end := valueEnd(s, i, " \"'\\,;"); end-i > 20 {
			return end - i, 0
		}
	case secretLetters[c|' '] && (i == 0 || !isLetter(s[i-1])):
		return namedSecret(s, i)
	}
	return 0, 0
}

// namedSecret finds "Bearer VALUE", "token=VALUE" and `"token":"VALUE"`.
func namedSecret(s string, i int) (n, keep int) {
	for _, scheme := range schemes {
		if len(s)-i > len(scheme) && s[i]|' ' == scheme[0] && strings.EqualFold(s[i:i+len(scheme)], scheme) {
			if end := valueEnd(s, i+len(scheme), " \"'\\,;"); end > i+len(scheme)+7 {
				return end - i, len(scheme)
			}
		}
	}
	for _, name := range secrets {
		if len(s)-i <= len(name) || s[i]|' ' != name[0] || !strings.EqualFold(s[i:i+len(name)], name) {
			continue
		}
		from := i + len(name)
		for from < len(s) && strings.IndexByte("\"':= ", s[from]) >= 0 {
			from++
		}
		if !strings.ContainsAny(s[i+len(name):from], ":=") {
			continue
		}
		if end := valueEnd(s, from, " \"'\\,;&"); end > from {
			return end - i, from - i
		}
	}
	return 0, 0
}

func isLetter(c byte) bool { return c|' ' >= 'a' && c|' ' <= 'z' || c == '_' }

// valueEnd is where a value that begins at from ends.
func valueEnd(s string, from int, stops string) int {
	if n := strings.IndexAny(s[from:], stops); n >= 0 {
		return from + n
	}
	return len(s)
}
