package app

import (
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"kubarium/app/debug"
	"kubarium/app/remote"
)

func newCompact() *cobra.Command {
	var server remote.Server
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "Make every revision up to now unreadable on a running server",
		Long: `Make every revision up to now unreadable on a running server, as a compaction of the history does. Lists at
older revisions and watches that lag get 410 Gone; watches that are up to date continue.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var c debug.Compaction
			err := server.Ask(cmd, http.MethodPost, "/debug/compact", nil, &c)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "compacted at revision %d\n", c.Revision)
			}
			return err
		},
	}
	server.Flags(cmd.Flags(), remote.Usage)
	return cmd
}
