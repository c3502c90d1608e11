package page

import (
	"kubarium/flow"
	"kubarium/tui/client"
)

// A Subject is the object that all pages share: the one that is selected on a page is under the cursor of the others.
type Subject struct {
	Resource string // as commits name it: "deployments.apps"
	client.Key
}

// SubjectOf is the object of a request, or its collection: a create and a request for many have no name.
func SubjectOf(f *flow.Flow) Subject {
	if s, ok := subjectOf(f); ok {
		return s
	}
	r := client.Resource{Group: f.Target.Group, Name: f.Target.Resource}
	return Subject{r.ID(), client.Key{Namespace: f.Target.Namespace}}
}

// subjectOf is the object of a request; false if it named no single object.
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

// Chose selects an object on every page, and with a revision also the request that made that version.
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

// Writer is the client whose request committed a revision, or why it is not known.
func (e *Env) Writer(revision int64) (tag, why string) {
	if tag = e.Feed.Writers[revision]; tag == "" {
		return "", e.F("it is not known who wrote rv %d: that was without a request, or too long ago", revision)
	}
	return tag, ""
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
