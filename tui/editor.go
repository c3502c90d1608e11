package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"kubarium/flow/object"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// edit hands the terminal to the reader's editor. The screen is not drawn until it ends; the server goes on.
func (p *program) edit(e page.Edit) tea.Cmd {
	s := &editing{ctx: p.ctx, of: e, screen: p.screen, in: p.in, out: p.u.o.Out, env: os.Getenv}
	return tea.Exec(s, func(err error) tea.Msg {
		return doMsg{func() {
			if w, h, err := p.screen.size(); err == nil { // it may be another one
				p.resize(w, h)
			}
			p.u.Do(mouseEffect{p.u.mouse})
			e.Done(s.saved, err)
		}}
	})
}

// An editing is a text in an editor, as Bubble Tea runs a command on the terminal.
type editing struct {
	ctx    context.Context
	of     page.Edit
	screen *screen
	in     io.Reader
	out    io.Writer
	env    func(string) string
	saved  []byte
}

// Bubble Tea offers its own ends of the terminal. An editor needs the terminal itself, as it was given.
func (s *editing) SetStdin(io.Reader)  {}
func (s *editing) SetStdout(io.Writer) {}
func (s *editing) SetStderr(io.Writer) {}

// Run writes the text into a file of its user's alone, and reads it again when the editor has ended.
func (s *editing) Run() error {
	editor, err := findEditor(s.env)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "kubarium-edit-") // for its user alone, 0700
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, s.of.Name)
	if err := os.WriteFile(file, s.of.Text, 0o600); err != nil {
		return err
	}
	cmd := editorCommand(editor, file)
	said := &tail{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.in, s.out, s.out
	if !isTerminal(s.out) {
		cmd.Stdout, cmd.Stderr = said, said
	}
	s.screen.release()
	err = runEditor(s.ctx, cmd, s.in)
	if again := s.screen.take(); again != nil {
		return again
	}
	if err != nil {
		return fmt.Errorf("the editor ended with %w%s (%s)", err, said.line(), editor)
	}
	s.saved, err = os.ReadFile(file)
	return err
}

// A tail keeps the beginning of what an editor says where there is no terminal to show it.
type tail struct{ text []byte }

func (t *tail) Write(b []byte) (int, error) {
	t.text = append(t.text, b[:min(len(b), max(0, 1024-len(t.text)))]...)
	return len(b), nil
}

func (t *tail) line() string {
	if text := strings.TrimSpace(object.OneLine(string(t.text))); text != "" {
		return ": " + text
	}
	return ""
}

// usualEditor is taken where the environment names none, as kubectl does.
var usualEditor = term.Pick(runtime.GOOS == "windows", "notepad", "vi")

// findEditor is the command of the reader's editor, by the variables that kubectl looks at.
func findEditor(env func(string) string) (string, error) {
	if named := strings.TrimSpace(cmp.Or(env("KUBE_EDITOR"), env("EDITOR"))); named != "" {
		return named, nil
	}
	if _, err := exec.LookPath(usualEditor); err != nil {
		return "", errors.New("there is no editor: set EDITOR to the command of one, such as nano")
	}
	return usualEditor, nil
}

// editorCommand lets a shell read the editor's words, so that it may have flags and quotes.
func editorCommand(editor, file string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.Command("cmd", "/C", editor+` "`+file+`"`)
	}
	return exec.Command("sh", "-c", editor+` "$1"`, "sh", file)
}
