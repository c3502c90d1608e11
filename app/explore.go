package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"kubarium/analysis/explore"
	"kubarium/app/cli"
	"kubarium/app/remedy"
	"kubarium/flow/filter"
)

// An exploration is what "kubarium explore" was asked for.
type exploration struct {
	out        string // folder of the findings
	kinds      string
	most       int
	bases      int
	repeat     int
	parallel   int
	quiet      time.Duration
	timeout    time.Duration
	staleFor   time.Duration
	seed       uint64
	client     string
	controlled string // command line of the controller
	failOn     string
	format     string
	replay     string         // folder of a finding
	fault      *explore.Fault // of it
	words      []string       // of the command
	controller []string       // its words; nil for none

	options explore.Options
	folder  string // of the runs, temporary
}

func newExplore() *cobra.Command {
	var x exploration
	cmd := &cobra.Command{
		Use:   "explore [--controller COMMANDLINE] -- COMMAND [ARGUMENT...]",
		Short: "Run a command again and again, with one fault each, and report what then ends otherwise",
		Long: `Run a command, such as a test suite or a script that uses a controller, against a server of its own, and record what is asked.
Then run it again with one fault each, chosen from what the first run recorded: a client that starts again and sees an old state
(stale), versions of an object that a watch never tells (unseen), a write whose answer is lost after its commit (lost), and a client
that ends right after one of its writes (cut). What stands at the end, behind a quiet time, is compared with the runs without a fault,
and so is what "kubarium doctor" finds. Versions, uids, times, random names, addresses, events and leases do not count.

With --controller explore runs the controller itself, beside the command, so that it can be killed and started again. Without it a cut
ends the client's connections, and a stale start is tried where the first run shows that a client started again.

KUBECONFIG leads the command to the server. For test suites that use envtest KUBEBUILDER_ASSETS leads to servers with the same rules.
Clients that watch and write are tried, but kubectl; --client says others.

A finding is a folder: what happened in words, the rules, the recordings of a run without the fault and of one with it, and the command
that repeats it. One that comes again in fewer than 9 of 10 runs is called unstable.

The exit code is 0 without findings; 1 with findings (see --fail-on), or if the command fails without a fault; 2 for misuse.`,
		Example: `  kubarium explore --controller ./manager -- ./scenario.sh
  kubarium explore --kinds lost,cut --most 10 -- go test ./controllers/...
  kubarium explore --replay findings/finding-1 --controller ./manager -- ./scenario.sh`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if x.replay != "" && !cmd.Flags().Changed("repeat") {
				x.repeat = 1
			}
			if err := x.complete(args, cmd.ArgsLenAtDash()); err != nil {
				return cli.Misuse(err)
			}
			return x.explore(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&x.out, "out", "", "folder for the findings (default kubarium-findings-DATE-TIME)")
	f.StringVar(&x.kinds, "kinds", "stale,unseen,lost,cut", "kinds of faults to try, separated by commas")
	f.IntVar(&x.most, "most", 40, "try so many faults at most; 0 is all")
	f.IntVar(&x.bases, "base", 2, "run so often without a fault: what differs between these runs does not count")
	f.IntVar(&x.repeat, "repeat", 10, "run so often with a fault that shows a difference (with --replay 1)")
	f.IntVar(&x.parallel, "parallel", 1, "run so many at the same time, each on a server of its own")
	f.DurationVar(&x.quiet, "quiet", 2*time.Second, "wait at the end until nothing was written for so long")
	f.DurationVar(&x.timeout, "timeout", 5*time.Minute, "how long the command may take")
	f.DurationVar(&x.staleFor, "stale-for", explore.DefaultStale, "how long a client that starts again sees an old state")
	f.Uint64Var(&x.seed, "seed", 1, "chooses which faults are tried where there are more than --most")
	f.StringVar(&x.client, "client", "", "filter of requests whose clients are tried, as ua:manager")
	f.StringVar(&x.controlled, "controller", "", "command line of the controller, to be run beside the command, killed and started again")
	f.Var(cli.NewChoice(&x.failOn, "finding", "finding", "stable", "never"), "fail-on", "exit with 1 on any finding, on one that is stable, or never")
	f.Var(cli.NewChoice(&x.format, "text", "text", "json"), "format", "text or json")
	f.StringVar(&x.replay, "replay", "", "folder of a finding: run with its fault alone")
	return cmd
}

// complete reads the arguments; dash is how many of them stood before "--", negative for none.
func (x *exploration) complete(args []string, dash int) (err error) {
	switch {
	case dash < 0 && len(args) > 0, dash > 0:
		return fmt.Errorf("unexpected argument %q; a command stands behind --", args[0])
	case len(args) == 0:
		return errors.New("say which command to run: -- COMMAND")
	case x.most < 0:
		return fmt.Errorf("--most must be 0 or more, not %d", x.most)
	case x.bases < 1 || x.repeat < 1 || x.parallel < 1:
		return errors.New("--base, --repeat and --parallel must be 1 or more")
	case x.quiet <= 0 || x.timeout <= 0 || x.staleFor <= 0:
		return errors.New("--quiet, --timeout and --stale-for must be more than 0")
	}
	x.words = args
	if _, err := exec.LookPath(args[0]); err != nil {
		return fmt.Errorf("the command: %w", err)
	}
	if x.controlled != "" {
		if x.controller, err = splitWords(x.controlled); err != nil || len(x.controller) == 0 {
			return fmt.Errorf("--controller must be a command line, not %q", x.controlled)
		}
		if _, err := exec.LookPath(x.controller[0]); err != nil {
			return fmt.Errorf("--controller: %w", err)
		}
	}
	x.options = explore.Options{Most: x.most, Controller: x.controller != nil, Seed: x.seed, StaleFor: x.staleFor}
	if x.options.Kinds, err = explore.ParseKinds(x.kinds); err != nil {
		return fmt.Errorf("--kinds: %w", err)
	}
	if x.client != "" {
		if x.options.Client, err = filter.Parse(x.client); err != nil {
			return fmt.Errorf("--client: %w", err)
		}
	}
	if x.replay != "" {
		if x.fault, err = readFault(x.replay); err != nil {
			return fmt.Errorf("--replay: %w", err)
		}
		if x.fault.ControllerNeeded() && x.controller == nil {
			return errors.New("--replay: the fault needs --controller, which is killed and started again")
		}
	}
	return x.place()
}

// place chooses the folder of the findings, which must have none yet.
func (x *exploration) place() error {
	if x.out == "" {
		x.out = "kubarium-findings-" + time.Now().Format("20060102-150405")
	}
	if s, err := os.Stat(x.out); err == nil && !s.IsDir() {
		return fmt.Errorf("--out %s is not a folder", x.out)
	}
	known, err := filesIn(x.out, "finding-*")
	switch {
	case err != nil:
		return fmt.Errorf("--out: %w", err)
	case len(known) > 0:
		return fmt.Errorf("--out %s has findings already; move them away, or say another folder", x.out)
	}
	return nil
}

// prepare makes the folder of the runs; end removes it.
func (x *exploration) prepare() (end func(), err error) {
	x.folder, err = os.MkdirTemp("", "kubarium-explore-")
	if err != nil {
		return nil, remedy.Add(err, remedy.Temporary)
	}
	return func() { os.RemoveAll(x.folder) }, nil
}

// forget removes what a run has left.
func (r *ran) forget() {
	if r != nil {
		os.RemoveAll(r.folder)
	}
}

// stopped is the error of a run that was interrupted.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}
