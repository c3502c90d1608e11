package deletes

import (
	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/page"
)

// Recall reads the objects back that are terminating since before the UI began.
func (d *Page) Recall(log flow.ChangeLog) {
	going := log.Changes
	if len(going) == 0 {
		return
	}
	a := d.Env.API
	masks := map[string]func([]byte) []byte{}
	for _, c := range going {
		masks[c.Resource] = d.Env.MaskerOf(c.Resource)
	}
	d.Env.Do(page.Work{Run: func() func() {
		found := make([]*client.Change, len(going))
		for i, c := range going {
			found[i] = client.ReadChange(a, c.Revision, label.Resource(c.Commit()), masks[c.Resource])
		}
		return func() { d.recalled(going, found) }
	}})
}

// An adopted object was terminating when the UI began.
type adopted struct {
	commit flow.Commit
	stored []byte
}

// recalled takes the answer to Recall; what the UI has learned since then stays.
func (d *Page) recalled(going []flow.LoggedChange, found []*client.Change) {
	for i, r := range found {
		d.before = append(d.before, adopted{going[i].Commit(), r.After})
		d.Adopt(going[i].Commit(), r.After)
	}
	d.Refilter()
}
