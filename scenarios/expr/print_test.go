package expr_test

import (
	"testing"

	"kubarium/scenarios/expr"
)

// What is not text becomes dots; a half space stays where it parts letters that join.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"fish\n\x1b[2Jtank\x00": "fish\n·[2Jtank·",
		"می\u200cخواهد":         "می\u200cخواهد",
		"adm\u200cin \u200c":    "adm·in ·",
		"a\u202eb \xff":         "a·b ·",
	} {
		if got := expr.Printable(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
}
