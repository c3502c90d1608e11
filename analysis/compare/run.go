package compare

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"kubarium/flow"
)

// An item is a request of a run.
type item struct {
	flow  *flow.Flow
	at    time.Duration // since the run's start
	index int           // among its client's

	// Numbers that are equal for what is equal, of what was asked without the body, of the body, of the answer, and of the
	// user.
	key, body, outcome, user uint64
	// token is equal for requests that are the same but for their answers; for reads it has the answer in it, since there
	// is no body.
	token uint64
	cut   bool // the body is not known as a whole
}

// A run is the requests of one, oldest first, and its clients.
type run struct {
	items   []*item
	clients []*client // in the order of their first requests
}

// A client is one of a run.
type client struct {
	agent string // the User-Agent without what differs between runs
	items []*item
}

// newRun takes the flows that are to be compared.
func newRun(flows []*flow.Flow, o Options) *run {
	opened := map[uint64]bool{}
	for _, f := range flows {
		if f.Phase == flow.WatchOpened && f.Watch != nil {
			opened[f.Watch.ID] = true
		}
	}
	store := make([]item, 0, len(flows))
	for _, f := range flows {
		own := f.Client.Own() || strings.HasPrefix(f.Path, "/debug/")
		end := f.Phase == flow.WatchClosed && f.Watch != nil && opened[f.Watch.ID]
		if !end && (o.Own || !own) {
			store = append(store, item{flow: f})
		}
	}
	r := &run{items: make([]*item, len(store))}
	for i := range store {
		r.items[i] = &store[i]
	}
	slices.SortStableFunc(r.items, func(a, b *item) int { return a.flow.Start.Compare(b.flow.Start) })
	byTag := map[string]*client{}
	for _, it := range r.items {
		it.at = it.flow.Start.Sub(r.items[0].flow.Start)
		c := &it.flow.Client
		tag := cmp.Or(c.Tag, c.UserAgent)
		of := byTag[tag]
		if of == nil {
			of = &client{agent: agentOf(c.UserAgent)}
			byTag[tag] = of
			r.clients = append(r.clients, of)
		}
		it.index = len(of.items)
		of.items = append(of.items, it)
	}
	return r
}

// isRead reports whether a request changes nothing.
func isRead(f *flow.Flow) bool {
	switch f.Target.Verb {
	case "get", "list", "watch", "head":
		return true
	}
	return f.Method == "GET" || f.Method == "HEAD"
}

// failed reports whether a request got an error, or no answer.
func failed(f *flow.Flow) bool { return f.Status == 0 || f.Status >= 400 }

// forTheTimeBeing reports whether a status asks the client to try again later; 0 means that there was no answer.
func forTheTimeBeing(status int) bool {
	switch status {
	case 0, 429, 503, 504:
		return true
	}
	return false
}
