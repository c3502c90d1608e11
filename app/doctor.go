package app

import (
	"github.com/spf13/cobra"

	"kubarium/app/checkup"
	"kubarium/app/cli"
	"kubarium/app/remote"
)

func newDoctor() *cobra.Command {
	var d checkup.Checkup
	cmd := &cobra.Command{
		Use:   "doctor [FILE | -- COMMAND [ARGUMENT...]]",
		Short: "Report what controllers do wrong: conflicts, writes without effect, polling …",
		Long: `Read the requests of a run and report what the author of a controller should know: conflicts and what they cost, writes
that change nothing, objects that controllers write in circles, updates without a version, lists of what is watched already,
polling, watches without bookmarks, 410s, ignored status, objects that are deleted and created again, fields that are fought over,
finalizers and owners that are left, bursts and rate limits. Each finding names its records, why it matters, and what to do.

With --for it watches a running server. A FILE has flows as /debug/flows?own=true gives them; "-" is standard input. A COMMAND
runs against a server of its own, with a temporary database, that KUBECONFIG leads to. For test suites that use envtest
KUBEBUILDER_ASSETS leads to servers whose requests are read as well.

The exit code is that of the command, 1 if --fail-on finds something, 2 for misuse.`,
		Example: `  kubarium doctor --for 60s                         # watch the running server
  kubarium doctor -- go test ./...                  # run a test suite
  kubarium doctor --fail-on warning --format junit --out doctor.xml -- make test
  curl -s '127.0.0.1:8080/debug/flows?own=true&limit=10000' | kubarium doctor -`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.Complete(args, cmd.ArgsLenAtDash()); err != nil {
				return cli.Misuse(err)
			}
			return d.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.DurationVar(&d.Watch, "for", 0, "watch the running server for so long")
	f.BoolVar(&d.Own, "own", false, "report Kubarium's own controllers as well")
	f.Var(cli.NewChoice(&d.Format, "text", "text", "json", "junit", "sarif", "html"), "format", "text, json, junit (a test case for each rule), sarif (2.1.0) or html (a page with the run)")
	f.StringVar(&d.Out, "out", "", "write the report to this file instead of stdout")
	f.StringVar(&d.FailOn, "fail-on", "", "exit with 1 on findings of this severity (error, warning or note) or above, or of these rules, separated by commas")
	d.Server.Flags(f, remote.Usage)
	return cmd
}
