package term_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"kubarium/tui/term"
)

func env(m map[string]string) func(string) string { return func(k string) string { return m[k] } }

// Without colours a theme is mono, COLORFGBG decides only for auto, and contrast is always possible.
func TestPickTheme(t *testing.T) {
	for _, c := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"auto", nil, "dark"},
		{"", nil, "dark"},
		{"auto", map[string]string{"COLORFGBG": "0;15"}, "light"},
		{"auto", map[string]string{"COLORFGBG": "0;default;7"}, "light"},
		{"auto", map[string]string{"COLORFGBG": "15;0"}, "dark"},
		{"dark", map[string]string{"COLORFGBG": "0;15"}, "dark"},
		{"auto", map[string]string{"NO_COLOR": "1"}, "mono"},
		{"light", map[string]string{"NO_COLOR": "1", "COLORTERM": "truecolor"}, "mono"},
		{"auto", map[string]string{"TERM": "dumb"}, "mono"},
		{"light", map[string]string{"TERM": "vt220"}, "mono"},
		{"light", map[string]string{"COLORTERM": "truecolor"}, "light"},
		{"contrast", map[string]string{"NO_COLOR": "1"}, "contrast"},
		{"mono", map[string]string{"COLORTERM": "truecolor"}, "mono"},
	} {
		got, err := term.PickTheme(c.name, env(c.env))
		if err != nil || got.Name != c.want {
			t.Errorf("%s %v: %v %v", c.name, c.env, got.Name, err)
		}
	}
	_, err := term.PickTheme("pink", env(nil))
	if err == nil || err.Error() != `theme "pink": must be auto, dark, light, mono or contrast` {
		t.Errorf("pink: %v", err)
	}
}

// A theme uses the colours that the terminal has.
func TestPickTheme_Colours(t *testing.T) {
	for _, c := range []struct {
		name, term, colorterm string
		want                  string // of Err
	}{
		{"dark", "xterm", "", "\x1b[1;35m"},
		{"dark", "screen", "", "\x1b[1;35m"},
		{"dark", "xterm-256color", "", "\x1b[1;38;5;175m"},
		{"light", "xterm-256color", "", "\x1b[1;38;5;132m"},
		{"dark", "xterm-256color", "truecolor", "\x1b[1;38;2;216;137;179m"},
		{"light", "xterm-256color", "24bit", "\x1b[1;38;2;170;60;120m"},
		{"contrast", "xterm-256color", "truecolor", "\x1b[1;7;95m"},
		{"mono", "xterm-256color", "truecolor", "\x1b[1m"},
	} {
		got, err := term.PickTheme(c.name, env(map[string]string{"TERM": c.term, "COLORTERM": c.colorterm}))
		if err != nil || got.Seq[term.Err] != c.want {
			t.Errorf("%s at %s %s: %q %v, want %q", c.name, c.term, c.colorterm, got.Seq[term.Err], err, c.want)
		}
		dark := got.Another("dark")
		if again := dark.Another(got.Name); again.Seq != got.Seq {
			t.Errorf("%s at %s: another and back is not the same", c.name, c.term)
		}
	}
}

// A sequence is one of SGR, in mono only of bold, reverse and underline, and the row of the cursor is different.
func TestNewTheme_Sequences(t *testing.T) {
	form := regexp.MustCompile(`^(\x1b\[\d+(;\d+)*m)?$`)
	for _, name := range term.Themes() {
		for i, s := range term.NewTheme(name).Seq {
			if !form.MatchString(s) {
				t.Errorf("%s, style %d: %q", name, i, s)
			}
			for _, p := range strings.Split(strings.Trim(s, "\x1b[m"), ";") {
				if name == "mono" && !slices.Contains([]string{"", "1", "4", "7"}, p) {
					t.Errorf("mono uses %q", s)
				}
			}
		}
		th := term.NewTheme(name)
		for _, st := range []term.Style{term.Plain, term.Warn, term.Err, term.Marked} {
			if th.Seq[st|term.Selected] == th.Seq[st] || th.Seq[st|term.Selected] == th.Seq[st|term.Shadowed] {
				t.Errorf("%s: the selected row of style %d is not different", name, st)
			}
		}
	}
}

func TestCharsetOf(t *testing.T) {
	for _, c := range []struct {
		term, lang string
		want       term.Charset
	}{{"xterm", "en_US.UTF-8", term.AllGlyphs}, {"linux", "en_US.UTF-8", term.ASCIIOnly},
		{"xterm", "C", term.ASCIIOnly}, {"xterm", "zh_CN.GB18030", term.ASCIIOnly},
		{"xterm", "ja_JP.UTF-8", term.SafeWidth}, {"linux", "zh_CN.UTF-8", term.ASCIIOnly},
		{"xterm", "zh_CN.utf8", term.SafeWidth}, {"xterm", "", term.AllGlyphs}} {
		if got := term.CharsetOf(env(map[string]string{"TERM": c.term, "LANG": c.lang})); got != c.want {
			t.Errorf("TERM=%s LANG=%s: %v", c.term, c.lang, got)
		}
	}
}
