package app

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kubarium/analysis/explore"
	"kubarium/app/cli"
	"kubarium/app/trials"
)

func newExplore() *cobra.Command {
	var x trials.Exploration
	var resume string
	var behind bool
	cmd := &cobra.Command{
		Use:   "explore [--controller COMMANDLINE] -- COMMAND [ARGUMENT...]",
		Short: "Run a command again and again, with one fault each, and report what ends otherwise",
		Long: `Run a command, such as a test suite or a script that uses a controller, against a server of its own, and record what is asked.
Then run it again with one fault each, chosen from what the first run recorded: a client that starts again and sees an old state
(stale), versions of an object that a watch never shows (unseen), a write whose answer is lost after its commit (lost), a client
that ends right after one of its writes (cut), events that come seconds late (late), a controller that is down during a change (away),
and a write that is answered with an error (refused). The objects at the end, after a quiet time, are compared with those of runs
without a fault, and so are how often objects came and went, how often the controller ended or panicked, how much clients asked, and
what "kubarium doctor" finds. Versions, uids, times, random names, addresses, events and leases do not count.

With --controller explore runs the controller itself, next to the command, so that it can be killed and started again, with a
kubeconfig of its own, so that its clients alone are tried. Without it a cut ends the client's connections, a stale start is tried where
the first run shows that a client started again, and no controller can be away.

KUBECONFIG leads the command to the server. For test suites that use envtest KUBEBUILDER_ASSETS leads to servers with the same rules.
Clients that watch and write are tried, except kubectl; --client says others. --setup is for what must be there before the
controller starts, as its definitions.

One that is interrupted keeps its runs in the folder of the findings, and --resume goes on with it.

A finding is a folder: what happened in words, the rules, the recordings of a run without the fault and of one with it, and the command
that repeats it. One that comes again in fewer than 9 of 10 runs is called unstable.

The exit code is 0 without findings; 1 with findings (see --fail-on), or if the command fails without a fault; 2 for misuse.`,
		Example: `  kubarium explore --controller ./manager -- ./scenario.sh
  kubarium explore --kinds lost,cut --most 10 -- go test ./controllers/...
  kubarium explore --replay findings/finding-1 --controller ./manager -- ./scenario.sh`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if behind {
				return cli.Misuse(errors.New("explore breaks servers, forks them and throws them away, and a glass leads to one that others need; see doctor --glass"))
			}
			if resume != "" {
				if cmd.Flags().NFlag() > 1 || len(args) > 0 {
					return cli.Misuse(errors.New("--resume takes nothing else: the folder has what was asked for"))
				}
				again, err := trials.Resume(resume)
				if err != nil {
					return cli.Misuse(fmt.Errorf("--resume: %w", err))
				}
				return again.Run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			if x.Replay != "" && !cmd.Flags().Changed("repeat") {
				x.Repeat = 1
			}
			if err := x.Complete(args, cmd.ArgsLenAtDash()); err != nil {
				return cli.Misuse(err)
			}
			return x.Run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&behind, "glass", false, "is refused: see doctor --glass")
	_ = f.MarkHidden("glass")
	f.StringVar(&x.Out, "out", "", "folder for the findings (default kubarium-findings-DATE-TIME)")
	f.StringVar(&x.Kinds, "kinds", strings.Join(explore.Words(), ","), "kinds of faults to try, separated by commas")
	f.IntVar(&x.Most, "most", 40, "try so many faults at most; 0 is all")
	f.IntVar(&x.Bases, "base", 2, "run so often without a fault: what differs between these runs does not count")
	f.IntVar(&x.Repeat, "repeat", 10, "run so often with a fault that shows a difference (with --replay 1)")
	f.IntVar(&x.Parallel, "parallel", 1, "run so many at the same time, each on a server of its own")
	f.DurationVar(&x.Quiet, "quiet", 2*time.Second, "wait at the end until nothing was written for so long")
	f.DurationVar(&x.Timeout, "timeout", 5*time.Minute, "how long the command may take")
	f.DurationVar(&x.StaleFor, "stale-for", explore.DefaultStale, "how long a client that starts again sees an old state")
	f.Uint64Var(&x.Seed, "seed", 1, "chooses which faults are tried where there are more than --most")
	f.StringVar(&x.Client, "client", "", "filter of requests whose clients are tried, as ua:manager")
	f.StringVar(&x.Only, "only", "", "filter of the objects that faults are about, as res:statefulsets.apps or name:web")
	f.StringVar(&x.Setup, "setup", "", "command line that makes all ready before the controller starts, in each run")
	f.StringVar(&x.Controlled, "controller", "", "command line of the controller, to be run next to the command, killed and started again")
	f.Var(cli.NewChoice(&x.FailOn, "finding", "finding", "stable", "never"), "fail-on", "exit with 1 on any finding, on one that is stable, or never")
	f.Var(cli.NewChoice(&x.Format, "text", "text", "json"), "format", "text or json")
	f.StringVar(&resume, "resume", "", "go on with an exploration that was interrupted: the folder of its findings, and nothing else")
	f.StringVar(&x.Replay, "replay", "", "folder of a finding: run with its fault alone")
	return cmd
}
