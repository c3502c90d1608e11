package tui

import (
	"cmp"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"kubarium/server/flow"
	"kubarium/server/flow/redact"
)

// A changeLog is what the server answers to /debug/changes: its change log, newest first. The UI asks for it once, as
// any client could, so that the axis begins where the history does and not where the UI does.
type changeLog struct {
	Changes []loggedChange
}

// A loggedChange is one change of it.
type loggedChange struct {
	Revision, BeforeRevision, Bytes int64
	Type, Resource, Namespace, Name string
	At                              time.Time
	Outside                         bool
	Before, After                   json.RawMessage // of a single change alone
}

func (c *loggedChange) commit() flow.Commit {
	out := flow.Commit{Revision: c.Revision, Resource: c.Resource, Namespace: c.Namespace, Name: c.Name, At: c.At, Outside: c.Outside}
	if c.Type != "" {
		out.Type = flow.ChangeType(c.Type[0])
	}
	return out
}

// recall asks for the changes from before this UI.
func (u *ui) recall() {
	u.do(workEffect{func() func() {
		log, err := readChanges(u.api)
		going, wrong := readTerminating(u.api)
		return func() {
			u.recalled(log, cmp.Or(err, wrong))
			u.deletes().recall(going)
		}
	}})
}

func readChanges(a *api) (log changeLog, err error) {
	err = a.read("/debug/changes", url.Values{"limit": {strconv.Itoa(keepCommits)}}, asPlainJSON, &log)
	return log, err
}

// readTerminating asks for what is terminating, however long ago that began.
func readTerminating(a *api) (log changeLog, err error) {
	err = a.read("/debug/changes", url.Values{"terminating": {"true"}, "limit": {strconv.Itoa(mostTerminating)}}, asPlainJSON, &log)
	return log, err
}

// recalled is the answer of recall.
func (u *ui) recalled(log changeLog, err error) {
	if u.time.recalled(log, err) {
		v := u.versions()
		v.refilter()
		v.opened()
	}
}

// recalled takes what was committed before the UI looked, and reports whether there was any.
func (s *timeline) recalled(log changeLog, err error) bool {
	if s.unread = err; err != nil {
		return false
	}
	first := int64(math.MaxInt64)
	if len(s.commits) > 0 {
		first = s.commits[0].Revision
	}
	var old []flow.Commit
	for _, c := range slices.Backward(log.Changes) {
		if c.Revision < first {
			old = append(old, c.commit())
		}
	}
	if len(old) == 0 {
		return false
	}
	s.before = old[len(old)-1].Revision
	s.commits = append(old, s.commits...)
	for _, c := range old {
		s.newest[c.Resource] = max(s.newest[c.Resource], c.Revision)
	}
	return true
}

// A recalledChange is one change with its object, read back for the screen Versions.
type recalledChange struct {
	before, after []byte // secrets masked
	none          bool   // the store does not have it any more
	alone         bool   // the store does not have the version before it any more
	err           error
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
			r := readChange(a, rv, resourceOf(*c), mask)
			return func() { d.keep(rv, r) }
		}})
	}})
}

func (d *versionDetail) keep(revision int64, r *recalledChange) {
	if d.read == nil || len(d.read) >= keepRecalled {
		d.read = map[int64]*recalledChange{}
	}
	d.read[revision] = r
}

// reread forgets what was read and reads it again, because secrets are masked now, or are not.
func (d *versionDetail) reread() {
	d.read = nil
	d.recall()
}

// readChange does I/O and is called off the loop. The resource is named so that the record of this very request knows
// that it holds a Secret.
func readChange(a *api, revision int64, resource string, mask func([]byte) []byte) *recalledChange {
	var log changeLog
	query := url.Values{"revision": {strconv.FormatInt(revision, 10)}, "resource": {resource}}
	if err := a.read("/debug/changes", query, asPlainJSON, &log); err != nil {
		return &recalledChange{err: err}
	}
	if len(log.Changes) == 0 {
		return &recalledChange{none: true}
	}
	c := log.Changes[0]
	return &recalledChange{before: mask(c.Before), after: mask(c.After), alone: c.BeforeRevision > 0 && len(c.Before) == 0}
}

// maskerOf hides what is secret in an object of a resource, as it is now, to be called off the loop.
func (u *env) maskerOf(resource string) func([]byte) []byte {
	keys := redact.Keys(&flow.Flow{Target: flow.Target{Resource: resource}})
	if u.unmasked || keys == nil {
		return func(b []byte) []byte { return b }
	}
	return func(b []byte) []byte { return redact.Object(b, keys) }
}
