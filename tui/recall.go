package tui

import (
	"cmp"

	"kubarium/server/flow"
	"kubarium/server/flow/redact"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/timeline"
)

// recall asks for the changes from before this UI.
func (u *ui) recall() {
	u.do(workEffect{func() func() {
		log, err := client.ReadChanges(u.api, timeline.KeepCommits)
		going, wrong := client.ReadTerminating(u.api)
		return func() {
			u.recalled(log, cmp.Or(err, wrong))
			u.deletes().recall(going)
		}
	}})
}

// recalled is the answer of recall.
func (u *ui) recalled(log client.ChangeLog, err error) {
	if u.time.Recall(log.Commits(), err) {
		v := u.versions()
		v.refilter()
		v.opened()
	}
}

// keepRecalled is how many of them are kept; beyond it all are forgotten.
const keepRecalled = 128

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

// maskerOf hides what is secret in an object of a resource, as it is now, to be called off the loop.
func (u *env) maskerOf(resource string) func([]byte) []byte {
	keys := redact.Keys(&flow.Flow{Target: flow.Target{Resource: resource}})
	if u.unmasked || keys == nil {
		return func(b []byte) []byte { return b }
	}
	return func(b []byte) []byte { return redact.Object(b, keys) }
}
