package tui

import (
	"kubarium/server/flow/deletion"
	"kubarium/tui/client"
	"kubarium/tui/label"
)

// recall reads the objects back that are terminating since before the UI began.
func (d *deletes) recall(log client.ChangeLog) {
	going := log.Changes
	if len(going) == 0 {
		return
	}
	a := d.u.api
	masks := map[string]func([]byte) []byte{}
	for _, c := range going {
		masks[c.Resource] = d.u.maskerOf(c.Resource)
	}
	d.u.do(workEffect{func() func() {
		found := make([]*client.Change, len(going))
		for i, c := range going {
			found[i] = client.ReadChange(a, c.Revision, label.Resource(c.Commit()), masks[c.Resource])
		}
		return func() { d.recalled(going, found) }
	}})
}

// recalled is the answer of recall; what the UI has followed by itself meanwhile stays.
func (d *deletes) recalled(going []client.LoggedChange, found []*client.Change) {
	var old []*deletion.Deletion
	for i, r := range found {
		if x := d.Adopt(going[i].Commit(), r.After); x != nil {
			old = append(old, x)
		}
	}
	d.All = append(old, d.All...)
	d.refilter()
}
