package clients_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"kubarium/analysis/clients"
	"kubarium/flow"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// A story is a run that is built flow by flow.
type story struct {
	t       *testing.T
	r       *clients.Reader
	now     time.Time
	seq     uint64
	rv      int64
	watches []*flow.Watch
}

func newStory(t *testing.T) *story {
	s := &story{t: t, now: noon, rv: 100}
	s.r = clients.NewReader(func() []*flow.Watch { return s.watches })
	return s
}

// after lets time pass.
func (s *story) after(d time.Duration) *story {
	s.now = s.now.Add(d)
	return s
}

// client is a controller by its tag, or a run of kubectl if the tag begins with k.
func client(tag string) flow.Client {
	if strings.HasPrefix(tag, "k") {
		return flow.Client{Tag: tag, UserAgent: "kubectl/v1.37.0", Session: tag, Command: "kubectl apply"}
	}
	return flow.Client{Tag: tag, UserAgent: tag + "/v1", Remote: "127.0.0.1:5", User: "admin"}
}

// target reads "update sites.example.com/status shop/a": verb, resource with subresource, namespace and name.
func target(words string) flow.Target {
	f := strings.Fields(words)
	t := flow.Target{Verb: f[0]}
	resource, sub, _ := strings.Cut(f[1], "/")
	t.Subresource = sub
	t.Resource, t.Group, _ = strings.Cut(resource, ".")
	if len(f) > 2 {
		t.Namespace, t.Name, _ = strings.Cut(f[2], "/")
	}
	return t
}

// send adds a request that took 1 ms, changed as edit says.
func (s *story) send(tag, words string, status int, edit ...func(*flow.Flow)) *flow.Flow {
	s.seq++
	f := &flow.Flow{Seq: s.seq, Start: s.now, Duration: time.Millisecond, Client: client(tag),
		Target: target(words), Status: status}
	for _, e := range edit {
		e(f)
	}
	s.r.Add(f)
	s.now = s.now.Add(time.Millisecond)
	return f
}

// write is an accepted write that leaves this object.
func (s *story) write(tag, words, before, after string) *flow.Flow {
	return s.send(tag, words, 200, func(f *flow.Flow) {
		s.rv++
		resource := f.Target.Resource
		if f.Target.Group != "" {
			resource += "." + f.Target.Group
		}
		c := flow.Commit{Revision: s.rv, Type: flow.Updated, Resource: resource, Namespace: f.Target.Namespace,
			Name: f.Target.Name, At: s.now}
		e := flow.Effect{Commit: c, Before: flow.Bytes(before), After: flow.Bytes(after)}
		switch {
		case before == "":
			e.Commit.Type, e.Before = flow.Created, nil
			f.Target.Name = ""
		case after == "":
			e.Commit.Type, e.After = flow.Deleted, nil
		}
		f.Effects, f.Revision = []flow.Effect{e}, s.rv
	})
}

// stale makes a 409 of an old resourceVersion.
func stale(sent, stored int64) func(*flow.Flow) {
	return func(f *flow.Flow) {
		f.Reason, f.Conflict = "Conflict", &flow.Conflict{Kind: flow.StaleRevision, Sent: sent, Stored: stored}
	}
}

func retryIn(seconds int) func(*flow.Flow) {
	return func(f *flow.Flow) {
		f.Reason, f.ResponseHeader = "TooManyRequests", http.Header{"Retry-After": {fmt.Sprint(seconds)}}
	}
}

// watch opens a watch.
func (s *story) watch(tag, words, query string) *flow.Watch {
	w := flow.ToldWatch(flow.WatchInfo{ID: uint64(len(s.watches) + 1), Client: client(tag),
		Target: target("watch " + words),
		Query:  query, Opened: s.now, Start: s.rv})
	s.watches = append(s.watches, w)
	s.send(tag, "watch "+words, 200, func(f *flow.Flow) { f.Phase, f.Watch, f.Query = flow.WatchOpened, w, query })
	return w
}

// event is sent to a watch.
func (s *story) event(w *flow.Watch, name string) {
	w.Wrote(flow.Frame{Type: "MODIFIED", Revision: s.rv, Namespace: "shop", Name: name, Written: s.now})
	w.Reached(s.rv, 0)
}

// end ends a watch.
func (s *story) end(w *flow.Watch, cause string) {
	w.Close(s.now, cause)
	s.send(w.Client.Tag, "watch x", 200, func(f *flow.Flow) {
		f.Start, f.Duration, f.Target, f.Query = w.Opened, s.now.Sub(w.Opened), w.Target, w.Query
		f.Phase, f.Watch, f.Message = flow.WatchClosed, w, cause
	})
}

func (s *story) of(tag string) *clients.Client {
	s.t.Helper()
	c := s.r.Of(tag, s.now)
	if c == nil {
		s.t.Fatalf("nothing is known of %s", tag)
	}
	return c
}

// text is a Wait in one line.
func text(w clients.Wait) string {
	s := string(w.Kind) + ": " + w.What
	if w.Why != "" {
		s += " — " + w.Why
	}
	return s
}

func obj(rest string) string {
	return `{"apiVersion":"v1","metadata":{"name":"a","namespace":"shop","uid":"u1"` + rest + `}}`
}
