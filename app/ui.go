package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"kubarium/tui"
)

// uiFlags are the flags of the terminal UI.
type uiFlags struct {
	theme        string
	fps          int
	ascii        bool
	plain        bool
	reduceMotion bool
	noIntro      bool
	scenario     string
}

func (u *uiFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&u.theme, "theme", "auto", "auto, dark, light, mono or contrast")
	f.IntVar(&u.fps, "fps", 30, "how often the screen is drawn at most, per second")
	f.BoolVar(&u.ascii, "ascii", false, "draw with ASCII characters only")
	f.BoolVar(&u.plain, "plain", false, "append sentences instead of drawing a screen (for screen readers)")
	f.BoolVar(&u.reduceMotion, "reduce-motion", false, "no moving parts; the default over SSH")
	f.BoolVar(&u.noIntro, "no-intro", false, "do not show the card of the first run")
	f.StringVar(&u.scenario, "scenario", "", "open on this lesson")
}

// runUI starts a Program and shows it, or runs as serve where there is no terminal to show it on.
func runUI(cmd *cobra.Command, c Config, u uiFlags) error {
	ctx, out, errs := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	if !u.plain && !onTerminal(cmd.InOrStdin(), out) {
		fmt.Fprintln(errs, "kubarium: no terminal for the UI (stdin or stdout is none, or TERM=dumb); running as \"kubarium serve\"")
		return serve(ctx, c, out, newLogger(errs))
	}
	if c.Listen == "" {
		return usageError{errors.New("the UI asks its server on the plain port: say --listen, or kubarium serve")}
	}
	if c.Audit.LogOptions.Path == "-" {
		return usageError{errors.New("--audit-log-path - is the screen, where the UI is; say a file, or kubarium serve")}
	}
	logs, err := openLogFile()
	if err != nil {
		return err
	}
	defer logs.Close()
	p, err := Start(ctx, c, newLogger(logs))
	if err != nil {
		return err
	}
	quit, err := show(ctx, p, u, cmd)
	if err != nil {
		fmt.Fprintf(errs, "kubarium: the UI ended: %v\nkubarium: serving %s db=%s\n", firstLine(err), p.URL, p.DB)
		slog.New(slog.NewTextHandler(logs, nil)).Error("UI ended", "error", err)
		quit = tui.QuitServe
	}
	if quit == tui.QuitServe {
		if err == nil {
			fmt.Fprintf(errs, "kubarium: the UI is closed; Ctrl-C ends the server\nkubarium: serving %s db=%s\n", p.URL, p.DB)
		}
		<-ctx.Done()
	}
	return p.Close()
}

func show(ctx context.Context, p *Program, u uiFlags, cmd *cobra.Command) (tui.Quit, error) {
	lessons, err := uiLessons(ctx, p.URL, p.Log)
	if err != nil {
		return tui.QuitStop, err
	}
	state, err := dataFolder()
	if err != nil {
		state = ""
	}
	return tui.Run(ctx, tui.Options{
		Log: p.Log, URL: p.URL, DB: p.DB, Version: Version(),
		Theme: u.theme, FPS: u.fps, ASCII: u.ascii, Plain: u.plain, ReduceMotion: u.reduceMotion, NoIntro: u.noIntro,
		StateDir: state, Lessons: lessons, Scenario: u.scenario, In: cmd.InOrStdin(), Out: cmd.OutOrStdout(),
	})
}

// onTerminal tells whether there is a screen to draw on and a keyboard to read.
func onTerminal(in io.Reader, out io.Writer) bool {
	i, ok := in.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	o, ok := out.(*os.File)
	return ok && term.IsTerminal(int(i.Fd())) && term.IsTerminal(int(o.Fd()))
}

// openLogFile opens the file that takes what would spoil the screen: kubarium.log in the data folder.
func openLogFile() (*os.File, error) {
	dir, err := dataFolder()
	if err != nil {
		dir = os.TempDir()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open log file: %w", err)
	}
	return os.OpenFile(filepath.Join(dir, "kubarium.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY|noFollow, 0o600)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
