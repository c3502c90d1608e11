package answer

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Warnings are told as kube-apiserver's recorder does it: each once, all cut to 256 characters when they would be more than
// 4,096 together, and none beyond; one that no header can hold is left out.
func TestSetWarnings(t *testing.T) {
	header := func(text string) string { return `299 - "` + text + `"` }
	long := func(first string) string { return first + strings.Repeat("é", 1000) }
	for _, c := range []struct {
		name           string
		warnings, want []string
	}{
		{"none", nil, nil},
		{"twice", []string{"a", "b", "a", ""}, []string{header("a"), header("b")}},
		{"quoted", []string{`say "a\b"`}, []string{header(`say \"a\\b\"`)}},
		{"no header", []string{"a\nb", "c"}, []string{header("c")}},
		{"at the bound", []string{strings.Repeat("x", 4096)}, []string{header(strings.Repeat("x", 4096))}},
		{"cut", []string{long("a"), long("b"), long("c"), long("d"), long("e")},
			[]string{header(long("a")[:511]), header(long("b")[:511]), header(long("c")[:511]), header(long("d")[:511]), header(long("e")[:511])}},
	} {
		h := http.Header{}
		setWarnings(h, c.warnings)
		if !slices.Equal(h["Warning"], c.want) {
			t.Errorf("%s: %q, want %q", c.name, h["Warning"], c.want)
		}
	}
	many := make([]string, 100)
	for i := range many {
		many[i] = strings.Repeat(string(rune('a'+i%26)), 300+i)
	}
	h := http.Header{}
	setWarnings(h, many)
	if len(h["Warning"]) != maxWarnings/maxWarning {
		t.Errorf("100 long ones: %d are told", len(h["Warning"]))
	}
}
