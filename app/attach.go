package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/home"
	"kubarium/app/kept"
	"kubarium/app/remote"
	"kubarium/app/running"
	"kubarium/app/shown"
	"kubarium/flow"
	"kubarium/tui"
)

func newAttach() *cobra.Command {
	var ui uiFlags
	var kubeconfig string
	var limits flow.Limits
	var wait bool
	cmd := &cobra.Command{
		Use:   "attach [URL]",
		Short: "Show a server that runs already in the terminal UI",
		Long: `Show a running server in the terminal UI: that of "kubarium serve", of a test that runs, of another UI. Without an address it is the
one that runs, or where several do, the one that is chosen ("kubarium servers" lists them). The UI changes nothing by itself, what it asks
is hidden from Traffic, and the server goes on when it is closed. Where the server ends, the UI keeps what was there.`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(ui.check(), kept.Check(limits)); err != nil {
				return err
			}
			tty := onTerminal(cmd.InOrStdin(), cmd.OutOrStdout())
			r := remote.Server{Address: strings.Join(args, ""), Kubeconfig: kubeconfig}
			if wait && r.Named() {
				return cli.Misuse(errors.New("--wait is for whichever server starts; it takes no address"))
			}
			if !r.Named() {
				s, err := choose(runningServers(cmd.Context(), wait), tty, cmd.InOrStdin(), cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				r.Address = s.URL
			}
			if !ui.plain && !tty {
				return cli.Misuse(errors.New("attach needs a terminal (or --plain)"))
			}
			return attach(cmd, r, ui, limits)
		},
	}
	cmd.ValidArgsFunction = completeServers
	ui.flags(cmd.Flags())
	ui.lessonFlag(cmd.Flags())
	kept.Flag(cmd.Flags(), &limits)
	cmd.Flags().BoolVar(&wait, "wait", false, "where no server is running, wait until one is, such as that of a test suite")
	cmd.Flags().StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig file with the server's address and credentials")
	return cmd
}

// lookEvery is the time between two looks for a server that runs.
const lookEvery = 200 * time.Millisecond

// runningServers are those that run; with wait, there is one, unless ctx ends before.
func runningServers(ctx context.Context, wait bool) []running.Server {
	for {
		all := running.List(home.Running())
		if len(all) > 0 || !wait {
			return all
		}
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return nil
		}
	}
}

// choose picks the server to attach to: the only one, or of several the one that the user at a terminal chooses.
func choose(all []running.Server, tty bool, in io.Reader, out io.Writer) (running.Server, error) {
	switch {
	case len(all) == 0:
		return running.Server{}, errors.New(noServers)
	case len(all) == 1:
		return all[0], nil
	case !tty:
		var urls []string
		for _, s := range all {
			urls = append(urls, fmt.Sprintf("%s (%s)", s.URL, startedAs(s)))
		}
		return running.Server{}, cli.Misuse(fmt.Errorf("%d servers are running; say which: %s", len(all), strings.Join(urls, ", ")))
	}
	for i, s := range all {
		fmt.Fprintf(out, "%3d  %s  %s  %s\n", i+1, s.URL, startedAs(s), s.DB)
	}
	lines := bufio.NewScanner(bytewise{in})
	for {
		fmt.Fprintf(out, "Attach to which, 1 to %d? ", len(all))
		if !lines.Scan() {
			fmt.Fprintln(out)
			return running.Server{}, cli.Misuse(errors.New("no server was chosen"))
		}
		if n, err := strconv.Atoi(strings.TrimSpace(lines.Text())); err == nil && n >= 1 && n <= len(all) {
			return all[n-1], nil
		}
	}
}

// A bytewise reader takes a byte at a time, so that what follows a line is left for the UI.
type bytewise struct{ io.Reader }

func (b bytewise) Read(p []byte) (int, error) { return b.Reader.Read(p[:min(1, len(p))]) }

// attach shows a server until its reader leaves; where that has started again, and is asked for, from there on.
func attach(cmd *cobra.Command, r remote.Server, u uiFlags, limits flow.Limits) error {
	client, address, err := r.Dial("")
	if err != nil {
		return err
	}
	for {
		quit, err := attachOnce(cmd, client, address, u, limits)
		if err != nil || quit != tui.QuitAnew {
			return err
		}
	}
}

func attachOnce(cmd *cobra.Command, client *http.Client, address string, u uiFlags, limits flow.Limits) (
	tui.Quit, error) {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	a, err := shown.Attach(ctx, client, address, limits)
	if err != nil {
		return tui.QuitStop, err
	}
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		a.Follow(ctx)
	}()
	o := a.Options()
	u.noIntro = true
	if a.Glass() {
		o.Kubeconfig = remote.Kubeconfig(address)
		quit, err := showRun(ctx, u, cmd, o)
		cancel()
		<-followed
		return quit, err
	}
	teller, err := shown.NewLessons(ctx, client, o.URL, o.Log, &u.lang, u.ascii)
	if err != nil {
		return tui.QuitStop, err
	}
	o.Lessons, o.Languages, o.Retell, o.Scenario = teller.All(), teller.Languages(), teller.Retell, u.scenario
	quit, err := showRun(ctx, u, cmd, o)
	cancel()
	<-followed
	return quit, errors.Join(err, shown.QuitLessons(ctx, teller.All()))
}
