package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kubarium/flow"
)

// esc closes one layer a press, from the innermost to the page itself, stays there, and never asks to quit.
func TestUI_EscapeClosesOneLayer(t *testing.T) {
	for _, c := range []struct {
		name   string
		keys   []string // open the layers
		layers int      // that they opened
	}{
		{"Traffic", nil, 0},
		{"inspector", []string{"enter"}, 1},
		{"object beside the inspector", []string{"enter", "tab"}, 2},
		{"zoomed inspector", []string{"enter", "z"}, 2},
		{"search in the inspector", []string{"enter", "/", "w"}, 2},
		{"words found in the inspector", []string{"enter", "/", "d", "e", "enter"}, 2},
		{"filter line", []string{"/", "v"}, 1},
		{"filter line on another page", []string{"4", "/", "v"}, 1},
		{"help", []string{"?"}, 1},
		{"help of the zoomed inspector", []string{"enter", "z", "?"}, 3},
		{"palette", []string{":", "c"}, 1},
		{"explain", []string{"e"}, 1},
		{"diagnostics", []string{"!"}, 1},
		{"copy", []string{"y"}, 1},
		{"view", []string{"v"}, 1},
		{"facet", []string{"+"}, 1},
		{"replay", []string{"k", "k", "r"}, 1},
		{"quit", []string{"q"}, 1},
		{"Watches", []string{"2"}, 0},
		{"frames", []string{"2", "enter"}, 1},
		{"Lists", []string{"3", "tab"}, 1},
		{"Versions", []string{"4"}, 0},
		{"version", []string{"4", "tab"}, 1},
		{"Conflicts", []string{"5", "tab", "z"}, 2},
		{"Deletes", []string{"6", "tab"}, 1},
		{"Objects", []string{"7"}, 0},
		{"table", []string{"7", "enter"}, 1},
		{"object", []string{"7", "j", "j", "j", "enter", "enter"}, 2},
		{"words of the table", []string{"7", "j", "j", "j", "enter", "/", "w", "enter"}, 2},
		{"words being typed", []string{"7", "enter", "/", "w"}, 2},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 36}, {160, 48}} {
			t.Run(fmt.Sprintf("%s %d", c.name, size[0]), func(t *testing.T) { escapeAll(t, size, c.keys, c.layers) })
		}
	}
}

func escapeAll(t *testing.T, size [2]int, keys []string, layers int) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", size[0], size[1])
	u.press(keys...)
	if size[0] == 80 && slices.Contains(keys, "z") && front(keys) == "" {
		layers-- // panes that stand beside each other are zoomed already
	}
	front := u.Front
	says := func() bool { return strings.Contains(u.screenText(), "nothing is open here; q") }
	for i := range layers {
		before := u.view()
		u.press("esc")
		if u.view() == before || says() {
			t.Fatalf("the %d. esc closed nothing:\n%s", i+1, u.screenText())
		}
	}
	u.press("esc")
	if !says() || u.At != 0 || u.Over != nil {
		t.Errorf("%d layers are left:\n%s", u.At, u.screenText())
	}
	u.press("esc", "esc")
	if u.Front != front || strings.Contains(u.screenText(), "Quit Kubarium?") {
		t.Errorf("esc left the page, or asks to quit:\n%s", u.screenText())
	}
}

// front is the page that keys go to, "" for Traffic.
func front(keys []string) string {
	if keys[0] >= "2" && keys[0] <= "7" {
		return keys[0]
	}
	return ""
}

// A question about a snapshot lies over their list, and esc uncovers that.
func TestUI_EscapeUncovers(t *testing.T) {
	u, _ := snapshotsUI(t)
	u.keys("S")
	u.settleWork()
	for _, k := range []string{"s", "r"} {
		u.keys(k, "esc")
		mustSee(t, u, "─ Snapshots ─")
	}
	u.keys("esc")
	mustNotSee(t, u, "─ Snapshots ─")
}
