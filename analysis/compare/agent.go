package compare

import (
	"regexp"
	"strings"
)

var (
	version = regexp.MustCompile(`^v?\d+(\.\d+)*([-+.].*)?$`)
	commit  = regexp.MustCompile(`^([0-9a-f]{7,40}|\$Format)$`)
	// The suffixes that builds and debuggers give the name of a program: a version, or a number.
	suffix = regexp.MustCompile(`([-_]v?\d+(\.\d+)+|[-_]?\d{3,})$`)
)

// agentOf is a User-Agent without what differs between runs, builds and machines: "manager/v0.0.0 (linux/amd64)
// kubernetes/$Format" is "manager", and "kube-controller-manager/v1.37.0 (linux/amd64)
// kubernetes/abcdef0/shared-informers" is "kube-controller-manager/shared-informers".
func agentOf(agent string) string {
	var words []string
	for i, word := range strings.Fields(withoutComments(agent)) {
		var parts []string
		for _, part := range strings.Split(word, "/") {
			if version.MatchString(part) || commit.MatchString(part) {
				continue
			}
			if i == 0 && len(parts) == 0 {
				part = suffix.ReplaceAllString(part, "")
			}
			parts = append(parts, part)
		}
		if i > 0 && len(parts) > 0 && parts[0] == "kubernetes" { // client-go's, of every program
			parts = parts[1:]
		}
		if len(parts) > 0 {
			words = append(words, strings.Join(parts, "/"))
		}
	}
	return strings.Join(words, "/")
}

// withoutComments leaves out what is in parentheses: a system and its architecture.
func withoutComments(agent string) string {
	var b strings.Builder
	depth := 0
	for _, r := range agent {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
			b.WriteByte(' ')
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}
