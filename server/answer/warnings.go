package answer

import (
	"net/http"
	"unicode/utf8"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// The bounds of all warnings of an answer, in characters, as in kube-apiserver: when whole ones would be more than
// maxWarnings, each is cut to maxWarning, and none is added beyond.
const (
	miscellaneous = 299 // the code of a warning that says nothing more
	maxWarnings   = 4 << 10
	maxWarning    = 256
)

// setWarnings adds warnings for the client (RFC 7234, section 5.5; code 299), each text once.
func setWarnings(h http.Header, warnings []string) {
	if len(warnings) == 0 {
		return
	}
	seen := map[string]bool{}
	var texts []string
	total := 0
	for _, text := range warnings {
		if text == "" || seen[text] {
			continue
		}
		seen[text] = true
		texts = append(texts, text)
		total += utf8.RuneCountInString(text)
	}
	cut, written := total > maxWarnings, 0
	for _, text := range texts {
		if cut && written >= maxWarnings {
			return
		}
		if cut {
			text = firstRunes(text, maxWarning)
		}
		header, err := utilnet.NewWarningHeader(miscellaneous, "", text)
		if err != nil {
			continue // it has characters that a header cannot have
		}
		h.Add("Warning", header)
		written += utf8.RuneCountInString(text)
	}
}

// firstRunes is the beginning of a text of at most n characters.
func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
