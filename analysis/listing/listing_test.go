package listing_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"kubarium/analysis/listing"
	"kubarium/flow"
)

// token is a continue token that begins after a name of a snapshot.
func token(rv int64, start string) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"rv":%d,"start":"%s\u0000"}`, rv, start))
}

var seq uint64

// list is a request of a client for a page of pods at revision 5.
func list(who, query string, p flow.Page) *flow.Flow {
	seq++
	if p.Token != "" {
		query += "&continue=" + url.QueryEscape(p.Token)
	}
	if p.Snapshot == 0 {
		p.Snapshot = 5
	}
	f := &flow.Flow{Seq: seq, Status: 200, Path: "/api/v1/pods", Query: query, Client: flow.Client{Tag: who},
		Target: flow.Target{Verb: "list", Resource: "pods"}, Page: &p}
	if p.Expired {
		f.Status, f.Page.Snapshot, f.Page.Items = 410, 0, 0
	}
	return f
}

// text says of each walk who read how much of it, and how far it has come.
func text(l *listing.Log, compacted int64) string {
	out := ""
	for _, w := range l.All {
		standing := []string{"complete", "inconsistent", "unfinished", "outdated", "expired",
			"refused"}[w.Standing(compacted)]
		out += fmt.Sprintf("%s %d/%d %s; ", w.First().Flow.Client.Tag, w.Items(), w.Pages(), standing)
	}
	return out
}

// The pages of a walk are put together by their tokens, each client's to its own walk, and every walk knows how far it
// is.
func TestLog_Fold(t *testing.T) {
	a, b := token(5, "a"), token(5, "b")
	more := func(tok, next string) flow.Page { return flow.Page{Items: 2, Limit: 2, Token: tok, Next: next} }
	refused := list("k1", "limit=2", more(a, ""))
	refused.Status, refused.Page.Items = 403, 0
	for name, c := range map[string]struct {
		flows     []*flow.Flow
		compacted int64
		want      string
	}{
		"in one piece": {[]*flow.Flow{list("k1", "", flow.Page{Items: 7})}, 0, "k1 7/1 complete; "},
		"three pages": {[]*flow.Flow{list("k1", "limit=2", more("", a)), list("k1", "limit=2", more(a, b)),
			list("k1", "limit=2", more(b, ""))}, 0, "k1 6/3 complete; "},
		"unfinished": {[]*flow.Flow{list("k1", "limit=2", more("", a))}, 5, "k1 2/1 unfinished; "},
		"outdated":   {[]*flow.Flow{list("k1", "limit=2", more("", a))}, 6, "k1 2/1 outdated; "},
		"two clients": {[]*flow.Flow{list("k1", "limit=2", more("", a)), list("k2", "limit=2", more("", a)),
			list("k1", "limit=2", more(a, b)), list("k2", "limit=2", more(a, ""))}, 0, "k1 4/2 unfinished; k2 4/2 complete; "},
		"two selectors": {[]*flow.Flow{list("k1", "labelSelector=x", more("", a)),
			list("k1", "labelSelector=y", more("", a)), list("k1", "labelSelector=x", more(a, ""))}, 0,
			"k1 4/2 complete; k1 2/1 unfinished; "},
		"another client": {[]*flow.Flow{list("k1", "limit=2", more("", a)), list("k2", "limit=2", more(a, ""))}, 0,
			"k1 4/2 complete; "},
		"without its own": {[]*flow.Flow{list("k1", "labelSelector=x&limit=2", more("", a)), list("k1", "", more(a, ""))}, 0,
			"k1 4/2 complete; "},
		"beginning gone": {[]*flow.Flow{list("k1", "limit=2", more(a, ""))}, 0, "k1 2/1 complete; "},
		"again": {[]*flow.Flow{list("k1", "limit=2", more("", a)), list("k1", "limit=2", more(a, "")),
			list("k1", "limit=2", more(a, ""))}, 0, "k1 4/2 complete; k1 2/1 complete; "},
		"refused": {[]*flow.Flow{list("k1", "limit=2", more("", a)), refused}, 0, "k1 2/1 refused; "},
		"expired": {[]*flow.Flow{list("k1", "limit=2", more("", a)),
			list("k1", "limit=2", flow.Page{Token: a, Next: token(-1, "a"), Expired: true})}, 9,
			"k1 2/1 expired; "},
		"inconsistent": {[]*flow.Flow{list("k1", "limit=2", more("", a)),
			list("k1", "limit=2", flow.Page{Token: a, Next: token(-1, "a"), Expired: true}),
			list("k1", "limit=2", flow.Page{Items: 3, Token: token(-1, "a"), Snapshot: 20})}, 9, "k1 5/2 inconsistent; "},
		"other requests": {[]*flow.Flow{{Target: flow.Target{Verb: "get"}}, {Target: flow.Target{Verb: "list"}},
			{Target: flow.Target{Verb: "watch"}, Page: &flow.Page{}}}, 0, ""},
	} {
		l := listing.NewLog()
		for _, f := range c.flows { // one by one, as they come
			l.Fold([]*flow.Flow{f})
		}
		if got := text(l, c.compacted); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A walk of very many pages holds the first and the newest of them, and still counts all.
func TestLog_bounds(t *testing.T) {
	l := listing.NewLog()
	const pages = 2500
	for i := range pages {
		p := flow.Page{Items: 1, Limit: 1, Next: token(5, fmt.Sprint(i))}
		if i > 0 {
			p.Token = token(5, fmt.Sprint(i-1))
		}
		l.Fold([]*flow.Flow{list("k1", "limit=1", p)})
	}
	w := l.All[0]
	if len(l.All) != 1 || w.Items() != pages || w.Pages() != pages || len(w.Chunks) > 1000 || w.First().Token != "" ||
		w.Last().Next != token(5, fmt.Sprint(pages-1)) {
		t.Errorf("%d walks, %d items, %d pages, %d chunks", len(l.All), w.Items(), w.Pages(), len(w.Chunks))
	}
	for range listing.MaxWalks {
		l.Fold([]*flow.Flow{list("k2", "", flow.Page{Items: 1})})
	}
	l.Fold([]*flow.Flow{list("k1", "limit=1", flow.Page{Items: 1, Token: token(5, fmt.Sprint(pages-1))})})
	if len(l.All) != listing.MaxWalks || l.All[listing.MaxWalks-1].Pages() != 1 {
		t.Error("a walk that was let go of goes on")
	}
}

// A chunk has what its answer was, without the bodies.
func TestChunk(t *testing.T) {
	f := list("k1", "", flow.Page{Items: 1})
	f.ResponseHeader = http.Header{"Content-Type": {"application/json;as=Table;v=v1;g=meta.k8s.io"},
		"Content-Encoding": {"gzip"}}
	f.ResponseBody = flow.Body{Kept: []byte("{}"), Total: 99}
	l := listing.NewLog()
	l.Fold([]*flow.Flow{f})
	if c := l.All[0].First(); c.Form != "json Table gzip" || c.Bytes != 99 || c.Flow.ResponseBody.Kept != nil ||
		f.ResponseBody.Kept == nil || l.All[0].Chunked() {
		t.Errorf("%+v", c)
	}
}

func TestReadToken(t *testing.T) {
	if got, ok := listing.ReadToken(token(7, "a/b")); !ok || got.Revision != 7 || got.Start != "a/b" {
		t.Errorf("%+v %v", got, ok)
	}
	for _, s := range []string{"%", "eyJ", base64.RawURLEncoding.EncodeToString([]byte(`[1]`)), ""} {
		if got, ok := listing.ReadToken(s); ok {
			t.Errorf("%q: %+v", s, got)
		}
	}
}

func FuzzReadToken(f *testing.F) {
	f.Add(token(5, "a"))
	f.Add(token(-1, ""))
	f.Add("e30")
	f.Fuzz(func(t *testing.T, s string) {
		if _, ok := listing.ReadToken(s); ok {
			if _, err := base64.RawURLEncoding.DecodeString(s); err != nil {
				t.Errorf("%q is read: %v", s, err)
			}
		}
	})
}

// A report asks for the lists that no client finished.
func ExampleLog() {
	log := listing.NewLog()
	log.Fold([]*flow.Flow{list("controller", "limit=500",
		flow.Page{Items: 500, Limit: 500, Next: token(5, "m"), Remaining: 20})})
	for _, w := range log.All {
		if w.Standing(0) == listing.Unfinished {
			fmt.Printf("%s read %d, %d are left\n", w.Last().Flow.Client.Tag, w.Items(), w.Last().Remaining)
		}
	}
	// Output: controller read 500, 20 are left
}
