package words_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kubarium/scenarios/words"
)

var verb = regexp.MustCompile(`%%|%(\[\d\])?[-+ #0]*\d*(\.\d+)?[a-zA-Z]`)

// languages are all that there are.
func languages() (all []*words.Words) {
	for _, tag := range words.Languages() {
		all = append(all, words.In(tag.String()))
	}
	return all
}

// Each text that is shown has a translation.
func TestWords_Whole(t *testing.T) {
	s := readSource(t, "../../tui", "../teller", "../../app/book")
	for _, w := range languages() {
		for _, text := range slices.Sorted(maps.Keys(s.found)) {
			if _, ok := w.Texts()[text]; !ok {
				t.Errorf("%s.yaml has no %q, of %s", w.Language, text, s.found[text])
			}
		}
	}
	for _, at := range s.mixed {
		t.Errorf("%s: a text of parts cannot be translated; fill a format with F", at)
	}
}

// A translation has the verbs of its text, and each is needed: its text is in the code.
func TestWords_Texts(t *testing.T) {
	s := readSource(t, "../../tui", "../teller", "../../app/book", "../../app/shown")
	for _, w := range languages() {
		for text, told := range w.Texts() {
			want, got := verb.FindAllString(text, -1), verb.FindAllString(indexed.ReplaceAllString(told, "%"), -1)
			if indexed.MatchString(told) {
				slices.Sort(want)
				slices.Sort(got)
			}
			if !slices.Equal(want, got) || strings.TrimSpace(text) != text || told == "" {
				t.Errorf("%s.yaml: %q is %q", w.Language, text, told)
			}
			if !s.says(strings.TrimSuffix(strings.TrimPrefix(text, "# "), "s")) {
				t.Errorf("%s.yaml: no code says %q", w.Language, text)
			}
		}
	}
}

// Persian has its own letters, ASCII digits, and no space where a half space belongs; in the lessons too.
func TestWords_Persian(t *testing.T) {
	texts := slices.Collect(maps.Values(words.In("fa").Texts()))
	files, err := filepath.Glob("../lessons/*.fa.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.Split(string(b), "\n")...)
	}
	for _, text := range texts {
		for what, wrong := range unPersian {
			if at := wrong.FindString(text); at != "" {
				t.Errorf("%s, %q: %s", what, at, text)
			}
		}
	}
}

var unPersian = map[string]*regexp.Regexp{
	"an Arabic letter":          regexp.MustCompile(`[يكىة]`),
	"a digit that is not ASCII": regexp.MustCompile(`[۰-۹٠-٩]`),
	"a space after می":          regexp.MustCompile(`(^|[^\p{L}])ن?می \p{L}`),
	"a space before ها":         regexp.MustCompile(`\p{L} (ها|های|هایی)([^\p{L}]|$)`),
	"a question mark":           regexp.MustCompile(`\p{Arabic}\?`),
	"a semicolon":               regexp.MustCompile(`\p{Arabic};`),
	"a half space":              regexp.MustCompile(`\x{200c}([^\p{Arabic}]|$)|[a-zA-Z]\x{200c}`),
	"a sign of direction":       regexp.MustCompile(`[\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`),
}

var indexed = regexp.MustCompile(`%\[\d\]`)

// A text that is missing stays English, blanks and numbers around one stay, and names are left alone.
func TestWords_Lookup(t *testing.T) {
	w := words.In("zh")
	for _, c := range [][2]string{
		{w.T("filter"), "筛选"}, {w.T("  filter "), "  筛选 "}, {w.T("no such text"), "no such text"}, {w.T(""), ""},
		{w.Sentence("filter"), "filter"}, {w.Sentence("clear the filter"), "清除筛选"},
		{w.F("nothing is open here; q %s", "asks to quit"), "这里没有打开什么；q 询问是否退出"},
		{w.F("filter: %s", "filter"), "筛选：filter"}, // a name is no text
		{words.In("xx").T("filter"), "filter"}, {words.In("xx").F("filter: %s", "a"), "filter: a"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q instead of %q", c[0], c[1])
		}
	}
}
