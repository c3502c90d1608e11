package app

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"kubarium/app/debug"
	"kubarium/app/program"
	"kubarium/app/remote"
)

func newSnapshot() *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "snapshot",
		Short: "Keep states of a running server, and go back to them",
		Long: `Keep states of a running server, and go back to them. A snapshot is a revision whose objects are kept, whatever is
compacted; saving one copies nothing. Snapshots are in the database, and survive a restart. The one named "start" is made at
each start, once the bootstrap objects are there.`,
	})
	cmd.AddCommand(newSnapshotSave(), newSnapshotRestore(), newSnapshotList(), newSnapshotDelete())
	return cmd
}

func newSnapshotSave() *cobra.Command {
	var server remote.Server
	var replace bool
	cmd := &cobra.Command{
		Use:   "save NAME",
		Short: "Keep the current state under a name",
		Args:  arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var saved debug.Snapshot
			err := server.Ask(cmd, http.MethodPost, "/debug/snapshots", map[string]any{"name": args[0], "replace": replace}, &saved)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "saved %s at revision %d\n", saved.Name, saved.Revision)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "replace a snapshot of that name")
	server.Flags(cmd.Flags(), remote.Usage)
	return cmd
}

// goingBack is what is said of a restore.
const goingBack = `Objects that differ get a new resourceVersion above all others; those that are the same keep theirs. All earlier revisions
are compacted: watches end with 410 Gone, and clients list again. Other requests are answered with the state before or after
it.`

func newSnapshotRestore() *cobra.Command {
	var server remote.Server
	cmd := &cobra.Command{
		Use:   "restore NAME",
		Short: "Go back to the state of a snapshot",
		Long:  "Go back to the state of a snapshot. " + goingBack,
		Args:  arguments(1, 1),
		RunE:  func(cmd *cobra.Command, args []string) error { return goBack(cmd, server, args[0]) },
	}
	cmd.ValidArgsFunction = completeSnapshot(&server)
	server.Flags(cmd.Flags(), remote.Usage)
	return cmd
}

func newReset() *cobra.Command {
	var server remote.Server
	cmd := &cobra.Command{
		Use:   "reset [NAME]",
		Short: "Go back to the state after the start, or of a snapshot",
		Long:  "Go back to the state after the start of the server, or of a snapshot. " + goingBack,
		Args:  arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := program.StartSnapshot
			if len(args) > 0 {
				name = args[0]
			}
			return goBack(cmd, server, name)
		},
	}
	cmd.ValidArgsFunction = completeSnapshot(&server)
	server.Flags(cmd.Flags(), remote.Usage)
	return cmd
}

func goBack(cmd *cobra.Command, server remote.Server, name string) error {
	var done debug.Restoration
	err := server.Ask(cmd, http.MethodPost, "/debug/restore", map[string]string{"snapshot": name}, &done)
	if err == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "back to %s: %d created, %d updated, %d deleted; now at revision %d\n",
			done.Snapshot, done.Created, done.Updated, done.Deleted, done.Revision)
	}
	return err
}

func newSnapshotList() *cobra.Command {
	var server remote.Server
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the snapshots, oldest first",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list debug.SnapshotList
			if err := server.Ask(cmd, http.MethodGet, "/debug/snapshots", nil, &list); err != nil {
				return err
			}
			return writeSnapshots(cmd.OutOrStdout(), list.Snapshots)
		},
	}
	server.Flags(cmd.Flags(), remote.Usage)
	return cmd
}

func writeSnapshots(out io.Writer, all []debug.Snapshot) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "NAME\tREVISION\tSAVED")
	for _, s := range all {
		fmt.Fprintf(w, "%s\t%d\t%s\n", s.Name, s.Revision, s.At.Local().Format(time.DateTime))
	}
	return w.Flush()
}

func newSnapshotDelete() *cobra.Command {
	var server remote.Server
	cmd := &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a snapshot",
		Args:  arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var done map[string]string
			err := server.Ask(cmd, http.MethodDelete, "/debug/snapshots?name="+url.QueryEscape(args[0]), nil, &done)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "deleted %s\n", args[0])
			}
			return err
		},
	}
	cmd.ValidArgsFunction = completeSnapshot(&server)
	server.Flags(cmd.Flags(), remote.Usage)
	return cmd
}
