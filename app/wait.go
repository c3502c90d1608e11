package app

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/debug"
	"kubarium/app/remote"
)

func newWait() *cobra.Command {
	var server remote.Server
	var settled bool
	var rest, within time.Duration
	cmd := &cobra.Command{
		Use:   "wait --settled",
		Short: "Wait until a running server rests: controllers have done what there was to do",
		Long: `Wait until no request has come to a running server for a while (--for), none is under way and each watch has been sent what there
is for it. Reads of Kubarium's own, Events and Leases do not count; what its controllers and nodes write does.

It is a heuristic: a controller that waits for a timer, or computes for longer than --for, looks as one that rests. If the server does
not rest within --timeout, the exit code is 1, and the error says who keeps it busy.`,
		Example: "  kubectl apply -f shop.yaml && kubarium wait --settled && kubectl get all",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !settled {
				return cli.Misuse(errors.New("say what to wait for: --settled"))
			}
			var s debug.Settled
			query := url.Values{"for": {rest.String()}, "timeout": {within.String()}}
			if err := server.Ask(cmd, http.MethodGet, debug.SettledPath+"?"+query.Encode(), nil, &s); err != nil {
				return err
			}
			if s.Settled {
				fmt.Fprintf(cmd.OutOrStdout(), "settled: nothing happened for %s\n", rest)
				return nil
			}
			var who []string
			for _, b := range s.Busy[:min(3, len(s.Busy))] {
				who = append(who, b.String())
			}
			return fmt.Errorf("not settled after %s: %s", within, strings.Join(who, "; "))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&settled, "settled", false, "until the server rests")
	f.DurationVar(&rest, "for", time.Second, "how long nothing may happen")
	f.DurationVar(&within, "timeout", 30*time.Second, "how long to wait")
	server.Flags(f, remote.Usage)
	return cmd
}
