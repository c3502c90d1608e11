package tui

import (
	"cmp"

	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/timeline"
)

// recall asks for the changes from before this UI.
func (u *ui) recall() {
	u.Do(page.Work{Run: func() func() {
		log, err := client.ReadChanges(u.API, timeline.KeepCommits)
		going, wrong := client.ReadTerminating(u.API)
		return func() {
			u.recalled(log, cmp.Or(err, wrong))
			u.deletes().Recall(going)
		}
	}})
}

// recalled is the answer of recall.
func (u *ui) recalled(log client.ChangeLog, err error) {
	if u.Time.Recall(log.Commits(), err) {
		v := u.versions()
		v.Refilter()
		v.Opened()
	}
}
