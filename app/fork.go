package app

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/debug"
	"kubarium/app/remote"
)

func newFork() *cobra.Command {
	var server remote.Server
	var asked debug.ForkRequest
	cmd := &cobra.Command{
		Use:   "fork",
		Short: "Start a second server from a state of a running one",
		Long: `Start a second server from a state of a running one: any readable revision, or a snapshot. It has its own port and its own
database next to the first one's, with the same objects, uids and resourceVersions; from then on the two change independently. It
runs in the process of the first server, and stops with it. Its file stays, unless the database is a temporary one.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var f debug.Fork
			err := server.Ask(cmd, http.MethodPost, "/debug/fork", asked, &f)
			if err == nil {
				cli.Printf(cmd.OutOrStdout(), "fork %d of revision %d: serving %s db=%s\n", f.ID, f.Revision, f.URL, f.File)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.Int64Var(&asked.Revision, "revision", 0, "revision to start from (default: the newest)")
	f.StringVar(&asked.Snapshot, "snapshot", "", "snapshot to start from")
	f.StringVar(&asked.Listen, "listen", "", "address to serve on, loopback only (default: a free port of 127.0.0.1)")
	f.StringVar(&asked.File, "file", "", "file name of its database, in the folder of the first one's (default: that name and the revision)")
	server.Flags(f, remote.Usage)
	_ = cmd.RegisterFlagCompletionFunc("snapshot", completeSnapshot(&server)) // it has none yet
	cmd.AddCommand(newForkList(), newForkEnd())
	return cmd
}

func newForkList() *cobra.Command {
	var server remote.Server
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the forks of a running server",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list debug.ForkList
			if err := server.Ask(cmd, http.MethodGet, "/debug/fork", nil, &list); err != nil {
				return err
			}
			return writeForks(cmd.OutOrStdout(), list.Forks)
		},
	}
	server.Flags(cmd.Flags(), remote.Usage)
	return cmd
}

func writeForks(out io.Writer, all []debug.Fork) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "FORK\tREVISION\tSERVER\tDATABASE")
	for _, f := range all {
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\n", f.ID, f.Revision, f.URL, f.File)
	}
	return w.Flush()
}

func newForkEnd() *cobra.Command {
	var server remote.Server
	cmd := &cobra.Command{
		Use:   "end FORK",
		Short: "Stop a fork by its number; its file stays",
		Args:  arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := strconv.Atoi(args[0]); err != nil {
				return cli.Misuse(fmt.Errorf("a fork has a number, not %q", args[0]))
			}
			var done map[string]int
			err := server.Ask(cmd, http.MethodDelete, "/debug/fork?id="+url.QueryEscape(args[0]), nil, &done)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "ended fork %s\n", args[0])
			}
			return err
		},
	}
	cmd.ValidArgsFunction = completeFork(&server)
	server.Flags(cmd.Flags(), remote.Usage)
	return cmd
}
