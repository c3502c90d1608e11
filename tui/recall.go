package tui

import (
	"cmp"

	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/timeline"
)

// recall asks for the changes from before this UI.
func (u *ui) recall() {
	u.Do(page.Work{Run: func() func() {
		log, err := client.ReadChanges(u.live.API, timeline.KeepCommits)
		going, wrong := client.ReadTerminating(u.live.API)
		return func() {
			u.recalled(log, cmp.Or(err, wrong))
			u.live.deletes().Recall(going)
		}
	}})
}

// recalled is the answer of recall.
func (u *ui) recalled(log flow.ChangeLog, err error) {
	if u.live.Time.Recall(log.Commits(), err) {
		v := u.live.versions()
		v.Refilter()
		v.Opened()
	}
}
