package apitest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// settleWithin is the time that Settle gives where ctx has none.
const settleWithin = 30 * time.Second

// Settle waits until the server rests: for a second no request has come, none is under way, and each watch has been
// sent what there is for it. A test that has changed something calls it in the place of a sleep or of a loop that asks
// again and again, and looks at what the controller made of it. If the server does not rest before ctx ends, or within 30
// seconds, the test fails, and the message says who keeps it busy.
//
// It is a heuristic: a controller that waits for a timer of its own, as a requeue after some seconds, looks as one that
// rests. Reads of Kubarium's own, Events and Leases do not count.
func (s *Server) Settle(ctx context.Context) {
	s.t.Helper()
	within := settleWithin
	if end, ok := ctx.Deadline(); ok {
		within = max(time.Millisecond, time.Until(end))
	}
	var answer struct {
		Settled bool
		Busy    []struct {
			Who, What string
			Count     int
		}
	}
	s.ask(http.MethodGet, "/debug/settled", url.Values{"timeout": {within.String()}}, nil, &answer)
	if answer.Settled {
		return
	}
	var who []string
	for _, b := range answer.Busy[:min(3, len(answer.Busy))] {
		who = append(who, fmt.Sprintf("%s: %s, %d times", b.Who, b.What, b.Count))
	}
	s.t.Fatalf("apitest: not settled after %s: %s", within.Round(time.Millisecond), strings.Join(who, "; "))
}
