package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"
)

func newCompact() *cobra.Command {
	var server remote
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "Make every revision up to now unreadable on a running server",
		Long: `Make every revision up to now unreadable on a running server, as a compaction of the history does. Lists at
older revisions and watches that are behind get 410 Gone; watches that are up to date live on.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := compact(cmd, server)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "compacted at revision %d\n", at)
			}
			return err
		},
	}
	server.flags(cmd.Flags(), "address of the running server (default "+plainServer+")")
	return cmd
}

func compact(cmd *cobra.Command, server remote) (int64, error) {
	client, address, err := server.dial(plainServer)
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(cmd.Context(), http.MethodPost, address+"/debug/compact", nil)
	if err != nil {
		return 0, usageError{err}
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("no server answers at %s: %w", address, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	var c compaction
	if resp.StatusCode != http.StatusOK || json.Unmarshal(body, &c) != nil {
		return 0, fmt.Errorf("%s answered %s: is it a Kubarium?", address, resp.Status)
	}
	return c.Revision, nil
}
