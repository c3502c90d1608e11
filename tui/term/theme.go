package term

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// A Theme has the escape sequence of each style ("" is the terminal's default).
type Theme struct {
	Name string // dark, light, mono or contrast
	Seq  [256]string

	colors termenv.Profile // of the terminal
}

func (t *Theme) sgr(s Style) string { return t.Seq[s&^Version] }

// Themes returns the names of the themes. auto chooses dark or light by the terminal's background.
func Themes() []string { return []string{"auto", "dark", "light", "mono", "contrast"} }

// NewTheme returns the theme with this name for a terminal with 16 colours; auto is dark.
func NewTheme(name string) *Theme { return newTheme(name, termenv.ANSI) }

// Another returns the theme with this name for the same terminal: auto is dark, or mono if there are no colours.
func (t *Theme) Another(name string) *Theme { return newTheme(name, t.colors) }

// PickTheme returns the theme of the --theme option for a terminal with this environment: without colours it is mono,
// and auto is light if COLORFGBG says so. An unknown name is an error.
func PickTheme(name string, env func(string) string) (*Theme, error) {
	if name == "" {
		name = "auto"
	}
	if !slices.Contains(Themes(), name) {
		last := len(Themes()) - 1
		return nil, fmt.Errorf("theme %q: must be %s or %s", name, strings.Join(Themes()[:last], ", "), Themes()[last])
	}
	colors := colorProfile(env)
	switch {
	case name == "auto" && colors != termenv.Ascii && lightByEnv(env):
		name = "light"
	case name != "contrast" && colors == termenv.Ascii:
		name = "mono"
	}
	return newTheme(name, colors), nil
}

// newTheme computes the sequence of each style in advance, so that drawing does not need lipgloss.
func newTheme(name string, colors termenv.Profile) *Theme {
	switch {
	case name == "auto" && colors == termenv.Ascii:
		name = "mono"
	case name == "auto":
		name = "dark"
	}
	t := &Theme{Name: name, colors: colors}
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(min(colors, termenv.ANSI)) // the profile without colours has no bold either, which mono needs
	r.SetHasDarkBackground(name != "light")
	l := looksOf(r, name)
	for i := range t.Seq {
		t.Seq[i] = sequence(l.style(Style(i)))
	}
	return t
}

// sequence returns what st writes before a text.
func sequence(st lipgloss.Style) string {
	before, _, _ := strings.Cut(st.Render("x"), "x")
	if again := ";4m"; st.GetUnderline() && strings.HasSuffix(before, again) { // it says the underline twice
		before = strings.TrimSuffix(before, again) + "m"
	}
	return before
}

// A look has the styles of the roles, and of the row under the cursor, with and without the focus.
type look struct {
	roles              [roles]lipgloss.Style
	selected, shadowed lipgloss.Style
	same               lipgloss.Style
	hides              bool // the colours of the selected row replace a role's colours, instead of being added
}

// style is the look of a role in its state.
func (l *look) style(s Style) lipgloss.Style {
	var st lipgloss.Style
	if role := s & roleMask; role < roles {
		st = l.roles[role]
	}
	if s&Same != 0 {
		st = l.same.Inherit(st)
	}
	if s&Shadowed != 0 {
		st = l.shadowed.Inherit(st)
	}
	switch {
	case s&Selected == 0:
	case l.hides:
		st = l.selected
	default:
		st = l.selected.Inherit(st)
	}
	return st
}
