package compare

import (
	"regexp"
	"strings"
)

// safe are the letters of the names that Kubernetes makes (k8s.io/apimachinery/pkg/util/rand): suffixes of
// generateName, hashes of pod templates.
const safe = "bcdfghjklmnpqrstvwxz2456789"

var (
	uuid       = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	apiVersion = regexp.MustCompile(`^v\d+((alpha|beta)\d+)?$`)
)

// Shape is a name with a star for each part that looks random, the same for names that were made alike; the name itself
// if none does.
func Shape(name string) string {
	name = uuid.ReplaceAllString(name, "*")
	var b strings.Builder
	for len(name) > 0 {
		end := strings.IndexAny(name, "-.")
		if end < 0 {
			end = len(name)
		}
		if part := name[:end]; looksRandom(part) {
			b.WriteByte('*')
		} else {
			b.WriteString(part)
		}
		if end < len(name) {
			b.WriteByte(name[end])
			end++
		}
		name = name[end:]
	}
	return b.String()
}

// looksRandom reports whether a part of a name may come from chance or a clock. It is asked only about names that only
// one run has.
func looksRandom(s string) bool {
	digits, hex := 0, 0
	changes := 0 // between letters and digits
	for i := range len(s) {
		isDigit := s[i] >= '0' && s[i] <= '9'
		if isDigit {
			digits++
		}
		if isDigit || s[i] >= 'a' && s[i] <= 'f' {
			hex++
		}
		if i > 0 && isDigit != (s[i-1] >= '0' && s[i-1] <= '9') {
			changes++
		}
	}
	n := len(s)
	switch {
	case n < 5, apiVersion.MatchString(s):
		return false
	case digits == n, n >= 6 && hex == n && digits > 0, changes >= 2:
		return true
	}
	return (n == 5 || n >= 8 && n <= 10) && isSafe(s)
}

func isSafe(s string) bool { return strings.Trim(s, safe) == "" }

// generated reports whether a word ends with a suffix of generateName, and returns what is before it.
func generated(word string) (stem string, ok bool) {
	at := strings.LastIndexByte(word, '-')
	if at <= 0 || len(word)-at-1 != 5 || !isSafe(word[at+1:]) {
		return "", false
	}
	return word[:at], true
}
