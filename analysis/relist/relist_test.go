package relist_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/analysis/listing"
	"kubarium/analysis/relist"
	"kubarium/flow"
)

// A scene is a run of watches and lists, a second after each other.
type scene struct {
	log     *flow.Log
	at      time.Time
	watches []*flow.Watch
	lists   *listing.Log
	seq     uint64
}

func newScene() *scene {
	return &scene{log: flow.NewLog(flow.Limits{}), at: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
		lists: listing.NewLog()}
}

func (s *scene) watch(who, resource, query string) *flow.Watch {
	s.at = s.at.Add(time.Second)
	w := s.log.OpenWatch(flow.WatchInfo{Client: flow.Client{Tag: who},
		Target: flow.Target{Verb: "watch", Resource: resource}, Query: query, Opened: s.at, Start: 5})
	s.watches = append(s.watches, w)
	return w
}

func (s *scene) end(w *flow.Watch, cause string) {
	s.at = s.at.Add(time.Second)
	w.Close(s.at, cause)
}

func (s *scene) list(who, resource, query string, status int) {
	s.at = s.at.Add(time.Second)
	s.seq++
	s.lists.Fold([]*flow.Flow{{Seq: s.seq, Status: status, Start: s.at, Client: flow.Client{Tag: who},
		Path: "/" + resource, Query: query,
		Target: flow.Target{Verb: "list", Resource: resource}, Page: &flow.Page{Snapshot: 9}}})
}

// text says of each watch from which one it goes on, and by which list.
func text(rs relist.Relists) string {
	var out []string
	for id, r := range rs {
		s := fmt.Sprintf("%d→%d", r.Was.ID, id)
		if r.List != nil {
			s += fmt.Sprintf(" by #%d", r.List.Seq)
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// To each 410 belongs the next watch of the same client for the same objects, and its last list of them between the
// two.
func TestRelists_Find(t *testing.T) {
	const gone = "expired"
	for name, c := range map[string]struct {
		play func(s *scene)
		want string
	}{
		"list and watch": {func(s *scene) {
			s.end(s.watch("k1", "pods", ""), gone)
			s.list("k1", "pods", "limit=500", 200)
			s.watch("k1", "pods", "")
		}, "1→2 by #1"},
		"watch alone": {func(s *scene) {
			s.end(s.watch("k1", "pods", ""), gone)
			s.watch("k1", "pods", "sendInitialEvents=true")
		}, "1→2"},
		"list alone": {func(s *scene) { s.end(s.watch("k1", "pods", ""), gone); s.list("k1", "pods", "", 200) }, ""},
		"another end": {func(s *scene) {
			s.end(s.watch("k1", "pods", ""), "timeout")
			s.list("k1", "pods", "", 200)
			s.watch("k1", "pods", "")
		}, ""},
		"still open": {func(s *scene) { s.watch("k1", "pods", ""); s.list("k1", "pods", "", 200); s.watch("k1", "pods", "") },
			""},
		"another client": {func(s *scene) {
			s.end(s.watch("k1", "pods", ""), gone)
			s.list("k2", "pods", "", 200)
			s.watch("k2", "pods", "")
		}, ""},
		"another resource": {func(s *scene) {
			s.end(s.watch("k1", "pods", ""), gone)
			s.list("k1", "nodes", "", 200)
			s.watch("k1", "nodes", "")
		}, ""},
		"another selector": {func(s *scene) {
			s.end(s.watch("k1", "pods", "labelSelector=a"), gone)
			s.watch("k1", "pods", "labelSelector=b")
		}, ""},
		"the same selector": {func(s *scene) {
			s.end(s.watch("k1", "pods", "watch=1&labelSelector=a"), gone)
			s.list("k1", "pods", "", 200)
			s.list("k1", "pods", "labelSelector=a", 200)
			s.watch("k1", "pods", "labelSelector=a&watch=1")
		}, "1→2 by #2"},
		"refused list": {func(s *scene) {
			s.end(s.watch("k1", "pods", ""), gone)
			s.list("k1", "pods", "", 200)
			s.list("k1", "pods", "", 403)
			s.watch("k1", "pods", "")
		}, "1→2 by #1"},
		"list before": {func(s *scene) {
			w := s.watch("k1", "pods", "")
			s.list("k1", "pods", "", 200)
			s.end(w, gone)
			s.watch("k1", "pods", "")
		}, "1→2"},
		"list after": {func(s *scene) {
			s.end(s.watch("k1", "pods", ""), gone)
			s.watch("k1", "pods", "")
			s.list("k1", "pods", "", 200)
		}, "1→2"},
		"opened before":  {func(s *scene) { w := s.watch("k1", "pods", ""); s.watch("k1", "pods", ""); s.end(w, gone) }, ""},
		"at one instant": {func(s *scene) { w := s.watch("k1", "pods", ""); w.Close(s.at, gone) }, ""},
		"again and again": {func(s *scene) {
			s.end(s.watch("k1", "pods", ""), gone)
			s.end(s.watch("k1", "pods", ""), gone)
			s.list("k1", "pods", "", 200)
			s.watch("k1", "pods", "")
		}, "1→2, 2→3 by #1"},
		"two at once": {func(s *scene) {
			a, b := s.watch("k1", "pods", ""), s.watch("k1", "pods", "")
			s.end(a, gone)
			s.end(b, gone)
			s.list("k1", "pods", "", 200)
			s.watch("k1", "pods", "")
			s.watch("k1", "pods", "")
		}, "1→3 by #1, 2→4 by #1"},
		"two clients": {func(s *scene) {
			a, b := s.watch("k1", "pods", ""), s.watch("k2", "pods", "")
			s.end(a, gone)
			s.end(b, gone)
			s.list("k2", "pods", "", 200)
			s.list("k1", "pods", "", 200)
			s.watch("k2", "pods", "")
			s.watch("k1", "pods", "")
		}, "1→4 by #2, 2→3 by #1"},
	} {
		s := newScene()
		c.play(s)
		rs := relist.Relists{}
		for range 2 { // what is known stays as it is
			rs.Find(s.watches, s.lists, 7)
			if got := text(rs); got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		}
		for id, r := range rs {
			if rs.Joined()[r.Was] != id || r.Compacted != 7 {
				t.Errorf("%s: %d is joined to %d", name, r.Was.ID, rs.Joined()[r.Was])
			}
		}
	}
}

// Found piece by piece it is the same, and it goes when its new watch goes.
func TestRelists_Find_later(t *testing.T) {
	s, rs := newScene(), relist.Relists{}
	a := s.watch("k1", "pods", "")
	rs.Find(s.watches, s.lists, 0)
	s.end(a, "expired")
	rs.Find(s.watches, s.lists, 0)
	s.list("k1", "pods", "", 200)
	if f := relist.ListedAfter(a, s.lists, time.Time{}); f == nil || f.Seq != 1 || len(rs) != 0 {
		t.Errorf("%+v", f)
	}
	b := s.watch("k1", "pods", "")
	rs.Find(s.watches, s.lists, 0)
	if got := text(rs); got != "1→2 by #1" {
		t.Error(got)
	}
	rs.Find([]*flow.Watch{b}, s.lists, 0)
	if len(rs) != 1 {
		t.Error("it went with the old watch")
	}
	rs.Find([]*flow.Watch{a}, s.lists, 0)
	if len(rs) != 0 {
		t.Error("it stayed without the new one")
	}
}
