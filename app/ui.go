package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"kubarium/app/cli"
	"kubarium/app/home"
	"kubarium/app/lang"
	"kubarium/app/program"
	"kubarium/app/remedy"
	"kubarium/app/shown"
	"kubarium/app/version"
	"kubarium/scenarios"
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
	lang         lang.Flag
}

// maxFPS is the most that an eye follows.
const maxFPS = 120

func (u *uiFlags) flags(f *pflag.FlagSet) {
	f.Var(cli.NewChoice(&u.theme, "auto", tui.Themes()...), "theme", "auto, dark, light, mono or contrast")
	f.IntVar(&u.fps, "fps", 10, "most frames drawn per second for what happens; keys are answered at once")
	f.BoolVar(&u.ascii, "ascii", false, "draw with ASCII characters only")
	f.BoolVar(&u.plain, "plain", false, "print sentences instead of drawing a screen (for screen readers)")
	f.BoolVar(&u.reduceMotion, "reduce-motion", false, "do not animate; the default over SSH")
	f.BoolVar(&u.noIntro, "no-intro", false, "do not show the introduction of the first run")
}

// lessonFlag is that of a UI on a server of its own.
func (u *uiFlags) lessonFlag(f *pflag.FlagSet) {
	f.StringVar(&u.scenario, "scenario", "", "open on this lesson; \"kubarium scenario list\" names them")
	u.lang.Declare(f)
}

// check refuses what cannot be shown.
func (u *uiFlags) check() error {
	if u.fps < 1 || u.fps > maxFPS {
		return cli.Misuse(fmt.Errorf("--fps must be 1 to %d, not %d", maxFPS, u.fps))
	}
	if _, err := u.lang.Wanted(nil, u.ascii); err != nil {
		return err
	}
	if u.scenario == "" {
		return nil
	}
	l, err := scenarios.Find(u.scenario)
	if err == nil && l.Name != u.scenario && path.Ext(u.scenario) != "" {
		err = fmt.Errorf("the UI shows the lessons that come with it; \"kubarium scenario run %s\" plays a file", u.scenario)
	}
	if err != nil {
		return cli.Misuse(fmt.Errorf("--scenario: %w", err))
	}
	u.scenario = l.Name // an old name may lead to it
	return nil
}

// fitsUI refuses a server that a UI cannot be on.
func fitsUI(c *program.Config) error {
	switch {
	case c.Listen == "":
		return errors.New("the UI needs the plain port: say --listen, or use kubarium serve")
	case c.Audit.LogOptions.Path == "-":
		return errors.New("--audit-log-path - would write over the UI; say a file, or use kubarium serve")
	}
	return nil
}

// uiNodes are the simulated nodes of a server that is started with the UI, so that what a learner makes becomes running Pods.
const uiNodes = 1

// runUI starts a Program and shows it, or runs as serve where there is no terminal to show it on.
func runUI(cmd *cobra.Command, c program.Config, u uiFlags) error {
	ctx, out, errs := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	if err := u.check(); err != nil {
		return err
	}
	screen := u.plain || onTerminal(cmd.InOrStdin(), out)
	if f := cmd.Flags(); !f.Changed("nodes") && (!screen || f.Changed("controllers")) {
		c.Nodes = 0
	}
	if !screen {
		fmt.Fprintln(errs, "kubarium: no terminal for the UI (stdin or stdout is none, or TERM=dumb); running as \"kubarium serve\"")
		c.Announce = "serve"
		return serve(ctx, c, out, cli.NewLogger(errs))
	}
	if err := fitsUI(&c); err != nil {
		return cli.Misuse(err)
	}
	logs, err := openLogFile()
	if err != nil {
		return err
	}
	defer logs.Close()
	c.Announce = "ui"
	if len(c.Modes) == 0 { // what guards decide is worth seeing, and lessons are about it
		c.Modes = lessonModes
	}
	p, err := program.Start(ctx, c, cli.NewLogger(logs))
	if err != nil {
		return err
	}
	quit, err := show(ctx, p, u, cmd, nil)
	if err != nil {
		cli.Printf(errs, "kubarium: the UI ended: %v\nkubarium: serving %s %s\n", cli.FirstLine(err), p.URL, p.Where())
		slog.New(slog.NewTextHandler(logs, nil)).Error("UI ended", "error", err)
		quit = tui.QuitServe
	}
	if quit == tui.QuitServe {
		if err == nil {
			cli.Printf(errs, "kubarium: the UI is closed; Ctrl-C ends the server\nkubarium: serving %s %s\n", p.URL, p.Where())
		}
		<-ctx.Done()
	}
	return p.Close()
}

// show shows the run of a Program, and the command that it was started for; nil for none.
func show(ctx context.Context, p *program.Program, u uiFlags, cmd *cobra.Command, of *tui.Command) (tui.Quit, error) {
	teller, err := shown.NewLessons(ctx, nil, p.URL, p.Log, &u.lang, u.ascii)
	if err != nil {
		return tui.QuitStop, err
	}
	return showRun(ctx, u, cmd, tui.Options{Log: p.Log, Why: p.Why(), URL: p.URL, DB: p.DB, Source: shown.Own(p), Lessons: teller.All(), Languages: teller.Languages(), Retell: teller.Retell, Scenario: u.scenario, Command: of})
}

// showRun shows a run as the flags and the terminal want it.
func showRun(ctx context.Context, u uiFlags, cmd *cobra.Command, o tui.Options) (tui.Quit, error) {
	state, err := home.Data()
	if err != nil {
		state = ""
	}
	o.Version, o.StateDir, o.In, o.Out = version.String(), state, cmd.InOrStdin(), cmd.OutOrStdout()
	o.Theme, o.FPS, o.ASCII, o.Plain, o.ReduceMotion, o.NoIntro = u.theme, u.fps, u.ascii, u.plain, u.reduceMotion, u.noIntro
	o.Language = u.lang.OfScreen(u.ascii)
	return tui.Run(ctx, o)
}

// onTerminal reports whether there is a screen to draw on and a keyboard to read.
func onTerminal(in io.Reader, out io.Writer) bool {
	return os.Getenv("TERM") != "dumb" && isTerminal(in) && isTerminal(out)
}

// isTerminal reports whether a stream of this process is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// openLogFile opens the file that takes what would spoil the screen: kubarium.log in the data folder.
func openLogFile() (*os.File, error) {
	dir, err := home.Data()
	if err != nil {
		dir = os.TempDir()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, remedy.Add(err, dataElsewhere)
	}
	f, err := os.OpenFile(filepath.Join(dir, "kubarium.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY|noFollow, 0o600)
	return f, remedy.Add(err, dataElsewhere)
}

// dataElsewhere is what to do about a data folder that takes no files.
const dataElsewhere = "set XDG_DATA_HOME to a folder that can be written"
