package versions

import (
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/page"
)

// recall reads the selected version back if no held request has its change. It waits until the cursor rests.
func (d *versionDetail) recall() {
	d.asked++
	asked, c := d.asked, d.v.Chosen()
	if c == nil || d.v.env.Maker(c.Revision) != nil || d.read[c.Revision] != nil {
		return
	}
	rv, a, mask := c.Revision, d.v.env.API, d.v.env.MaskerOf(c.Resource)
	d.v.env.Do(page.Later{After: page.SettleTime, Do: func() {
		if asked != d.asked {
			return
		}
		d.v.env.Do(page.Work{Run: func() func() {
			r := client.ReadChange(a, rv, label.Resource(*c), mask)
			return func() { d.keep(rv, r) }
		}})
	}})
}

func (d *versionDetail) keep(revision int64, r *client.Change) {
	if d.read == nil || len(d.read) >= keepRecalled {
		d.read = map[int64]*client.Change{}
	}
	d.read[revision] = r
}

// Reread forgets what was read and reads it again, because secrets are masked now, or are not.
func (d *versionDetail) Reread() {
	d.read = nil
	d.recall()
}

// keepRecalled is how many of them are kept; beyond it all are forgotten.
const keepRecalled = 128
