package tui

import (
	"cmp"

	"kubarium/tui/client"
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
