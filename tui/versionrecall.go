package tui

import (
	"kubarium/tui/client"
	"kubarium/tui/label"
)

// recall reads the chosen version back if no held request tells what it changed. It waits until the cursor rests.
func (d *versionDetail) recall() {
	d.asked++
	asked, c := d.asked, d.v.chosen()
	if c == nil || d.v.u.maker(c.Revision) != nil || d.read[c.Revision] != nil {
		return
	}
	rv, a, mask := c.Revision, d.v.u.api, d.v.u.maskerOf(c.Resource)
	d.v.u.do(laterEffect{settleTime, func() {
		if asked != d.asked {
			return
		}
		d.v.u.do(workEffect{func() func() {
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

// reread forgets what was read and reads it again, because secrets are masked now, or are not.
func (d *versionDetail) reread() {
	d.read = nil
	d.recall()
}

// keepRecalled is how many of them are kept; beyond it all are forgotten.
const keepRecalled = 128
