package tui

import (
	"context"
	"fmt"
	"os"
	"time"

	"kubarium/tui/term"
)

// Run shows the UI until the user quits, or until ctx ends, which is QuitStop and no error. If the UI panics, the
// terminal is restored and the panic with its stack is returned as the error, so that the server can go on serving.
func Run(ctx context.Context, o Options) (Quit, error) {
	if o.Log == nil {
		return QuitStop, fmt.Errorf("terminal UI: no flow log to show")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.FPS <= 0 {
		o.FPS = 10
	}
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if o.Plain {
		return runPlain(ctx, o)
	}
	t, err := term.PickTheme(o.Theme, os.Getenv)
	if err != nil {
		return QuitStop, err
	}
	set := term.CharsetOf(os.Getenv)
	o.ASCII, o.SafeWidth = o.ASCII || set == term.ASCIIOnly, o.SafeWidth || set == term.SafeWidth
	o.ReduceMotion = o.ReduceMotion || os.Getenv("SSH_CONNECTION") != ""
	return runProgram(ctx, newUI(o, t), o)
}
