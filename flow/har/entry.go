package har

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"kubarium/flow"
)

// isoTime is ISO 8601 with milliseconds and the time zone, as HAR requires it.
const isoTime = "2006-01-02T15:04:05.000Z07:00"

func (a *archive) entryOf(f *flow.Flow) entry {
	t, whole := timingsOf(f)
	e := entry{
		Page: a.pages.of(f), Started: f.Start.Format(isoTime), Time: whole, Timings: t,
		Request: a.requestOf(f), Response: responseOf(f),
		ServerAddress: a.address, Comment: commentOn(f), Kubarium: kubariumOf(f),
	}
	if _, port, err := net.SplitHostPort(f.Client.Remote); err == nil {
		e.Connection = port
	}
	return e
}

// callOf is the entry of a call that the server made for a request; its client is the server.
func (a *archive) callOf(f *flow.Flow, c *flow.Call) entry {
	to := &archive{base: &url.URL{}, pages: a.pages}
	if u, err := url.Parse(c.Host); err == nil {
		to.base = u
	}
	e := to.entryOf(c.Flow)
	a.pages = to.pages
	e.Comment = fmt.Sprintf("%s %s, called for request %d", c.Kind, c.Name, f.Seq)
	if c.Flow.Message != "" {
		e.Comment += "; " + c.Flow.Message
	}
	if c.Shared {
		e.Comment += "; its bodies are those of that request"
	}
	call := &called{Kind: c.Kind, Name: c.Name, By: c.By, Station: c.Station}
	e.Kubarium = kubarium{Seq: f.Seq, Verb: f.Target.Verb, Call: call}
	return e
}

func (a *archive) requestOf(f *flow.Flow) request {
	r := request{
		Method: f.Method, URL: a.urlOf(f), Version: f.Proto,
		Headers: pairsOf(f.RequestHeader), Query: queryOf(f.Query), Post: postOf(f),
		Cookies: []cookie{}, HeadersSize: -1, BodySize: f.RequestBody.Total,
	}
	for _, c := range (&http.Request{Header: f.RequestHeader}).Cookies() {
		r.Cookies = append(r.Cookies, cookie{Name: c.Name, Value: c.Value})
	}
	return r
}

// urlOf is the whole address. The query stays as it was sent, except for bytes that are not valid in an address.
func (a *archive) urlOf(f *flow.Flow) string {
	path := (&url.URL{Path: f.Path}).EscapedPath()
	if f.Query == "" {
		return a.base.String() + path
	}
	return a.base.String() + path + "?" + escapeQuery(f.Query)
}

func escapeQuery(q string) string {
	var b strings.Builder
	for i := range len(q) {
		if c := q[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}#", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// queryOf returns the parameters in their order; one that does not decode stays as it was sent.
func queryOf(q string) []pair {
	out := []pair{}
	for part := range strings.SplitSeq(q, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		out = append(out, pair{unescaped(name), unescaped(value)})
	}
	return out
}

func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// pairsOf returns headers sorted by name; their order on the wire is not known.
func pairsOf(h http.Header) []pair {
	out := []pair{}
	for name, values := range h {
		for _, v := range values {
			out = append(out, pair{name, v})
		}
	}
	slices.SortStableFunc(out, func(a, b pair) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// commentOn says what is special about a request.
func commentOn(f *flow.Flow) string {
	var said []string
	if f.Status == 0 {
		said = append(said, "the client went away before there was an answer")
	}
	if f.Panic != "" {
		said = append(said, "the server panicked")
	}
	if w := f.Watch; w != nil {
		s := w.State()
		what := fmt.Sprintf("a watch with %d events and %d bookmarks", s.Sent, s.Bookmarks)
		if f.Phase == flow.WatchOpened {
			what += " so far; it had not ended when this was written"
		} else if s.Cause != "" {
			what += "; its end: " + s.Cause
		}
		said = append(said, what)
	}
	return strings.Join(append(said, f.Notes...), "; ")
}

func kubariumOf(f *flow.Flow) kubarium {
	t := f.Target
	k := kubarium{
		Seq: f.Seq, Verb: t.Verb, Resource: t.Resource, User: f.Client.User,
		Identity: f.Identity, Rights: f.Rights, Plugins: f.Plugins, Chain: f.Chain,
	}
	if t.Group != "" {
		k.Resource += "." + t.Group
	}
	if t.Subresource != "" {
		k.Resource += "/" + t.Subresource
	}
	for _, e := range f.Effects {
		k.Revisions = append(k.Revisions, e.Commit.Revision)
	}
	k.Faults = f.Faults
	if f.Watch != nil {
		k.Faults = append(k.Faults[:len(k.Faults):len(k.Faults)], f.Watch.State().Faults...)
	}
	return k
}

// timingsOf makes HAR's phases out of stations, and returns their sum.
func timingsOf(f *flow.Flow) (t timings, whole float64) {
	wait, all := f.Duration, f.Duration
	switch {
	case f.Watch != nil && f.Phase == flow.WatchOpened:
		if frames := f.Watch.Frames(); len(frames) > 0 {
			all = max(wait, frames[len(frames)-1].Written.Sub(f.Start))
		}
	case f.Watch != nil:
		wait = min(max(0, f.Watch.Opened.Sub(f.Start)), all)
	default:
		if i := slices.IndexFunc(f.Stations, func(s flow.Station) bool { return s.Name == "respond" }); i >= 0 {
			wait = min(f.Stations[i].Start, all)
		}
	}
	t = timings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1, Wait: milliseconds(wait), Receive: milliseconds(all - wait)}
	return t, milliseconds(wait.Truncate(time.Microsecond) + (all - wait).Truncate(time.Microsecond))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
