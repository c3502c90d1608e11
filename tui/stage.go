package tui

import (
	"kubarium/flow"
	"kubarium/tui/deletes"
	"kubarium/tui/objects"
	"kubarium/tui/page"
	"kubarium/tui/traffic"
	"kubarium/tui/versions"
)

// A stage is the pages with what they share: of the run as it goes on, or of a moment of it.
type stage struct {
	*page.Env
	pages map[page.ID]page.Page
	tied  map[page.Pane][]page.Binding // by pane, made on first use
	leave func()                       // ends what is asked for it; nil for the run as it goes on

	owed map[page.ID]bool // the pages that have not taken the flows of the moment yet
}

// fold takes what came. Commits are in Time already.
func (s *stage) fold(flows []*flow.Flow) {
	if n := len(flows); n > 0 {
		s.Seq = flows[n-1].Seq
	}
	s.Feed.Fold(flows)
	s.Walks.Fold(flows)
	s.Chains.CatchUp(s.Seq)
	s.Streams.Fold()
	for _, id := range s.screens() {
		s.pages[id].Fold(flows)
	}
}

// begin takes the flows of a moment for what is on the screen. The other pages can wait: payAll is for when the reader
// stays.
func (s *stage) begin() {
	flows, _ := s.Log.Since(0, 0)
	if n := len(flows); n > 0 {
		s.Seq = flows[n-1].Seq
	}
	s.Walks.Fold(flows)
	s.Streams.Fold()
	s.owed = map[page.ID]bool{}
	for _, id := range s.screens() {
		s.owed[id] = ofMoments(s.pages[id])
	}
	s.pay(page.Traffic) // which selects the request that all pages are about
	s.pay(s.Front)
}

// pay lets a page take the flows of the moment, if it has not.
func (s *stage) pay(id page.ID) {
	if !s.owed[id] {
		return
	}
	s.owed[id] = false
	flows, _ := s.Log.Since(0, 0)
	s.pages[id].Fold(flows)
	s.pages[id].Refilter()
}

// payAll lets all pages do so.
func (s *stage) payAll() {
	for _, id := range s.screens() {
		s.pay(id)
	}
}

// ofMoments reports whether a page can be of the past.
func ofMoments(p page.Page) bool {
	_, ok := p.(page.Traveller)
	return ok
}

// page is the page that is shown.
func (s *stage) page() page.Page { return s.pages[s.Front] }

// screens are those that can be shown, in the order of their keys.
func (s *stage) screens() []page.ID {
	var out []page.ID
	for id := page.Traffic; id <= page.Client; id++ {
		if s.pages[id] != nil {
			out = append(out, id)
		}
	}
	return out
}

func (s *stage) traffic() *traffic.Page { return s.pages[page.Traffic].(*traffic.Page) }

func (s *stage) versions() *versions.Page { return s.pages[page.Versions].(*versions.Page) }

func (s *stage) deletes() *deletes.Page { return s.pages[page.Deletes].(*deletes.Page) }

func (s *stage) objects() *objects.Page { return s.pages[page.Objects].(*objects.Page) }
