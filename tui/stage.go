package tui

import (
	"kubarium/server/flow"
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
}

// fold takes what came. What was committed is in Time already.
func (s *stage) fold(flows []*flow.Flow) {
	if n := len(flows); n > 0 {
		s.Seq = flows[n-1].Seq
	}
	s.Feed.Fold(flows)
	s.Walks.Fold(flows)
	s.Streams.Fold()
	for _, id := range s.screens() {
		if p := s.pages[id]; s.Moment == nil || ofMoments(p) {
			p.Fold(flows)
		}
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
	for id := page.Traffic; id <= page.Compare; id++ {
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
