package tui

import (
	"kubarium/server/flow"
	"kubarium/tui/client"
)

// A subject is the object that the screens share: what is chosen on one is under the cursor of the others.
type subject struct {
	resource string // as commits name it: "deployments.apps"
	client.Key
}

func (s subject) is(c flow.Commit) bool {
	return s.resource == c.Resource && s.Namespace == c.Namespace && s.Name == c.Name
}

// subjectOf is what a request was about, as far as it named one object.
func subjectOf(f *flow.Flow) (s subject, ok bool) {
	if n := len(f.Effects); n == 1 {
		c := f.Effects[0].Commit
		return subject{c.Resource, client.Key{Namespace: c.Namespace, Name: c.Name}}, true
	}
	t := f.Target
	if t.Resource == "" || t.Name == "" {
		return subject{}, false
	}
	r := client.Resource{Group: t.Group, Name: t.Resource}
	return subject{r.ID(), client.Key{Namespace: t.Namespace, Name: t.Name}}, true
}

// chose makes an object the shared one, and with a revision the request that made that version the selected one.
func (u *env) chose(s subject, revision int64) {
	u.subject, u.version = s, revision
	if revision == 0 {
		return
	}
	if f := u.maker(revision); f != nil {
		u.choose(f)
	}
}

// maker is the request that committed a revision, nil if it is not held any more.
func (u *env) maker(revision int64) *flow.Flow {
	seq, ok := u.feed.Makers[revision]
	if !ok {
		return nil
	}
	return u.log.Get(seq)
}

// followed takes the object of the selected request over, where its reader has chosen that request.
func (u *env) followed() {
	if u.sel == nil || u.follow {
		return
	}
	if s, ok := subjectOf(u.sel); ok {
		u.subject, u.version = s, 0
		if len(u.sel.Effects) == 1 {
			u.version = u.sel.Revision
		}
	}
}
