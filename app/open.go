package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/flow/recording"
	"kubarium/tui"
)

func newOpen() *cobra.Command {
	var ui uiFlags
	cmd := &cobra.Command{
		Use:   "open FILE [OTHER]",
		Short: "Show a recording in the terminal UI, without its server",
		Long: `Show a recording in the terminal UI, without its server: every page as it was at the end of the run. A recording that still grows is
followed. Recordings are made by --record FILE and by "kubarium export".

With a second recording a further page shows both runs side by side, and where they part; all other pages show the first.`,
		Args: arguments(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return openRecordings(cmd, args, ui) },
	}
	ui.flags(cmd.Flags())
	return cmd
}

func openRecordings(cmd *cobra.Command, paths []string, u uiFlags) error {
	if err := u.check(); err != nil {
		return err
	}
	if !u.plain && !onTerminal(cmd.InOrStdin(), cmd.OutOrStdout()) {
		return cli.Misuse(errors.New("open needs a terminal (or --plain); \"kubarium export\" and \"kubarium doctor\" read a recording without one"))
	}
	logs, err := openLogFile()
	if err != nil {
		return err
	}
	defer logs.Close()
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	var runs []*recordedRun
	for _, path := range paths {
		run, err := openRun(ctx, path, newLogger(logs))
		if err != nil {
			cancel()
			return errors.Join(unreadable(path, err), closeRuns(runs))
		}
		runs = append(runs, run)
	}
	_, err = showRun(ctx, u, cmd, shownRuns(runs))
	for _, run := range runs {
		if remark := run.Remark(); remark != "" {
			cli.Printf(cmd.ErrOrStderr(), "kubarium: %s\n", remark)
		}
	}
	cancel()
	return errors.Join(err, closeRuns(runs))
}

// shownRuns is what the UI shows: the first run, and the second beside it if there is one.
func shownRuns(runs []*recordedRun) tui.Options {
	first := runs[0]
	begin := first.Begin()
	o := tui.Options{
		Log: first.Log, URL: begin.URL, DB: begin.DB, Transport: &first.past, Now: first.Now,
		Source: tui.Source{Kind: tui.Recording, Name: filepath.Base(first.path), File: first.path, Bare: !begin.Objects, Note: first.Note},
	}
	if len(runs) > 1 {
		other := runs[1]
		begin := other.Begin()
		o.Other = &tui.Other{Log: other.Log, Name: filepath.Base(other.path), URL: begin.URL, DB: begin.DB, Now: other.Now}
		if o.Other.Name == o.Source.Name {
			o.Source.Name, o.Other.Name = first.path, other.path
		}
	}
	return o
}

func closeRuns(runs []*recordedRun) error {
	var errs []error
	for _, run := range runs {
		errs = append(errs, run.past.close())
	}
	return errors.Join(errs...)
}

// unreadable says of a file from which nothing can be read what it is.
func unreadable(path string, err error) error {
	var later *recording.LaterError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file %s", path)
	case errors.Is(err, recording.ErrForeign), errors.As(err, &later):
		return err
	}
	return fmt.Errorf("read the recording: %w", err)
}
