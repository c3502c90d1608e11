package tui_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/tui"
	"kubarium/tui/term"
)

// accent is how a theme writes its accent on the terminal of these tests.
func accent(t *testing.T, theme string) string {
	t.Helper()
	th, err := term.PickTheme(theme, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	return th.Seq[term.Accent]
}

// startAuto runs the UI with the theme that follows the background, and waits for the question about it.
func startAuto(t *testing.T) *terminal {
	t.Helper()
	t.Setenv("COLORTERM", "")
	t.Setenv("COLORFGBG", "")
	t.Setenv("NO_COLOR", "")
	te := start(t, context.Background(), tui.Options{Log: flow.NewLog(flow.Limits{}), NoIntro: true})
	te.see("No requests yet.")
	te.gets("\x1b]11;?")
	return te
}

// gets waits until something has been written to the terminal.
func (te *terminal) gets(want string) {
	te.t.Helper()
	if !waitFor(func() bool { return strings.Contains(te.raw.String(), want) }) {
		te.t.Fatalf("%q was not written", want)
	}
}

// The first frame is drawn before the terminal is asked, dark; with the answer it is light, and the answer is no key.
func TestRun_Background(t *testing.T) {
	for name, answer := range map[string][]string{
		"whole":     {"\x1b]11;rgb:ffff/ffff/ffff\x07"},
		"ST":        {"\x1b]11;rgb:ffff/ffff/ffff\x1b\\"},
		"split":     {"\x1b]11;rgb:ffff/", "ffff/ff", "ff\x07"},
		"with keys": {"2\x1b]11;rgb:ffff/ffff/ffff\x072"},
	} {
		t.Run(name, func(t *testing.T) {
			te := startAuto(t)
			drawn, _, _ := strings.Cut(te.raw.String(), "\x1b]11;?")
			if !strings.Contains(drawn, "No requests yet.") || !strings.Contains(drawn, accent(t, "dark")) || strings.Contains(drawn, accent(t, "light")) {
				t.Errorf("before the question the terminal got %q", drawn)
			}
			for _, part := range answer {
				te.keys(part)
				time.Sleep(5 * time.Millisecond)
			}
			te.gets(accent(t, "light"))
			if name == "with keys" {
				te.see("No client is watching.")
			} else {
				te.see("No requests yet.")
			}
			te.keys("\x03\x03")
			te.End()
			te.restored()
		})
	}
}

// A terminal that never answers gets the dark screen, takes keys, and escape is one of them.
func TestRun_BackgroundUnanswered(t *testing.T) {
	te := startAuto(t)
	te.keys("?")
	te.see("─ Keys")
	te.keys("\x1b")
	te.see("No requests yet.")
	te.keys("2")
	te.see("No client is watching.")
	if strings.Contains(te.raw.String(), accent(t, "light")) {
		t.Error("the screen is light")
	}
	te.keys("\x03\x03")
	te.End()
}

// Who has chosen a theme is not asked, until it is auto again.
func TestRun_BackgroundOnRequest(t *testing.T) {
	te := start(t, context.Background(), tui.Options{Log: flow.NewLog(flow.Limits{}), NoIntro: true, Theme: "dark"})
	te.see("No requests yet.")
	te.keys("?")
	te.see("─ Keys")
	te.keys("\x1b")
	te.see("No requests yet.")
	if strings.Contains(te.raw.String(), "\x1b]11;") {
		t.Error("the terminal was asked")
	}
	te.keys(":theme auto")
	te.see("> theme auto")
	te.keys("\r")
	te.gets("\x1b]11;?")
	te.keys("\x1b]11;rgb:ffff/ffff/ffff\x07")
	te.gets(accent(t, "light"))
	te.keys("\x03\x03")
	te.End()
}
