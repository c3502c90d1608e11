package app

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/debug"
	"kubarium/app/remote"
)

// longestCompletion bounds how long a completion waits for a server.
const longestCompletion = 300 * time.Millisecond

// quickly asks the server for what is offered; false if it does not say so in time.
func quickly(r *remote.Server, cmd *cobra.Command, path string, into any) bool {
	if cli.ReadEnvironment(cmd.Flags()) != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), longestCompletion)
	defer cancel()
	cmd.SetContext(ctx)
	return r.Ask(cmd, http.MethodGet, path, nil, into) == nil
}

// completeSnapshot offers the snapshots of the running server for one argument or a flag.
func completeSnapshot(r *remote.Server) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var list debug.SnapshotList
		if len(args) > 0 || !quickly(r, cmd, "/debug/snapshots", &list) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var all []cobra.Completion
		for _, s := range list.Snapshots {
			all = append(all, cobra.CompletionWithDesc(s.Name, fmt.Sprintf("revision %d, %s", s.Revision, s.At.Local().Format(time.DateTime))))
		}
		return begun(all, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFork offers the forks of the running server.
func completeFork(r *remote.Server) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var list debug.ForkList
		if len(args) > 0 || !quickly(r, cmd, "/debug/fork", &list) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var all []cobra.Completion
		for _, f := range list.Forks {
			all = append(all, cobra.CompletionWithDesc(strconv.Itoa(f.ID), f.URL+" "+filepath.Base(f.File)))
		}
		return begun(all, typed), cobra.ShellCompDirectiveNoFileComp
	}
}
