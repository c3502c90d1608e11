package page

import (
	"kubarium/flow"
	"kubarium/tui/client"
)

// A Subject is the object that the screens share: what is chosen on one is under the cursor of the others.
type Subject struct {
	Resource string // as commits name it: "deployments.apps"
	client.Key
}

// SubjectOf is what a request was about; a create and a request for many have no name.
func SubjectOf(f *flow.Flow) Subject {
	if s, ok := subjectOf(f); ok {
		return s
	}
	r := client.Resource{Group: f.Target.Group, Name: f.Target.Resource}
	return Subject{r.ID(), client.Key{Namespace: f.Target.Namespace}}
}

// subjectOf is what a request was about, as far as it named one object.
func subjectOf(f *flow.Flow) (s Subject, ok bool) {
	if n := len(f.Effects); n == 1 {
		c := f.Effects[0].Commit
		return Subject{c.Resource, client.Key{Namespace: c.Namespace, Name: c.Name}}, true
	}
	t := f.Target
	if t.Resource == "" || t.Name == "" {
		return Subject{}, false
	}
	r := client.Resource{Group: t.Group, Name: t.Resource}
	return Subject{r.ID(), client.Key{Namespace: t.Namespace, Name: t.Name}}, true
}

// Chose makes an object the shared one, and with a revision the request that made that version the selected one.
func (u *Env) Chose(s Subject, revision int64) {
	u.Subject, u.Version = s, revision
	if revision == 0 {
		return
	}
	if f := u.Maker(revision); f != nil {
		u.Choose(f)
	}
}

// Maker is the request that committed a revision, nil if it is not held any more.
func (u *Env) Maker(revision int64) *flow.Flow {
	seq, ok := u.Feed.Makers[revision]
	if !ok {
		return nil
	}
	return u.Log.Get(seq)
}

// Followed takes the object of the selected request over, where its reader has chosen that request.
func (u *Env) Followed() {
	if u.Sel == nil || u.Follow {
		return
	}
	if s, ok := subjectOf(u.Sel); ok {
		u.Subject, u.Version = s, 0
		if len(u.Sel.Effects) == 1 {
			u.Version = u.Sel.Revision
		}
	}
}
