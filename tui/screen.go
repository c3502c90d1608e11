package tui

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	xterm "github.com/charmbracelet/x/term"

	"kubarium/cells"
)

// A screen is the terminal while the UI has it: keys come as they are pressed, frames are on the alternate page, and
// the terminal reports the mouse, pastes and its focus. The changed lines of a frame are written as soon as the frame
// is known, in one piece, and nothing is done in between: Bubble Tea's own renderer looks many times a second whether
// there is something to write, which costs more than all else of a UI at rest.
type screen struct {
	in, out *os.File  // nil where they are no terminals
	to      io.Writer // takes what is written
	give    func()    // puts the terminal's modes back
	lines   []string  // what is on it, as far as that is known
}

// newScreen is the screen of in and out, which is written to through to.
func newScreen(in io.Reader, out, to io.Writer) *screen {
	s := &screen{to: to}
	if isTerminal(in) {
		s.in = in.(*os.File)
	}
	if isTerminal(out) {
		s.out = out.(*os.File)
	}
	return s
}

// Sequences that take the terminal and give it back, and that switch its reports of the mouse.
const (
	takeScreen = ansi.SetAltScreenSaveCursorMode + ansi.EraseEntireScreen + ansi.CursorHomePosition + ansi.HideCursor +
		ansi.SetBracketedPasteMode + ansi.SetFocusEventMode
	giveScreen = ansi.ResetBracketedPasteMode + ansi.ResetFocusEventMode + noMouse + ansi.ResetAltScreenSaveCursorMode + ansi.ShowCursor
	mousePress = ansi.SetButtonEventMouseMode + ansi.SetSgrExtMouseMode
	noMouse    = ansi.ResetButtonEventMouseMode + ansi.ResetSgrExtMouseMode
)

// take makes the terminal the UI's, without a picture.
func (s *screen) take() error {
	give, err := setModes(s.in, s.out)
	if err != nil {
		return err
	}
	s.give, s.lines = give, nil
	s.write(takeScreen + mousePress + ansi.SetWindowTitle("Kubarium"))
	return nil
}

// release gives the terminal back as it was.
func (s *screen) release() {
	s.write(giveScreen)
	s.give()
}

// setModes lets keys come in as they are pressed, and escape sequences be understood. give takes it back.
func setModes(in, out *os.File) (give func(), err error) {
	var back []func()
	give = func() {
		for _, f := range slices.Backward(back) { // the two may be one terminal
			f()
		}
	}
	if in != nil {
		was, err := xterm.MakeRaw(in.Fd())
		if err != nil {
			return nil, fmt.Errorf("the terminal's input: %w", err)
		}
		back = append(back, func() { _ = xterm.Restore(in.Fd(), was) })
	}
	if out != nil {
		was, err := xterm.GetState(out.Fd())
		if err == nil {
			err = readSequences(out)
		}
		if err != nil {
			give()
			return nil, fmt.Errorf("the terminal's output: %w", err)
		}
		back = append(back, func() { _ = xterm.Restore(out.Fd(), was) })
	}
	return give, nil
}

// followSize reports the size of the terminal, and again whenever it changes, until ctx ends.
func (s *screen) followSize(ctx context.Context, tell func(w, h int)) {
	if s.out == nil {
		return
	}
	changed := make(chan os.Signal, 1)
	if sizeSignal != nil {
		signal.Notify(changed, sizeSignal)
		defer signal.Stop(changed)
	}
	for {
		if w, h, err := s.size(); err == nil {
			tell(w, h)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

func (s *screen) size() (w, h int, err error) { return xterm.GetSize(s.out.Fd()) }

// forget says that the terminal no longer shows what was drawn.
func (s *screen) forget() { s.lines = nil }

// draw writes the lines of a frame that are not on the screen yet.
func (s *screen) draw(frame string, width int) {
	lines := strings.Split(frame, "\n")
	var b strings.Builder
	for i, l := range lines {
		if i < len(s.lines) && s.lines[i] == l {
			continue
		}
		b.WriteString(ansi.CursorPosition(1, i+1))
		b.WriteString(l)
		if cells.Width(ansi.Strip(l)) < width {
			b.WriteString(ansi.EraseLineRight)
		}
	}
	s.lines = lines
	if b.Len() > 0 {
		b.WriteString(ansi.CursorPosition(1, len(lines)))
		s.write(b.String())
	}
}

// mouse lets the terminal report the mouse, or select text with it.
func (s *screen) mouse(on bool) {
	if on {
		s.write(mousePress)
		return
	}
	s.write(noMouse)
}

func (s *screen) write(text string) { _, _ = io.WriteString(s.to, text) }
