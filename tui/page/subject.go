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
func (e *Env) Chose(s Subject, revision int64) {
	e.Subject, e.Version = s, revision
	if revision == 0 {
		return
	}
	if f := e.Maker(revision); f != nil {
		e.Choose(f)
	}
}

// Maker is the request that committed a revision, nil if it is not held any more.
func (e *Env) Maker(revision int64) *flow.Flow {
	seq, ok := e.Feed.Makers[revision]
	if !ok {
		return nil
	}
	return e.Log.Get(seq)
}

// Followed takes the object of the selected request over, where its reader has chosen that request.
func (e *Env) Followed() {
	if e.Sel == nil || e.Follow {
		return
	}
	if s, ok := subjectOf(e.Sel); ok {
		e.Subject, e.Version = s, 0
		if len(e.Sel.Effects) == 1 {
			e.Version = e.Sel.Revision
		}
	}
}
