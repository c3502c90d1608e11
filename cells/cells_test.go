package cells_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"kubarium/cells"
)

// Characters take the cells that every terminal gives them.
func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "名字空间": 8, "a名": 3, "e\u0301": 1, "ｶﾞ": 2, "한국": 4, "\u1112\u1161\u11ab": 2, "，": 2, "“": 1,
		"😀": 2, "👨\u200d👩\u200d👧": 2, "👍🏽": 2, "❤\ufe0f": 1, "1\ufe0f\u20e3": 1, "क्ष": 2, "\t": 1, "\x1b[1m": 4, "\xff\xfe": 2, "\u0301": 1, "a\u200db": 2,
	} {
		if got := cells.Width(text); got != want {
			t.Errorf("%+q takes %d cells, want %d", text, got, want)
		}
	}
}

// Of a character that terminals show in different widths, the first part is shown.
func TestNext(t *testing.T) {
	for _, c := range []struct{ text, shown string }{
		{"👨\u200d👩\u200d👧", "👨"}, {"👍🏽", "👍"}, {"❤\ufe0f", "❤"}, {"1\ufe0f\u20e3", "1"}, {"क्ष", "क्ष"}, {"e\u0301", "e\u0301"}, {"\x1b]0;x\x07", "·]0;x·"},
		{"名\xff名", "名·名"}, {"\u202eabc", "·abc"}, {"\u009b1m", "·1m"},
	} {
		got := ""
		for s := c.text; s != ""; {
			text, _, n := cells.Next(s)
			got += text
			s = s[n:]
		}
		if got != c.shown {
			t.Errorf("%+q is shown as %+q, want %+q", c.text, got, c.shown)
		}
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want string
		left string
	}{
		{"abcdef", 6, "abcdef", "abcdef"}, {"abcdef", 4, "abc…", "…def"}, {"名字空间", 8, "名字空间", "名字空间"}, {"名字空间", 7, "名字空…", "…字空间"},
		{"名字空间", 6, "名字…", "…空间"}, {"名字空间", 2, "…", "…"}, {"名字空间", 1, "…", "…"}, {"名字", 0, "", ""}, {"e\u0301e\u0301e\u0301", 2, "e\u0301…", "…e\u0301"},
	} {
		if got := cells.Fit(c.text, c.w); got != c.want {
			t.Errorf("%q in %d cells: %q, want %q", c.text, c.w, got, c.want)
		}
		if got := cells.FitLeft(c.text, c.w); got != c.left {
			t.Errorf("the end of %q in %d cells: %q, want %q", c.text, c.w, got, c.left)
		}
	}
}

// Lines break where the script allows it.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want []string
	}{
		{"one two three", 7, []string{"one two", "three"}},
		{"one  two", 20, []string{"one  two"}},
		{"a read-only view", 8, []string{"a read-", "only", "view"}},
		{"say --flag -1 now", 6, []string{"say", "--flag", "-1 now"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"x abcdefghij", 4, []string{"x", "abcd", "efgh", "ij"}},
		{"one\n\ntwo", 9, []string{"one", "", "two"}},
		{"  in", 9, []string{"  in"}},
		{"对象需要名称。", 12, []string{"对象需要名", "称。"}},          // 。 does not begin a line
		{"它需要（名称）才行", 9, []string{"它需要", "（名称）", "才行"}},   // （ does not end one
		{"他说“提交”之后", 5, []string{"他说", "“提", "交”之", "后"}}, // quotes stay with their words
		{"用 POST 请求创建", 10, []string{"用 POST 请", "求创建"}},  // between Chinese and Latin as well
		{"API服务器", 5, []string{"API服", "务器"}},             // without a blank, too
		{"한국어 문장", 7, []string{"한국어", "문장"}},              // Korean breaks at blanks
		{"名", 1, []string{"名"}},                           // nothing is broken in two
		{"👍👍👍", 5, []string{"👍👍", "👍"}},                   // emoji break as ideographs do
		{"カード、テスト", 4, []string{"カー", "ド、", "テス", "ト"}},   // ー does not begin a line
		{"1\u00a0名", 2, []string{"1\u00a0", "名"}},         // no break at such a blank
		{"", 4, []string{""}},
	} {
		if got := cells.Wrap(c.text, c.w); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d cells: %q, want %q", c.text, c.w, got, c.want)
		}
	}
}

// For any text, no line is too wide, no character is broken, and only blanks are lost.
func FuzzWrap(f *testing.F) {
	for _, s := range []string{"one two", "名字空间，资源版本。", "👨\u200d👩\u200d👧 a\u0301b", "（（（）））", "\xff\u200d\n\t x", "한국어-말"} {
		f.Add(s, 7)
	}
	bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
	f.Fuzz(func(t *testing.T, s string, w int) {
		w = 2 + (w&0x7f)%100
		lines := cells.Wrap(s, w)
		for _, l := range lines {
			if cells.Width(l) > w {
				t.Fatalf("%q in %d cells: %q", s, w, l)
			}
		}
		if utf8.ValidString(s) && bare(strings.Join(lines, "")) != bare(s) {
			t.Fatalf("%q in %d cells became %q", s, w, lines)
		}
		if fit := cells.Fit(s, w); cells.Width(fit) > w {
			t.Fatalf("%q fits in %d cells as %q", s, w, fit)
		}
		if fit := cells.FitLeft(s, w); cells.Width(fit) > w {
			t.Fatalf("the end of %q fits in %d cells as %q", s, w, fit)
		}
	})
}
