package tui

import (
	"context"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/aymanbagabas/go-osc52/v2"
)

// A clipboard hands text to the terminal: by OSC 52, and inside tmux, which passes that on only where it is configured
// to, by tmux itself.
type clipboard struct {
	out io.Writer
	env func(string) string
}

// tmuxLimit is how long tmux may take to take a text.
const tmuxLimit = 2 * time.Second

// route is how a text is going to be copied.
func (c clipboard) route() string {
	if c.env("TMUX") != "" {
		return "through tmux"
	}
	return "via OSC 52"
}

// copy does it, and says what the reader should know of it beyond that; "" for nothing. It does I/O and is called off
// the loop.
func (c clipboard) copy(text string) (note string) {
	if c.env("TMUX") == "" {
		seq := osc52.New(text)
		if strings.HasPrefix(c.env("TERM"), "screen") {
			seq = seq.Screen()
		}
		return c.write(seq)
	}
	if loadBuffer(text, "-w") == nil {
		return ""
	}
	note = c.write(osc52.New(text).Tmux())
	if err := loadBuffer(text); err != nil {
		return "tmux did not take the copy (" + err.Error() + "); whether the terminal did is not known"
	}
	if note == "" {
		note = "copied to tmux alone: its paste key has it; before tmux 3.2 the terminal's clipboard may not"
	}
	return note
}

// write sends a sequence in one piece, so that no part of a frame comes in between.
func (c clipboard) write(seq osc52.Sequence) (note string) {
	if _, err := io.WriteString(c.out, seq.String()); err != nil {
		return "not copied: " + err.Error()
	}
	return ""
}

// loadBuffer gives tmux a text; with -w it hands it on to its terminal's clipboard.
func loadBuffer(text string, flags ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), tmuxLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", append(append([]string{"load-buffer"}, flags...), "-")...)
	cmd.Stdin = strings.NewReader(text)
	return cmd.Run()
}
