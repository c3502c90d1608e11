package cells_test

import (
	"testing"

	"kubarium/cells"
)

func TestInert(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "",
		"plain\ttext\n":                  "plain\ttext\n",
		"grün 日本 עברית":                  "grün 日本 עברית",
		"\x1b[31m\a\r\x00":               " [31m   ",
		"\u009d0;PWNED\u009c\u009b31m":   " 0;PWNED  31m",
		"del\x7f over\u202e\u2066\u2069": "del  over   ",
		"\u200e\u200f\u061c":             "   ",
		"a\u2028b\u2029c\u0085d":         "a b c d",
		"\x9b31m":                        "\ufffd31m",
		"👩\u200d👧 e\u0301":               "👩\u200d👧 e\u0301", // joiners and accents are of characters
	} {
		if got := cells.Inert(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
