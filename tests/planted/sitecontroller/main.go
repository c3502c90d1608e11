// Sitecontroller runs the controller of package planted against any server, so that people can see a mistake and what
// is said of it:
//
//	go run . serve --db :memory: &
//	go run ./tests/planted/sitecontroller --mistake conflicts
//	go run ./tests/planted/sitecontroller --mistake conflicts --mended
//	go run ./tests/planted/sitecontroller --mistake stuck-finalizer --stay
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"kubarium/tests/planted"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run does what the arguments ask for and returns the exit code: 2 for what was asked wrongly, 1 for what went wrong.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	var server string
	var stay bool
	var o planted.Options
	f := pflag.NewFlagSet("sitecontroller", pflag.ContinueOnError)
	f.SetOutput(errs)
	f.StringVar(&server, "server", "", "URL of the server (default: that of KUBECONFIG, or http://127.0.0.1:8080)")
	f.StringVar(&o.Mistake, "mistake", "", "the mistake to make; without it, all are listed")
	f.BoolVar(&o.Mended, "mended", false, "do the same without the mistake")
	f.BoolVar(&o.Quick, "quick", false, "leave out waits that only a report needs, of 10 to 35 seconds")
	f.BoolVar(&stay, "stay", false, "let the controller run on until it is interrupted, to look at it")
	f.StringVar(&o.Namespace, "namespace", "", "namespace to make and to work in (default planted-MISTAKE)")
	switch err := f.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return 0
	case err != nil:
		return fail(errs, err, 2)
	case f.NArg() > 0:
		return fail(errs, fmt.Errorf("unexpected argument %q", f.Arg(0)), 2)
	}
	if u, err := url.Parse(server); server != "" && (err != nil || u.Host == "") {
		return fail(errs, fmt.Errorf("--server must be a URL, not %q", server), 2)
	}
	if o.Mistake == "" {
		for _, m := range planted.Mistakes() {
			fmt.Fprintf(out, "%s\n  %s\n  mended: %s\n", m.Name, m.Wrong, m.Mended)
		}
		return 0
	}
	config, err := serverConfig(server)
	if err != nil {
		return fail(errs, err, 2)
	}
	if stay {
		o.Rests = func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		}
	}
	err = planted.Run(ctx, config, o)
	switch {
	case errors.Is(err, planted.ErrUnknown):
		return fail(errs, err, 2)
	case err != nil:
		return fail(errs, err, 1)
	}
	return 0
}

// serverConfig leads to the server of a URL, or without one to that of KUBECONFIG.
func serverConfig(server string) (*rest.Config, error) {
	if file := os.Getenv("KUBECONFIG"); server == "" && file != "" {
		return clientcmd.BuildConfigFromFlags("", file)
	}
	return &rest.Config{Host: cmp.Or(server, "http://127.0.0.1:8080")}, nil
}

func fail(errs io.Writer, err error, code int) int {
	fmt.Fprintf(errs, "sitecontroller: %v\n", err)
	return code
}
