package shown

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"kubarium/flow"
	"kubarium/scenarios"
	"kubarium/scenarios/play"
)

// needs is what lessons need of a server. A need that is met is not asked for again.
type needs struct {
	client *http.Client
	server string

	mu  sync.Mutex
	met map[string]bool // by what lessons need
}

func newNeeds(client *http.Client, server string) *needs {
	asker := http.Client{}
	if client != nil {
		asker = *client
	}
	if asker.Transport == nil {
		asker.Transport = http.DefaultTransport
	}
	asker.Transport = ofScreen{asker.Transport}
	return &needs{client: &asker, server: server, met: map[string]bool{}}
}

// lacks returns what the server lacks for a lesson; "" for nothing.
func (n *needs) lacks(ctx context.Context, l *scenarios.Lesson) (string, error) {
	key := fmt.Sprint(l.Needs, len(l.Servers) > 0)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.met[key] {
		return "", nil
	}
	what, err := play.New(l, n.server, play.Options{Client: n.client}).Lacks(ctx)
	n.met[key] = what == "" && err == nil
	return what, err
}

// An ofScreen sends requests as the screen's own, which Traffic hides.
type ofScreen struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t ofScreen) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", flow.UIAgent)
	return t.RoundTripper.RoundTrip(r)
}
