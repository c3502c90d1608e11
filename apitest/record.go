package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Request is the record of one request: a line of /debug/flows; /debug/flows/schema describes all its members.
type Request struct {
	Seq      uint64        `json:"seq"`
	Phase    string        `json:"phase"` // request, watchOpened or watchClosed
	Start    time.Time     `json:"start"`
	Duration time.Duration `json:"duration"`
	Client   struct {
		Tag       string `json:"tag"` // short: "man1" for a program manager
		UserAgent string `json:"userAgent"`
		User      string `json:"user"`
	} `json:"client"`
	Method string `json:"method"`
	Path   string `json:"path"`
	Query  string `json:"query"`
	Target struct {
		Verb        string `json:"verb"` // get list watch create update patch apply delete deletecollection
		Group       string `json:"group"`
		Version     string `json:"version"`
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"target"`
	Status  int    `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// SentRevision is the resourceVersion in the request, Revision that in the answer.
	SentRevision int64 `json:"sentRevision"`
	Revision     int64 `json:"revision"`
	Watch        *struct {
		ID uint64 `json:"id"`
	} `json:"watch"` // nil for other requests
	// Effects are the changes of the request.
	Effects []json.RawMessage `json:"effects"`
	// JSON is the whole line, with headers, bodies, stations and SQL.
	JSON []byte `json:"-"`
}

// writes are the verbs of writes.
var writes = map[string]bool{"create": true, "update": true, "patch": true, "apply": true, "delete": true,
	"deletecollection": true}

// String returns the request in one line.
func (r Request) String() string {
	path := r.Path
	if r.Query != "" {
		path += "?" + r.Query
	}
	parts := []string{fmt.Sprintf("#%d", r.Seq), r.Start.Format("15:04:05.000"), r.Client.Tag, r.Method, path,
		fmt.Sprint(r.Status)}
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	parts = append(parts, r.Duration.Round(10*time.Microsecond).String())
	if r.Revision > 0 {
		parts = append(parts, fmt.Sprintf("resourceVersion %d", r.Revision))
	}
	switch {
	case r.Phase == "watchOpened":
		parts = append(parts, "begins to watch")
	case r.Phase == "watchClosed":
		parts = append(parts, "ends to watch")
	case writes[r.Target.Verb] && r.Status < 300 && len(r.Effects) == 0:
		parts = append(parts, "(changed nothing)")
	}
	return strings.Join(parts, "  ")
}

// Moment names the present: since:NAME in a filter matches later requests. "sync" is a good name for the moment when
// the caches of a controller have synced.
func (s *Server) Moment(name string) {
	s.t.Helper()
	s.ask(http.MethodPost, "/debug/flows/moments", url.Values{"name": {name}}, nil, &struct{ Name string }{})
}

// Requests returns the requests that match a filter and were answered before, in the order in which they ended. A watch
// is one of them from its beginning. The filter is that of Kubarium's screen: "verb:update sub:status",
// "code:409|code:5xx", "res:deployments.apps !who:k1". Kubarium's own requests are not included.
func (s *Server) Requests(filter string) []Request {
	s.t.Helper()
	all, err := s.requests(filter)
	if err != nil {
		s.t.Fatalf("apitest: %v", err)
	}
	return all
}

// page is how many requests are read at once.
const page = 10_000

func (s *Server) requests(filter string) (all []Request, err error) {
	after, err := s.begins(filter)
	if err != nil {
		return nil, err
	}
	for {
		query := url.Values{"filter": {filter}, "after": {fmt.Sprint(after)}, "limit": {fmt.Sprint(page)}}
		text, err := s.child.text(context.Background(), http.MethodGet, s.URL+"/debug/flows?"+query.Encode(), nil)
		if err != nil {
			return nil, err
		}
		got, err := readLines(text)
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
		if len(got) < page {
			return once(all), nil
		}
		after = got[len(got)-1].Seq
	}
}

// once removes the ends of watches whose beginning is included: a watch is one request.
func once(all []Request) []Request {
	begun := map[uint64]bool{}
	return slices.DeleteFunc(all, func(r Request) bool {
		if r.Phase == "watchOpened" {
			begun[r.Watch.ID] = true
		}
		return r.Phase == "watchClosed" && begun[r.Watch.ID]
	})
}

// sinceMoment finds the only moment at which a filter without alternatives begins.
var sinceMoment = regexp.MustCompile(`^[^|(!"]*\bsince:([A-Za-z][A-Za-z0-9-]*)(?:\s[^|(!"]*)?$`)

// begins returns the number of a request before which the filter matches none, so that earlier ones need not be held.
func (s *Server) begins(filter string) (uint64, error) {
	m := sinceMoment.FindStringSubmatch(filter)
	if m == nil {
		return 0, nil
	}
	var moments struct{ Moments map[string]uint64 }
	err := s.child.call(context.Background(), http.MethodGet, s.URL+"/debug/flows/moments", nil, &moments)
	return moments.Moments[strings.ToLower(m[1])], err
}

// readLines parses JSON Lines. If some are missing it is an error, since they cannot be counted.
func readLines(text []byte) (all []Request, err error) {
	for line := range bytes.Lines(text) {
		var r struct {
			Request
			Missed uint64 `json:"missed"`
			Upto   uint64 `json:"upto"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		if r.Missed > 0 {
			return nil, fmt.Errorf("%d requests are too long ago to be counted, up to #%d; ask sooner, or since a "+
				"moment", r.Missed, r.Upto)
		}
		r.JSON = bytes.TrimSpace(line)
		all = append(all, r.Request)
	}
	return all, nil
}

// AtMost fails the test if more than n requests match a filter, and prints them.
func (s *Server) AtMost(n int, filter string) {
	s.t.Helper()
	if all := s.Requests(filter); len(all) > n {
		s.t.Errorf("apitest: %s for %q, want at most %d:\n%s", counted(len(all)), filter, n, listed(all))
	}
}

// AtLeast fails the test if fewer than n requests match a filter, and prints them.
func (s *Server) AtLeast(n int, filter string) {
	s.t.Helper()
	if all := s.Requests(filter); len(all) < n {
		s.t.Errorf("apitest: %s for %q, want at least %d:\n%s", counted(len(all)), filter, n, listed(all))
	}
}

// None fails the test if any request matches a filter, and prints them.
func (s *Server) None(filter string) {
	s.t.Helper()
	if all := s.Requests(filter); len(all) > 0 {
		s.t.Errorf("apitest: %s for %q, want none:\n%s", counted(len(all)), filter, listed(all))
	}
}

func counted(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

// mostListed is how many requests are printed.
const mostListed = 50

func listed(all []Request) string {
	var b strings.Builder
	for i, r := range all {
		if i == mostListed {
			fmt.Fprintf(&b, "    and %d more\n", len(all)-i)
			break
		}
		fmt.Fprintf(&b, "    %s\n", r)
	}
	return b.String()
}
