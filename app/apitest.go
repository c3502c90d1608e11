package app

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/memory"
	"kubarium/app/testservers"
	"kubarium/server/features"
)

// testRoom is the room between two collections of garbage, in bytes: this process lives as long as some tests, and
// they wait for it.
const testRoom = 96 << 20

func newAPITest() *cobra.Command {
	var gates features.Gates
	var address string
	var untilEOF bool
	cmd := &cobra.Command{
		Use:   "apitest",
		Short: "Run API servers for tests, started and stopped by HTTP requests",
		Long: `Run any number of API servers in this process for tests, each with its own temporary database. A request starts one and
returns its address and credentials, another stops it; docs/apitest.md describes them. One line on stdout says where to send them. The
Go module apitest and its package for Python do all of this for a test.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := gates.Settle(); err != nil {
				return cli.Misuse(err)
			}
			memory.Spare(testRoom)
			defer memory.Spare(0)
			ctx, end := context.WithCancel(cmd.Context())
			defer end()
			if untilEOF {
				go func() {
					_, _ = io.Copy(io.Discard, cmd.InOrStdin())
					end()
				}()
			}
			return testservers.Hold(ctx, address, gates, cmd.OutOrStdout(), cli.NewLogger(cmd.ErrOrStderr()))
		},
	}
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:0", "address for the requests that start and stop servers, loopback only; port 0 picks a free one")
	cmd.Flags().BoolVar(&untilEOF, "until-eof", false, "end when standard input ends, as it does with the process that writes to it")
	cmd.Flags().Var(&gates, "feature-gates", features.Usage())
	return cmd
}
