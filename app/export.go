package app

import (
	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/export"
	"kubarium/app/remote"
)

func newExport() *cobra.Command {
	var e export.Export
	cmd := &cobra.Command{
		Use:        "export [FILE [OTHER]]",
		SuggestFor: []string{"dump", "har", "flows"},
		Short:      "Write the run of a server, or of a recording, to a file",
		Long: `Write the run of a running server, or of a recording, to stdout or to a file: as a recording, which "kubarium open" shows; as JSON
Lines, a request a line; as an HTTP Archive (HAR 1.2), which the developer tools of browsers open; or as a page (html), one file that any
browser opens from disk. The page of two runs shows them side by side, and where they part; that of the folder of a finding of explore, both
of its runs. A recording of a whole run has its objects and their history, too; with a filter, it has only the requests that match. Secrets are
masked: credentials, and what Secrets and tokens hold.`,
		Example: `  kubarium export --out run.kubarium
  kubarium export run.kubarium --out run.jsonl
  kubarium export --format har --filter 'verb:update code:409' --out conflicts.har
  kubarium export run.jsonl --format har --out run.har
  kubarium export run.kubarium --out run.html
  kubarium export good.kubarium bad.kubarium --out both.html`,
		Args: arguments(0, 2),

		ValidArgsFunction: completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				e.File = args[0]
			}
			if len(args) > 1 {
				e.Other = args[1]
			}
			e.Errs = cmd.ErrOrStderr()
			return e.Run(cmd)
		},
	}
	f := cmd.Flags()
	f.Var(cli.NewChoice(&e.Format, "", e.Formats()...), "format", "recording, jsonl, har or html (default: by the name of the file: .kubarium, .har, .html, or else JSON Lines)")
	f.StringVar(&e.Filter, "filter", "", "write the requests that match, by the same language as in the UI: 'verb:update code:409'")
	f.StringVar(&e.Out, "out", "", "file to write (default stdout)")
	f.StringVar(&e.URL, "url", "", "address of the server in the entries of an HTTP Archive (default that of the server, or "+remote.Plain+")")
	f.BoolVar(&e.Own, "own", false, "write Kubarium's own requests, too")
	f.BoolVar(&e.Secrets, "secrets", false, "write credentials, Secrets and tokens as they are")
	e.Server.Flags(f, remote.Usage)
	return cmd
}
