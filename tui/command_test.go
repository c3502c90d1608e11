package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"kubarium/flow"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A fakeCommand is a command that ends when a test says so.
type fakeCommand struct {
	ended   bool
	code    int
	servers int
}

func (f *fakeCommand) command() *Command {
	return &Command{Line: "go run ./cmd", Output: "/runs/go.log", Done: func() (bool, int) { return f.ended, f.code },
		Tags: func() []string { return nil }, Servers: func() int { return f.servers }, Changed: make(chan struct{}, 1)}
}

func commandUI() (*ui, *fakeCommand) {
	f := &fakeCommand{}
	u := fullUI(Options{Log: newDemo(flow.Limits{}).log, URL: "http://127.0.0.1:8080", NoIntro: true,
		Now: (&clockwork{noon}).now, Command: f.command()}, term.NewTheme("mono"))
	u.API.Transport = &fakeAPI{}
	u.resize(120, 36)
	u.fold()
	u.takeEffects()
	u.heedCommand()
	return u, f
}

// hear lets the UI hear of its command.
func (u *ui) hear(t *testing.T) string {
	t.Helper()
	for _, e := range u.takeEffects() {
		if l, ok := e.(page.Listen); ok && l.C == u.o.Command.Changed {
			l.Do()
			return ansi.Strip(u.view())
		}
	}
	t.Fatal("it does not listen")
	return ""
}

// While the command runs, the question of q says that it ends with the server, and d keeps both.
func TestCommand_asks(t *testing.T) {
	for key, want := range map[string]Quit{"q": QuitStop, "d": QuitServe} {
		u, _ := commandUI()
		u.keys("q")
		screen := ansi.Strip(u.view())
		for _, text := range []string{"The command is interrupted, and the API server at http://127.0.0.1:8080 stops.",
			"quit: end the command and the server", "detach: close the UI, keep both running"} {
			if !strings.Contains(screen, text) {
				t.Errorf("%q is not there:\n%s", text, screen)
			}
		}
		if _, did := quits(u); did {
			t.Error("it does not ask")
		}
		u.keys(key)
		if how, did := quits(u); !did || how != want {
			t.Errorf("%s: %v %t", key, how, did)
		}
	}
}

// A command that has ended is said once, the UI stays, and q leaves without a question.
func TestCommand_ended(t *testing.T) {
	u, f := commandUI()
	u.keys("ctrl+c")
	if screen := ansi.Strip(u.view()); !strings.Contains(screen, "quits and ends the command and the API server; q asks") {
		t.Errorf("^c says:\n%s", screen)
	}
	f.servers = 1
	if screen := u.hear(t); !strings.Contains(screen, "the command has started an API server of its own") {
		t.Errorf("the server is not there:\n%s", screen)
	}
	f.ended, f.code = true, 3
	if screen := u.hear(t); !strings.Contains(screen, "the command has ended with code 3; q quits") {
		t.Errorf("the end is not there:\n%s", screen)
	}
	u.Toast = page.Toast{}
	if screen := u.hear(t); strings.Contains(screen, "has ended with code") {
		t.Errorf("the end is said twice:\n%s", screen)
	}
	if _, did := quits(u); did {
		t.Error("the UI does not stay")
	}
	u.keys("q")
	if how, did := quits(u); !did || how != QuitStop || u.Over != nil {
		t.Errorf("q: %v %t", how, did)
	}
}
