package tui

import "kubarium/server/flow/deletion"

// recall reads the objects back that are terminating since before the UI began.
func (d *deletes) recall(log changeLog) {
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
		found := make([]*recalledChange, len(going))
		for i, c := range going {
			found[i] = readChange(a, c.Revision, resourceOf(c.commit()), masks[c.Resource])
		}
		return func() { d.recalled(going, found) }
	}})
}

// recalled is the answer of recall; what the UI has followed by itself meanwhile stays.
func (d *deletes) recalled(going []loggedChange, found []*recalledChange) {
	var old []*deletion.Deletion
	for i, r := range found {
		if x := d.Adopt(going[i].commit(), r.after); x != nil {
			old = append(old, x)
		}
	}
	d.All = append(old, d.All...)
	d.refilter()
}
