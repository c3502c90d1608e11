package term

import (
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// keyTypes are the keys that are not text, by the names that pages and the program use.
var keyTypes = func() map[string]tea.KeyType {
	types := map[string]tea.KeyType{"space": tea.KeySpace}
	for t := tea.KeyType(-128); t <= 127; t++ { // control characters are positive, the others count down
		if name := t.String(); name != "" && t != tea.KeyRunes && t != tea.KeySpace {
			types[name] = t
		}
	}
	return types
}()

// message returns a key as a message of Bubble Tea.
func message(name string) (msg tea.KeyMsg, ok bool) {
	if bare, alt := strings.CutPrefix(name, "alt+"); alt {
		name, msg.Alt = bare, true
	}
	if t, named := keyTypes[name]; named {
		msg.Type = t
		if t == tea.KeySpace {
			msg.Runes = []rune{' '}
		}
		return msg, true
	}
	if utf8.RuneCountInString(name) != 1 {
		return msg, false
	}
	msg.Type, msg.Runes = tea.KeyRunes, []rune(name)
	return msg, true
}
