package apitest

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Faults adds rules of Kubarium's gate, which do something to requests: refuse, delay, hold, cut, lose, coalesce, lag. A
// rule is a line; its filter is that of Requests. It acts on requests that come later, in addition to earlier rules. The
// second update of a status is answered with a conflict by
//
//	undo := s.Faults("refuse 409 after 1 once on verb:update sub:status res:greetings")
//
// The requests that rules touched match the filter "fault:yes". undo removes these rules, and lets go what they hold;
// without it they last as long as the server. A rule that is not valid fails the test, and none is added.
func (s *Server) Faults(rules ...string) (undo func()) {
	s.t.Helper()
	var gate struct{ Added []int }
	text := strings.Join(rules, "\n")
	if err := s.child.callText(context.Background(), http.MethodPost, s.URL+gatePath, text, &gate); err != nil {
		s.t.Fatalf("apitest: faults: %v", err)
	}
	return sync.OnceFunc(func() {
		s.t.Helper()
		var left struct {
			Held []struct {
				ID   uint64
				Rule int
			}
		}
		for _, id := range gate.Added {
			s.ask(http.MethodDelete, gatePath, url.Values{"id": {strconv.Itoa(id)}}, nil, &left)
		}
		for _, h := range left.Held {
			if slices.Contains(gate.Added, h.Rule) { // it may end by itself
				query := url.Values{"id": {strconv.FormatUint(h.ID, 10)}, "do": {"go"}}
				_ = s.child.call(context.Background(), http.MethodPost, s.URL+"/debug/held?"+query.Encode(), nil, nil)
			}
		}
	})
}

const gatePath = "/debug/gate"
