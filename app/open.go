package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"kubarium/server/flow/recording"
	"kubarium/tui"
)

func newOpen() *cobra.Command {
	var ui uiFlags
	cmd := &cobra.Command{
		Use:   "open FILE",
		Short: "Show a recording in the terminal UI, without its server",
		Long: `Show a recording in the terminal UI, without its server: every page as it was at the end of the run. A recording that still grows is
followed. Recordings are made by --record FILE and by "kubarium export".`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return openRecording(cmd, args[0], ui) },
	}
	ui.flags(cmd.Flags())
	return cmd
}

func openRecording(cmd *cobra.Command, path string, u uiFlags) error {
	if err := u.check(); err != nil {
		return err
	}
	if !u.plain && !onTerminal(cmd.InOrStdin(), cmd.OutOrStdout()) {
		return usageError{errors.New("open needs a terminal (or --plain); \"kubarium export\" and \"kubarium doctor\" read a recording without one")}
	}
	logs, err := openLogFile()
	if err != nil {
		return err
	}
	defer logs.Close()
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	run, err := openRun(ctx, path, newLogger(logs))
	if err != nil {
		return unreadable(path, err)
	}
	begin := run.Begin()
	_, err = showRun(ctx, u, cmd, tui.Options{
		Log: run.Log, URL: begin.URL, DB: begin.DB, Transport: &run.past, Now: run.Now,
		Source: tui.Source{Kind: tui.Recording, Name: filepath.Base(path), File: path, Note: run.Note},
	})
	if remark := run.Remark(); remark != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "kubarium:", remark)
	}
	cancel()
	return errors.Join(err, run.past.close())
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
