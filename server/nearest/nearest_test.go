package nearest_test

import (
	"strings"
	"testing"

	"kubarium/server/nearest"
)

// TestWord proves that few edits lead to a word, that case is none, and that a short word is not made of nothing.
func TestWord(t *testing.T) {
	words := []string{"full", "normal", "off", "RBAC", "garbage-collector-controller"}
	for typed, want := range map[string]string{
		"full": "full", "ful": "full", "nromal": "normal", "of": "off", "rbac": "RBAC", "RABC": "RBAC",
		"garbage-colector-controler": "garbage-collector-controller",
		"":                           "", "x": "", "foo": "", "sometimes": "", strings.Repeat("o", 100): "",
	} {
		if got := nearest.Word(typed, words); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	if got := nearest.Word("", []string{"a", "ab"}); got != "" {
		t.Errorf("nothing leads to %q", got)
	}
}

func TestHint(t *testing.T) {
	if got := nearest.Hint("drak", []string{"dark", "light"}); got != ", did you mean dark?" {
		t.Errorf("%q", got)
	}
	if got := nearest.Hint("pink", []string{"dark", "light"}); got != "" {
		t.Errorf("%q", got)
	}
}
