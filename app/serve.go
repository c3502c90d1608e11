package app

import (
	"context"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/program"
)

func newServe() *cobra.Command {
	var c program.Config
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the API server without the terminal UI",
		Long:  "Start the API server without the terminal UI. One line on stdout says when it is ready; everything else goes to stderr. SIGINT and SIGTERM end it.",
		Args:  noArguments,

		SuggestFor: []string{"start", "server"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Announce = "serve"
			return serve(cmd.Context(), c, cmd.OutOrStdout(), cli.NewLogger(cmd.ErrOrStderr()))
		},
	}
	c.Flags(cmd.Flags())
	return cmd
}

// serve runs a Program until ctx ends.
func serve(ctx context.Context, c program.Config, out io.Writer, logger *slog.Logger) error {
	p, err := program.Start(ctx, c, logger)
	switch {
	case err != nil && ctx.Err() != nil: // interrupted before it served
		return nil
	case err != nil:
		return err
	}
	if p.Secure != "" && p.Secure != p.URL {
		logger.Info("serving", "secure", p.Secure)
	}
	cli.Printf(out, "kubarium: serving %s %s\n", p.URL, p.Where())
	p.Wait(ctx)
	return p.Close()
}
