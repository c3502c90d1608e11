package app

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/home"
	"kubarium/app/running"
)

func newServers() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "servers",
		Short: "List the running servers of this user",
		Long: `List the running servers of this user on this machine, oldest first: those of "kubarium" and "kubarium serve", forks, and those
that tests have started in the place of kube-apiserver. Their addresses can be given to --server of other commands, and to "kubarium attach".`,
		Args: noArguments,

		SuggestFor: []string{"list", "ps", "running"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := running.List(home.Running())
			if format == "json" {
				return writeServersJSON(cmd.OutOrStdout(), all)
			}
			return writeServers(cmd.OutOrStdout(), all)
		},
	}
	cmd.Flags().Var(cli.NewChoice(&format, "table", "table", "json"), "format", "table or json")
	return cmd
}

// noServers is said where none runs.
const noServers = `no server is running; "kubarium" or "kubarium serve" starts one`

func writeServers(out io.Writer, all []running.Server) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(out, noServers)
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "SERVER\tSTARTED AS\tDATABASE\tSINCE\tPID")
	for _, s := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\n", s.URL, startedAs(s), s.DB, s.Since.Local().Format(time.DateTime), s.Process.PID)
	}
	return w.Flush()
}

// startedAs says what a server is, and who started it.
func startedAs(s running.Server) string {
	if s.By == "" {
		return s.What
	}
	return fmt.Sprintf("%s by %s", s.What, s.By)
}

// A serverRow is a running server in --format json, without its credentials.
type serverRow struct {
	URL     string    `json:"url"`
	Secure  string    `json:"secure,omitempty"`
	What    string    `json:"startedAs"` // serve, ui, envtest, apitest or fork
	By      string    `json:"startedBy,omitempty"`
	DB      string    `json:"database"`
	Since   time.Time `json:"since"`
	PID     int       `json:"pid"`
	Version string    `json:"version"`
}

func writeServersJSON(out io.Writer, all []running.Server) error {
	rows := make([]serverRow, len(all))
	for i, s := range all {
		rows[i] = serverRow{URL: s.URL, Secure: s.Secure, What: s.What, By: s.By, DB: s.DB, Since: s.Since, PID: s.Process.PID, Version: s.Version}
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(rows)
}

// completeServers offers the addresses of running servers for one argument.
func completeServers(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeServerFlag(nil, nil, typed)
}

// completeServerFlag offers them for --server.
func completeServerFlag(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var offered []cobra.Completion
	for _, s := range running.List(home.Running()) {
		offered = append(offered, cobra.CompletionWithDesc(s.URL, startedAs(s)+", "+filepath.Base(s.DB)))
	}
	return begun(offered, typed), cobra.ShellCompDirectiveNoFileComp
}
