package har

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kubarium/flow"
)

// pages are the clients; each is a page of the archive.
type pages struct {
	byClient map[string]*page
	order    []*page
}

// of returns the page of the client that sent a request.
func (p *pages) of(f *flow.Flow) string {
	key := f.Client.Tag + "\x00" + f.Client.UserAgent
	found := p.byClient[key]
	if found == nil {
		if p.byClient == nil {
			p.byClient = map[string]*page{}
		}
		title := cmp.Or(strings.TrimSpace(f.Client.Tag+" "+f.Client.UserAgent), "no User-Agent")
		found = &page{
			Started: f.Start, ID: fmt.Sprintf("client_%d", len(p.order)+1), Title: title, Timings: pageTimings{-1, -1},
		}
		p.byClient[key] = found
		p.order = append(p.order, found)
	}
	if f.Start.Before(found.Started) {
		found.Started = f.Start
	}
	return found.ID
}

// all returns the pages in the order in which their clients began.
func (p *pages) all() []*page {
	out := append([]*page{}, p.order...)
	slices.SortStableFunc(out, func(a, b *page) int { return a.Started.Compare(b.Started) })
	for _, pg := range out {
		pg.Start = pg.Started.Format(isoTime)
	}
	return out
}
