package app

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"kubarium/app/checkup"
	"kubarium/app/cli"
	"kubarium/app/glass"
	"kubarium/app/remote"
)

func newDoctor() *cobra.Command {
	var d checkup.Checkup
	var behind bool
	var context string
	cmd := &cobra.Command{
		Use:   "doctor [FILE | -- COMMAND [ARGUMENT...]]",
		Short: "Report what controllers do wrong: conflicts, writes without effect, polling …",
		Long: `Read the requests of a run and report what the author of a controller should know: conflicts and what they cost, writes
that change nothing, objects that controllers write in circles, updates without a version, lists of what is watched already,
polling, watches without bookmarks, 410s, ignored status, objects that are deleted and created again, fields that are fought over,
finalizers and owners that are left, bursts and rate limits. Each finding names its records, why it matters, and what to do.

With --for it watches a running server; with --glass a glass that it puts in front of the server of a context (see "kubarium glass"). A FILE has flows as /debug/flows?own=true gives them; "-" is standard input. A COMMAND
runs against a server of its own, with a temporary database, that KUBECONFIG leads to. For test suites that use envtest
KUBEBUILDER_ASSETS leads to servers whose requests are read as well.

The exit code is that of the command, 1 if --fail-on finds something, 2 for misuse.`,
		Example: `  kubarium doctor --for 60s                         # watch the running server
  kubarium doctor --glass --for 10m                 # your cluster; see "kubarium glass"
  kubarium doctor -- go test ./...                  # run a test suite
  kubarium doctor --fail-on warning --format junit --out doctor.xml -- make test
  curl -s '127.0.0.1:8080/debug/flows?own=true&limit=10000' | kubarium doctor -`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.Complete(args, cmd.ArgsLenAtDash()); err != nil {
				return cli.Misuse(err)
			}
			switch {
			case behind && (d.Watch == 0 || d.Server.Address != ""):
				return cli.Misuse(errors.New("--glass needs --for DURATION, and takes a --context instead of --server"))
			case context != "" && !behind:
				return cli.Misuse(errors.New("--context needs --glass"))
			case behind:
				end, err := putGlass(cmd, &d, context)
				if err != nil {
					return err
				}
				defer end()
			}
			return d.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.DurationVar(&d.Watch, "for", 0, "watch the running server for so long")
	f.BoolVar(&behind, "glass", false, "with --for, put the glass in front of a server of your kubeconfig, and watch what goes through it")
	f.StringVar(&context, "context", "", "with --glass, the context of that server")
	f.BoolVar(&d.Own, "own", false, "report Kubarium's own controllers as well")
	f.Var(cli.NewChoice(&d.Format, "text", "text", "json", "junit", "sarif", "html"), "format", "text, json, junit (a test case for each rule), sarif (2.1.0) or html (a page with the run)")
	f.StringVar(&d.Out, "out", "", "write the report to this file instead of stdout")
	f.StringVar(&d.FailOn, "fail-on", "", "exit with 1 on findings of this severity (error, warning or note) or above, or of these rules, separated by commas")
	d.Server.Flags(f, remote.Usage)
	return cmd
}

// putGlass starts a glass for a doctor to watch, until end is called.
func putGlass(cmd *cobra.Command, d *checkup.Checkup, context string) (end func(), err error) {
	c := glass.Config{Listen: "127.0.0.1:0"}
	if c.Target, err = glass.Read(d.Server.Kubeconfig, context); err != nil {
		return nil, err
	}
	g, err := glass.Start(cmd.Context(), c, cli.NewLogger(cmd.ErrOrStderr()))
	if err != nil {
		return nil, err
	}
	d.Server = remote.Server{Kubeconfig: g.Kubeconfig}
	fmt.Fprintf(cmd.ErrOrStderr(), "kubarium: %s\nkubarium: export KUBECONFIG=%s\n", g, g.Kubeconfig)
	return func() { _ = g.Close() }, nil // what was found is said
}
