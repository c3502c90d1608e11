package tui

import (
	"strings"
	"testing"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// typeLine opens the palette, types a line, and presses enter.
func (u *ui) typeLine(line string) {
	u.keys(":")
	for _, r := range line {
		u.key(keyOf(string(r)))
	}
	u.keys("enter")
}

// Enter runs a command only by its name or the beginning of it; everything else is refused in words, and nothing moves.
func TestPalette_Enter(t *testing.T) {
	for typed, want := range map[string]string{
		"theme drak":  "no theme drak; there are ",
		"theme":       "there are auto, ",
		"persian":     `no command is named "persian"`,
		"exit":        `no command is named "exit"; ↓ chooses one that is listed`,
		"past":        `no command is named "past"`,
		"quit now":    `:quit takes no argument: "now"`,
		"rest before": `no command is named "rest before", did you mean reset?`,
		"qiut":        `no command is named "qiut", did you mean quit?`,
		"unmsk":       `no command is named "unmsk", did you mean unmask?`,
		"nonsense":    `no command is named "nonsense"`,
	} {
		u, _, d := objectsUI(t, 120, 36, "1")
		u.Toast = page.Toast{}
		u.typeLine(typed)
		if !strings.HasPrefix(u.Toast.Text, want) || u.Front != page.Traffic {
			t.Errorf("%s: page %d says %q", typed, u.Front, u.Toast.Text)
		}
		unasked, _ := testUI(d, "mono", 120, 36)
		unasked.typeLine(typed)
		unasked.settle()
		said := unasked.Toast.Text
		if said != u.Toast.Text && !strings.HasPrefix(said, "no command and no resource") ||
			unasked.Front != page.Traffic {
			t.Errorf("%s before it is known what is served: page %d says %q", typed, unasked.Front, said)
		}
	}
}

// A key is also called by its hint, and what only a help text says runs once it is chosen.
func TestPalette_Names(t *testing.T) {
	u, _, _ := objectsUI(t, 120, 36)
	u.keys("1")
	u.typeLine("help")
	if p, ok := u.Over.(*term.Picker); !ok || !strings.HasPrefix(p.Title, "Keys: ") {
		t.Errorf(":help opens %v", u.Over)
	}
	u.keys("esc")
	u.typeLine("filter")
	if u.filter.edit == nil {
		t.Error(":filter does not begin a filter")
	}
	u.keys("esc")
	u.typeLine("stop the server")
	if _, open := u.Over.(*term.Picker); !open {
		t.Fatal("words of a help text run")
	}
	u.keys("down", "enter")
	if _, asks := u.Over.(*term.Picker); asks || u.Over == nil {
		t.Errorf("what was chosen opens %v", u.Over)
	}
}
