package app

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/shown"
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
	var runs []*shown.Run
	for _, path := range paths {
		run, err := shown.Open(ctx, path, cli.NewLogger(logs))
		if err != nil {
			cancel()
			return errors.Join(shown.Unreadable(path, err), shown.Close(runs))
		}
		runs = append(runs, run)
	}
	_, err = showRun(ctx, u, cmd, shown.Options(runs))
	for _, run := range runs {
		if remark := run.Remark(); remark != "" {
			cli.Printf(cmd.ErrOrStderr(), "kubarium: %s\n", remark)
		}
	}
	cancel()
	return errors.Join(err, shown.Close(runs))
}
