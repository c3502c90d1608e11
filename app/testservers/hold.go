package testservers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"kubarium/app/cli"
	"kubarium/app/port"
	"kubarium/server/features"
)

// headersWithin is how long the headers of a request may take.
const headersWithin = 30 * time.Second

// Hold answers requests for servers until ctx ends.
func Hold(ctx context.Context, address string, gates features.Gates, out io.Writer, logger *slog.Logger) error {
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
