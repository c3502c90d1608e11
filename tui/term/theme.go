package term

import (
	"fmt"
	"os"
	"strings"
)

// A Style is the role of some text on the screen, not its colour; a theme gives it one. Bits beside the role say what
// state it is in.
type Style uint8

const (
	Plain  Style = iota
	Dim          // what can be overlooked
	Bold         // what is looked for
	Border       // rules between panes
	Head         // headings of columns
	Accent       // what can be acted on: names of screens, tags of clients
	Key          // a key to press
	Open         // something alive: an open watch
	Warn         // refused, slow, dropped
	Err          // failed
	Add          // added
	Del          // removed
	Name         // names of fields and headers
	Str          // strings
	Num          // numbers
	Write        // verbs that change something
	Mode         // a mode that is not the normal one
	Tab          // the chosen tab
	Marked       // a marked record
	roles
)

const (
	Selected Style = 0x40 // the row of the cursor in the pane that has the keys
	Shadowed Style = 0x80 // the row of the cursor in another pane
	roleMask Style = 0x3f
)

// A Theme says how each style looks, as a ready escape sequence ("" is the terminal's own look).
type Theme struct {
	Name string
	Seq  [256]string
}

func (t *Theme) sgr(s Style) string { return t.Seq[s] }

// looks are the SGR parameters of each role in each theme. No meaning rests on red against green, and none on colour
// alone: each state also has a glyph or a word.
var looks = map[string][roles]string{
	"dark": {Dim: "2", Bold: "1", Border: "2", Head: "2", Accent: "36", Key: "1;36", Open: "36", Warn: "33",
		Err: "1;35", Add: "94", Del: "33;4", Name: "94", Str: "32", Num: "36", Write: "1", Mode: "7", Tab: "1;4;36", Marked: "1;33"},
	"light": {Dim: "2", Bold: "1", Border: "2", Head: "2", Accent: "34", Key: "1;34", Open: "34", Warn: "1;33",
		Err: "1;35", Add: "34", Del: "33;4", Name: "34", Str: "32", Num: "36", Write: "1", Mode: "7", Tab: "1;4;34", Marked: "1;33"},
	"mono": {Bold: "1", Head: "4", Accent: "1", Key: "1", Open: "1", Warn: "1", Err: "1", Add: "1", Del: "4",
		Write: "1", Mode: "7", Tab: "1;7", Marked: "1;4"},
	"contrast": {Bold: "1", Head: "1;4", Accent: "1;96", Key: "1;93", Open: "1;96", Warn: "1;93", Err: "1;95;7",
		Add: "1;96", Del: "1;93;4", Name: "1;96", Num: "1", Write: "1", Mode: "1;7", Tab: "1;7", Marked: "1;93"},
	// Where the terminal has all colours, those of Okabe and Ito, which the colour-blind can tell apart.
	"dark24": {Dim: "38;2;128;138;150", Bold: "1", Border: "38;2;84;94;108", Head: "38;2;128;138;150", Accent: "38;2;86;180;233",
		Key: "1;38;2;86;180;233", Open: "38;2;86;180;233", Warn: "38;2;230;159;0", Err: "1;38;2;216;137;180", Add: "38;2;86;180;233",
		Del: "4;38;2;230;159;0", Name: "38;2;120;170;215", Str: "38;2;120;190;160", Num: "38;2;205;190;140", Write: "1",
		Mode: "7", Tab: "1;4;38;2;86;180;233", Marked: "1;38;2;240;228;66"},
	"light24": {Dim: "38;2;110;118;128", Bold: "1", Border: "38;2;170;178;188", Head: "38;2;110;118;128", Accent: "38;2;0;114;178",
		Key: "1;38;2;0;114;178", Open: "38;2;0;114;178", Warn: "38;2;190;95;0", Err: "1;38;2;170;60;120", Add: "38;2;0;114;178",
		Del: "4;38;2;190;95;0", Name: "38;2;0;90;150", Str: "38;2;0;120;85", Num: "38;2;120;90;0", Write: "1",
		Mode: "7", Tab: "1;4;38;2;0;114;178", Marked: "1;38;2;190;95;0"},
}

// rows are the looks of the row under the cursor, where the keys are and where they are not.
var rows = map[string]struct {
	selected, shadowed string
	keepRole           bool // the background goes with any role; without it the role's colour gives way
}{
	"dark":     {"1;97;44", "1", false},
	"light":    {"1;97;44", "1", false},
	"mono":     {"7", "1", true},
	"contrast": {"1;30;107", "1;4", false},
	"dark24":   {"1;48;2;38;58;84", "48;2;34;42;54", true},
	"light24":  {"1;48;2;205;224;246", "48;2;230;236;243", true},
}

// Themes are the names of the themes.
func Themes() []string { return []string{"dark", "light", "mono", "contrast"} }

// NewTheme makes the theme of this name, which must be one of looks.
func NewTheme(name string) *Theme {
	t := &Theme{Name: name}
	look, row := looks[name], rows[name]
	for i := range t.Seq {
		s := Style(i)
		role, sgr := s&roleMask, ""
		if role < roles {
			sgr = look[role]
		}
		for _, over := range []struct {
			bit Style
			sgr string
		}{{Shadowed, row.shadowed}, {Selected, row.selected}} {
			if s&over.bit == 0 {
				continue
			}
			if row.keepRole || over.bit == Shadowed {
				sgr = strings.Trim(sgr+";"+over.sgr, ";")
			} else {
				sgr = over.sgr
			}
		}
		if sgr != "" {
			t.Seq[i] = "\x1b[" + sgr + "m"
		}
	}
	return t
}

// PickTheme resolves the --theme option: auto follows NO_COLOR and the terminal's background, and where all colours are
// there they are used. light says that the terminal's background is; it is only asked for auto.
func PickTheme(name string, env func(string) string, light func() bool) (*Theme, error) {
	switch name {
	case "mono", "contrast":
		return NewTheme(name), nil
	case "dark", "light", "auto", "":
	default:
		return nil, fmt.Errorf("theme %q: want auto, dark, light, mono or contrast", name)
	}
	if env("NO_COLOR") != "" {
		return NewTheme("mono"), nil
	}
	if name == "auto" || name == "" {
		name = "dark"
		if light() {
			name = "light"
		}
	}
	if c := env("COLORTERM"); c == "truecolor" || c == "24bit" {
		name += "24"
	}
	return NewTheme(name), nil
}

// NeedsASCII reports whether the terminal or the locale cannot show the glyphs in their width: the Linux console, a
// locale that is not UTF-8, and Chinese, Japanese and Korean ones, where several are two cells wide.
func NeedsASCII(env func(string) string) bool {
	locale := env("LC_ALL")
	if locale == "" {
		locale = env("LC_CTYPE")
	}
	if locale == "" {
		locale = env("LANG")
	}
	low := strings.ToLower(locale)
	if env("TERM") == "linux" {
		return true
	}
	if low != "" && !strings.Contains(low, "utf-8") && !strings.Contains(low, "utf8") {
		return true
	}
	return strings.HasPrefix(low, "zh") || strings.HasPrefix(low, "ja") || strings.HasPrefix(low, "ko")
}

// LightByEnv reads COLORFGBG ("0;15"), which some terminals set; known is false if it says nothing.
func LightByEnv() (light, known bool) {
	v := os.Getenv("COLORFGBG")
	i := strings.LastIndexByte(v, ';')
	if i < 0 {
		return false, false
	}
	switch v[i+1:] {
	case "7", "15":
		return true, true
	}
	return false, true
}
