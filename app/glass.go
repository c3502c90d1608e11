package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/glass"
	"kubarium/app/kept"
	"kubarium/app/port"
	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/tui"
)

func newGlass() *cobra.Command {
	var g glassRun
	cmd := &cobra.Command{
		Use:   "glass [flags] [-- COMMAND [ARGUMENT...]]",
		Short: "Show what goes to any API server: a proxy in front of a context of your kubeconfig",
		Long: `Put the glass in front of the API server of a context: a proxy on the loopback interface that hands requests on with the
context's credentials, shows them, and changes nothing. It writes a kubeconfig that leads clients to it, with a key of this run; a
COMMAND gets it as KUBECONFIG, and its output goes to stdout and stderr without a terminal, else to a file in the data folder.

The server's own stations, its store and its decisions cannot be seen by a proxy, and are named as such. Objects and Versions show what
went by, and nothing is asked but what clients ask. Secrets and credentials are masked, on the screen and on disk.

A client that brings a bearer token of its own, such as that of a ServiceAccount, is handed on with it. A client that only takes
HTTPS_PROXY is not seen: its TLS ends at the server.`,
		Example: `  kubarium glass                                          # then: kubectl --kubeconfig FILE get pods
  kubarium glass --context kind-dev -- go run ./cmd       # your controller against that cluster
  kubarium glass --namespace shop --record shop.kubarium  # keep what is about one namespace`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			g.in, g.out, g.errs = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if err := g.complete(args, cmd.ArgsLenAtDash()); err != nil {
				return cli.Misuse(err)
			}
			return g.run(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&g.file, "kubeconfig", "", "kubeconfig file with the context (default: as kubectl finds it)")
	f.StringVar(&g.context, "context", "", "context of the server that the glass leads to")
	f.StringVar(&g.config.Listen, "listen", "127.0.0.1:0", "address to listen on, loopback only; port 0 picks a free one")
	f.BoolVar(&g.config.Writes, "allow-writes", false, "let the reader of the screen write through the glass: edit, delete, replay, and fault rules")
	f.StringVar(&g.namespace, "namespace", "", "keep only what is about this namespace")
	f.StringVar(&g.filter, "filter", "", "keep only the requests that this filter lets through, as on the screen")
	g.config.Record.Flags(f)
	kept.Flag(f, &g.config.Flows)
	g.ui.flags(f)
	g.ui.lang.Declare(f)
	_ = cmd.RegisterFlagCompletionFunc("context", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return glass.Contexts(g.file), cobra.ShellCompDirectiveNoFileComp
	})
	cmd.ValidArgsFunction = completeFiles
	return cmd
}

// A glassRun is what "kubarium glass" was asked for.
type glassRun struct {
	file, context     string // of the kubeconfig
	namespace, filter string
	config            glass.Config
	ui                uiFlags
	words             []string // the command
	in                io.Reader
	out, errs         io.Writer
	screen            bool
}

// complete reads the arguments; dash is how many of them come before "--", negative for none.
func (g *glassRun) complete(args []string, dash int) error {
	if dash < 0 && len(args) > 0 || dash > 0 {
		return fmt.Errorf("unexpected argument %q; put a command after --", args[0])
	}
	if g.words = args; dash >= 0 && len(args) == 0 {
		return errors.New("a command must follow --")
	}
	if len(g.words) > 0 {
		if _, err := exec.LookPath(g.words[0]); err != nil {
			return fmt.Errorf("%q cannot be run: %w", g.words[0], errors.Unwrap(err))
		}
	}
	if host, _, err := net.SplitHostPort(g.config.Listen); err != nil || !port.IsLoopback(host) {
		return fmt.Errorf("--listen must be HOST:PORT on the loopback interface, not %q", g.config.Listen)
	}
	if err := errors.Join(g.ui.check(), g.config.Record.Check(), kept.Check(g.config.Flows)); err != nil {
		return err
	}
	g.screen = g.ui.plain || onTerminal(g.in, g.out)
	return g.keep()
}

// keep reads which requests are kept.
func (g *glassRun) keep() error {
	text := g.filter
	if g.namespace != "" {
		text = strings.TrimSpace(text + " ns:" + g.namespace)
	}
	if text == "" {
		return nil
	}
	f, err := filter.Parse(text)
	if err != nil {
		return fmt.Errorf("--filter: %w", err)
	}
	f = f.Bind(filter.Env{})
	g.config.Keep = func(of *flow.Flow) bool { return f.Match(of) }
	return nil
}

// target is the context of the server: the one that is said, the only one, or the one that a reader chooses.
func (g *glassRun) target() (glass.Target, error) {
	t, err := glass.Read(g.file, g.context)
	many := (*glass.ManyError)(nil)
	if !errors.As(err, &many) || !onTerminal(g.in, g.out) {
		return t, err
	}
	for i, name := range many.Contexts {
		current := ""
		if name == many.Current {
			current = "  (current)"
		}
		fmt.Fprintf(g.errs, "%3d  %s%s\n", i+1, name, current)
	}
	lines := bufio.NewScanner(bytewise{g.in})
	for {
		fmt.Fprintf(g.errs, "The glass in front of which, 1 to %d? ", len(many.Contexts))
		if !lines.Scan() {
			fmt.Fprintln(g.errs)
			return t, cli.Misuse(errors.New("no context was chosen"))
		}
		said := strings.TrimSpace(lines.Text())
		if n, err := strconv.Atoi(said); err == nil && n >= 1 && n <= len(many.Contexts) {
			said = many.Contexts[n-1]
		}
		if slices.Contains(many.Contexts, said) {
			return glass.Read(g.file, said)
		}
	}
}

// run starts the glass, shows it, and ends it.
func (g *glassRun) run(cmd *cobra.Command) (err error) {
	ctx, logs := cmd.Context(), g.errs
	if g.config.Target, err = g.target(); err != nil {
		return err
	}
	if g.screen {
		file, err := openLogFile()
		if err != nil {
			return err
		}
		defer file.Close()
		logs = file
	}
	logger := cli.NewLogger(logs)
	running, err := glass.Start(ctx, g.config, logger)
	if err != nil {
		return err
	}
	switch {
	case len(g.words) > 0:
		err = g.attend(ctx, cmd, running, logger)
	case g.screen:
		err = g.show(ctx, cmd, running, nil)
	default:
		fmt.Fprintf(g.out, "kubarium: %s\nkubarium: export KUBECONFIG=%s\n", running, running.Kubeconfig)
		<-ctx.Done()
	}
	return errors.Join(err, running.Close())
}

// show shows the glass until its reader leaves.
func (g *glassRun) show(ctx context.Context, cmd *cobra.Command, of *glass.Glass, command *tui.Command) error {
	g.ui.noIntro = true
	_, err := showRun(ctx, g.ui, cmd, of.Options(command))
	return err
}

// attend runs the command through the glass. Its error is the exit code, if that is not 0.
func (g *glassRun) attend(ctx context.Context, cmd *cobra.Command, of *glass.Glass, logger *slog.Logger) error {
	r := &commandRun{words: g.words, screen: g.screen, in: g.in, out: g.out, errs: g.errs}
	environment := func() ([]string, error) { return append(os.Environ(), "KUBECONFIG="+of.CommandKubeconfig), nil }
	return r.carry(ctx, environment, func() {
		following, stop := context.WithCancel(ctx)
		defer stop()
		r.command = of.Command(following, r.process, r.line(), r.output)
		if err := g.show(ctx, cmd, of, r.command); err != nil {
			logger.Error("UI ended", "error", err)
		}
	})
}
