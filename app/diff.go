package app

import (
	"fmt"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/comparison"
)

func newDiff() *cobra.Command {
	var d comparison.Diff
	cmd := &cobra.Command{
		Use:        "diff FIRST SECOND",
		SuggestFor: []string{"compare"},
		Short:      "Compare two recorded runs, and print where they part",
		Long: `Compare two recorded runs, such as a test that passed and one that failed, and print the first request where they part:
one that only one of them has, or that has another answer, another body or another user. Runs are compared client by client.
resourceVersions, uids, times and the random parts of names do not count; differences that timing alone explains are
counted, and runs do not part there. Runs that pass may part among themselves, such as over a race that a test makes: with --also
RUN, another run that passed as FIRST did, what differs from FIRST there as it does in SECOND is counted too, and no parting.

A run is a file of JSON Lines, as "kubarium export" writes it. The exit code is 0 if the runs are the same, 1 if they part, and 2 if
something cannot be read.`,
		Example: `  kubarium export --out passed.jsonl       # after a run that passed
  kubarium export --out failed.jsonl       # after one that failed
  kubarium diff passed.jsonl failed.jsonl
  kubarium diff passed.jsonl failed.jsonl --also passed2.jsonl --also passed3.jsonl`,
		Args: arguments(2, 2),

		ValidArgsFunction: completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if d.Context < 0 {
				return cli.Misuse(fmt.Errorf("--context is a number of rows from 0 on, not %d", d.Context))
			}
			d.Files = [2]string(args)
			return d.Run(cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.Var(cli.NewChoice(&d.Format, "text", "text", "json"), "format", "text or json")
	f.StringArrayVar(&d.Also, "also", nil, "another run that passed, to set aside what passing runs do differently (repeatable)")
	f.IntVar(&d.Context, "context", 5, "rows to print before and after the one where the runs part")
	f.BoolVar(&d.All, "all", false, "print all rows")
	f.BoolVar(&d.Own, "own", false, "compare Kubarium's own requests, too")
	return cmd
}
