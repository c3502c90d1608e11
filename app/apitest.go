package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/memory"
	"kubarium/app/port"
	"kubarium/server/features"
)

// testRoom is the room between two collections of garbage, in bytes: this process lives as long as some tests, and they wait for it.
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
Go module apitest does all of this for a test.`,
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
			return holdServers(ctx, address, gates, cmd.OutOrStdout(), newLogger(cmd.ErrOrStderr()))
		},
	}
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:0", "address for the requests that start and stop servers, loopback only; port 0 picks a free one")
	cmd.Flags().BoolVar(&untilEOF, "until-eof", false, "end when standard input ends, as it does with the process that writes to it")
	cmd.Flags().Var(&gates, "feature-gates", features.Usage())
	return cmd
}

// headersWithin is how long the headers of a request may take.
const headersWithin = 30 * time.Second

// holdServers answers requests for servers until ctx ends.
func holdServers(ctx context.Context, address string, gates features.Gates, out io.Writer, logger *slog.Logger) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil || !port.IsLoopback(host) {
		return cli.Misuse(fmt.Errorf("--listen must be HOST:PORT on the loopback interface, not %q", address))
	}
	l, err := port.Listen(address, "--listen")
	if err != nil {
		return err
	}
	servers, err := newTestServers(ctx, gates, logger)
	if err != nil {
		l.Close()
		return err
	}
	s := &http.Server{Handler: servers.handler(l.Addr().String()), ReadHeaderTimeout: headersWithin}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	fmt.Fprintf(out, "kubarium: apitest http://%s\n", l.Addr())
	select {
	case <-ctx.Done():
		s.Close()
		if err = <-served; errors.Is(err, http.ErrServerClosed) {
			err = nil
		}
	case err = <-served:
	}
	return errors.Join(err, servers.close())
}
