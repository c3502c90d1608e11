package tui

import (
	"slices"
	"strings"

	"kubarium/tui/term"
)

// theme changes the colours to those of a name, or says which names there are.
func (u *ui) theme(name string) {
	if all := term.Themes(); slices.Contains(all, name) {
		u.setTheme(name)
	} else {
		no := term.Pick(name == "", "", u.F("no theme %s; ", name))
		u.Say("%s", no+u.F("there are %s; the theme is %s", strings.Join(all, ", "), u.th.Name))
	}
}

// setTheme changes the colours on the user's word. With auto they follow the terminal's background again.
func (u *ui) setTheme(name string) {
	u.th, u.auto = u.th.Another(name), name == "auto"
	if u.auto {
		u.onBackground(u.light)
		u.Do(backgroundEffect{})
	}
}

// onBackground takes what the terminal said of its background.
func (u *ui) onBackground(light bool) {
	u.light = light
	name := term.Pick(light, "light", "dark")
	if !u.auto || u.th.Name == "mono" || u.th.Name == name {
		return
	}
	u.th = u.th.Another(name)
	u.Dirty = true
}
