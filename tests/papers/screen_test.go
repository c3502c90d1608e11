//go:build unix

package papers_test

import (
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

const columns, rows = 120, 36

// A screen is a terminal with a command in its foreground.
type screen struct {
	vt10x.Terminal
	keyboard io.Writer
	ended    chan error // gets what the command ended with
}

// hangUp gets this process's SIGHUP: commands inherit that a signal is ignored, as under nohup, unless it is taken.
var hangUp = make(chan os.Signal, 1)

// mustRun starts a command in a terminal of its own. The test ends both.
func mustRun(t *testing.T, cmd *exec.Cmd) *screen {
	t.Helper()
	signal.Notify(hangUp, syscall.SIGHUP)
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: columns, Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{vt10x.New(vt10x.WithSize(columns, rows)), terminal, make(chan error, 1)}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(&wholeRunes{to: s}, terminal)
	}()
	go func() { s.ended <- cmd.Wait() }()
	t.Cleanup(func() {
		defer terminal.Close()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP) // as a window that is closed does; cmd leads a session
		select {
		case <-copied: // no process has the terminal any more
		case <-time.After(time.Minute):
			t.Error("a command runs on without its terminal: ", cmd.Args)
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
		<-s.ended
	})
	return s
}

// wholeRunes keeps back the beginning of a rune until its end has come: the terminal takes whole runes.
type wholeRunes struct {
	to   io.Writer
	rest []byte
}

func (w *wholeRunes) Write(b []byte) (int, error) {
	w.rest = append(w.rest, b...)
	n := len(w.rest)
	for n > 0 && len(w.rest)-n < utf8.UTFMax && !utf8.Valid(w.rest[:n]) {
		n--
	}
	_, err := w.to.Write(w.rest[:n])
	w.rest = append([]byte(nil), w.rest[n:]...)
	return len(b), err
}

// see waits until the screen shows a text.
func (s *screen) see(t *testing.T, want string) {
	t.Helper()
	s.await(t, want, func(shown string) bool { return strings.Contains(shown, want) })
}

// await waits until what the screen shows is right.
func (s *screen) await(t *testing.T, want string, right func(shown string) bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !right(s.String()); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the screen does not show %q:\n%s", want, s)
		}
	}
}

// rest waits until the screen has not changed for so long, but not for ever: a clock may run on it.
func (s *screen) rest(quiet time.Duration) {
	end := time.Now().Add(10 * quiet)
	for last, since := "", time.Now(); time.Since(since) < quiet && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		if now := s.String(); now != last {
			last, since = now, time.Now()
		}
	}
}

const cellWidth, cellHeight = 8.4, 17

// svg draws the screen: one text element for each run of cells of one look.
func (s *screen) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" `+
		`font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">`,
		columns*cellWidth+20, rows*cellHeight+20)
	fmt.Fprintf(&b, "\n<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"%s\"/>\n", colour(vt10x.DefaultBG))
	s.Lock()
	defer s.Unlock()
	for y := range rows {
		for x := 0; x < columns; {
			cell, from, text := s.Cell(x, y), x, ""
			for ; x < columns; x++ {
				c := s.Cell(x, y)
				if c.FG != cell.FG || c.BG != cell.BG || c.Mode != cell.Mode {
					break
				}
				text += string(c.Char)
			}
			left, top := 10+float64(from)*cellWidth, 10+y*cellHeight
			if cell.BG != vt10x.DefaultBG {
				fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n",
					left, top, float64(x-from)*cellWidth, cellHeight, colour(cell.BG))
			}
			if strings.TrimSpace(text) == "" {
				continue
			}
			weight := ""
			if cell.Mode&bold != 0 {
				weight = ` font-weight="bold"`
			}
			if cell.Mode&underlined != 0 {
				weight += ` text-decoration="underline"`
			}
			fmt.Fprintf(&b, `<text x="%.1f" y="%d" xml:space="preserve" textLength="%.1f" fill="%s"%s>%s</text>`+"\n",
				left, top+13, float64(x-from)*cellWidth, colour(cell.FG), weight, html.EscapeString(text))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// Of a vt10x.Glyph's Mode.
const (
	underlined = 1 << 1
	bold       = 1 << 2
)

// sixteen are the first colours of a terminal, dark.
var sixteen = [16]string{"#16161c", "#d0507a", "#6fae6f", "#e0a030", "#5b8dd9", "#c878b8", "#4fb0c0", "#d4d4d8",
	"#808a96", "#e07090", "#90c890", "#f0c050", "#7fb0f0", "#e098d0", "#70d0e0", "#ffffff"}

// colour returns a colour of the 256 of xterm, or the default.
func colour(c vt10x.Color) string {
	switch {
	case c == vt10x.DefaultFG:
		return sixteen[7]
	case c == vt10x.DefaultBG:
		return sixteen[0]
	case c < 16:
		return sixteen[c]
	case c < 232:
		level := func(n vt10x.Color) int {
			if n %= 6; n > 0 {
				return 55 + 40*int(n)
			}
			return 0
		}
		c -= 16
		return fmt.Sprintf("#%02x%02x%02x", level(c/36), level(c/6), level(c))
	case c < 256:
		grey := 8 + 10*int(c-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
	return fmt.Sprintf("#%06x", int(c))
}
