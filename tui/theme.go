package tui

import (
	"fmt"
	"os"
	"strings"
)

// A style is the role of some text on the screen, not its colour; a theme gives it one. Bits beside the role say what
// state it is in.
type style uint8

const (
	sPlain  style = iota
	sDim          // what can be overlooked
	sBold         // what is looked for
	sBorder       // rules between panes
	sHead         // headings of columns
	sAccent       // what can be acted on: names of screens, tags of clients
	sKey          // a key to press
	sOpen         // something alive: an open watch
	sWarn         // refused, slow, dropped
	sErr          // failed
	sAdd          // added
	sDel          // removed
	sName         // names of fields and headers
	sStr          // strings
	sNum          // numbers
	sWrite        // verbs that change something
	sMode         // a mode that is not the normal one
	sTab          // the chosen tab
	sMark         // a marked record
	roles
)

const (
	selected style = 0x40 // the row of the cursor in the pane that has the keys
	shadowed style = 0x80 // the row of the cursor in another pane
	roleMask style = 0x3f
)

// A theme says how each style looks, as a ready escape sequence ("" is the terminal's own look).
type theme struct {
	name string
	seq  [256]string
}

func (t *theme) sgr(s style) string { return t.seq[s] }

// looks are the SGR parameters of each role in each theme. No meaning rests on red against green, and none on colour
// alone: each state also has a glyph or a word.
var looks = map[string][roles]string{
	"dark": {sDim: "2", sBold: "1", sBorder: "2", sHead: "2", sAccent: "36", sKey: "1;36", sOpen: "36", sWarn: "33",
		sErr: "1;35", sAdd: "94", sDel: "33;4", sName: "94", sStr: "32", sNum: "36", sWrite: "1", sMode: "7", sTab: "1;4;36", sMark: "1;33"},
	"light": {sDim: "2", sBold: "1", sBorder: "2", sHead: "2", sAccent: "34", sKey: "1;34", sOpen: "34", sWarn: "1;33",
		sErr: "1;35", sAdd: "34", sDel: "33;4", sName: "34", sStr: "32", sNum: "36", sWrite: "1", sMode: "7", sTab: "1;4;34", sMark: "1;33"},
	"mono": {sBold: "1", sHead: "4", sAccent: "1", sKey: "1", sOpen: "1", sWarn: "1", sErr: "1", sAdd: "1", sDel: "4",
		sWrite: "1", sMode: "7", sTab: "1;7", sMark: "1;4"},
	"contrast": {sBold: "1", sHead: "1;4", sAccent: "1;96", sKey: "1;93", sOpen: "1;96", sWarn: "1;93", sErr: "1;95;7",
		sAdd: "1;96", sDel: "1;93;4", sName: "1;96", sNum: "1", sWrite: "1", sMode: "1;7", sTab: "1;7", sMark: "1;93"},
	// Where the terminal has all colours, those of Okabe and Ito, which the colour-blind can tell apart.
	"dark24": {sDim: "38;2;128;138;150", sBold: "1", sBorder: "38;2;84;94;108", sHead: "38;2;128;138;150", sAccent: "38;2;86;180;233",
		sKey: "1;38;2;86;180;233", sOpen: "38;2;86;180;233", sWarn: "38;2;230;159;0", sErr: "1;38;2;216;137;180", sAdd: "38;2;86;180;233",
		sDel: "4;38;2;230;159;0", sName: "38;2;120;170;215", sStr: "38;2;120;190;160", sNum: "38;2;205;190;140", sWrite: "1",
		sMode: "7", sTab: "1;4;38;2;86;180;233", sMark: "1;38;2;240;228;66"},
	"light24": {sDim: "38;2;110;118;128", sBold: "1", sBorder: "38;2;170;178;188", sHead: "38;2;110;118;128", sAccent: "38;2;0;114;178",
		sKey: "1;38;2;0;114;178", sOpen: "38;2;0;114;178", sWarn: "38;2;190;95;0", sErr: "1;38;2;170;60;120", sAdd: "38;2;0;114;178",
		sDel: "4;38;2;190;95;0", sName: "38;2;0;90;150", sStr: "38;2;0;120;85", sNum: "38;2;120;90;0", sWrite: "1",
		sMode: "7", sTab: "1;4;38;2;0;114;178", sMark: "1;38;2;190;95;0"},
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

// newTheme makes the theme of this name, which must be one of looks.
func newTheme(name string) *theme {
	t := &theme{name: name}
	look, row := looks[name], rows[name]
	for i := range t.seq {
		s := style(i)
		role, sgr := s&roleMask, ""
		if role < roles {
			sgr = look[role]
		}
		for _, over := range []struct {
			bit style
			sgr string
		}{{shadowed, row.shadowed}, {selected, row.selected}} {
			if s&over.bit == 0 {
				continue
			}
			if row.keepRole || over.bit == shadowed {
				sgr = strings.Trim(sgr+";"+over.sgr, ";")
			} else {
				sgr = over.sgr
			}
		}
		if sgr != "" {
			t.seq[i] = "\x1b[" + sgr + "m"
		}
	}
	return t
}

// pickTheme resolves the --theme option: auto follows NO_COLOR and the terminal's background, and where all colours are
// there they are used. light says that the terminal's background is; it is only asked for auto.
func pickTheme(name string, env func(string) string, light func() bool) (*theme, error) {
	switch name {
	case "mono", "contrast":
		return newTheme(name), nil
	case "dark", "light", "auto", "":
	default:
		return nil, fmt.Errorf("theme %q: want auto, dark, light, mono or contrast", name)
	}
	if env("NO_COLOR") != "" {
		return newTheme("mono"), nil
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
	return newTheme(name), nil
}

// needsASCII reports whether the terminal or the locale cannot show the glyphs in their width: the Linux console, a
// locale that is not UTF-8, and Chinese, Japanese and Korean ones, where several are two cells wide.
func needsASCII(env func(string) string) bool {
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

// lightByEnv reads COLORFGBG ("0;15"), which some terminals set; known is false if it says nothing.
func lightByEnv() (light, known bool) {
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
