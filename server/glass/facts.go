package glass

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/flow/object"
	"kubarium/server/elsewhere"
	"kubarium/server/glass/seen"
)

// facts reads what the request and its answer prove.
func (p *passing) facts() {
	f := &p.rec.Flow
	if f.Status >= http.StatusBadRequest {
		status := elsewhere.NoteStatus(f, f.ResponseBody.Kept)
		p.sent()
		p.unavailable(status.Message)
		if f.Status == http.StatusConflict && f.Target.Resource != "" {
			p.conflict(&status)
		}
		return
	}
	if f.Target.Resource == "" || f.Status < http.StatusOK || f.Status >= http.StatusMultipleChoices {
		return
	}
	p.sent()
	if f.Target.Verb != "list" && f.Target.Verb != "deletecollection" {
		text, _ := bodies.Unpacked(f.ResponseBody.Kept)
		p.answered(text)
	}
}

// sent reads the version that the body of the request names, of its object or as a precondition.
func (p *passing) sent() {
	f := &p.rec.Flow
	text := f.RequestBody.Kept
	if f.SentRevision = object.Identify(text).Version; f.SentRevision == 0 && f.Method == http.MethodDelete {
		f.SentRevision = object.Number(object.TextIn(object.Parse(bodies.JSON(f.RequestBody)), "preconditions", "resourceVersion"))
	}
}

// asked is the version that the query names.
func (p *passing) asked() int64 { return object.Number(p.query().Get("resourceVersion")) }

func (p *passing) query() url.Values {
	q, _ := url.ParseQuery(p.rec.Flow.Query) // of what is wrong the rest
	return q
}

// The versions in the messages of answers about versions that cannot be read.
var (
	tooOld   = regexp.MustCompile(`[Tt]oo old resource version: (\d+) \((\d+)\)`)
	tooLarge = regexp.MustCompile(`Too large resource version: (\d+), current: (\d+)`)
)

// unavailable notes that a read named a version that cannot be read.
func (p *passing) unavailable(message string) {
	f := &p.rec.Flow
	switch old, large := tooOld.FindStringSubmatch(message), tooLarge.FindStringSubmatch(message); {
	case old != nil:
		f.Unavailable = &flow.Unavailable{Asked: object.Number(old[1]), Oldest: object.Number(old[2])}
	case large != nil:
		f.Unavailable = &flow.Unavailable{Asked: object.Number(large[1]), Newest: object.Number(large[2])}
	case f.Status == http.StatusGone:
		f.Unavailable = &flow.Unavailable{Asked: p.asked()}
	}
	if q := p.query(); f.Status == http.StatusGone && f.Target.Verb == "list" {
		f.Page = &flow.Page{Limit: object.Number(q.Get("limit")), Token: q.Get("continue"), Expired: true}
	}
}

// key names the object that the request is about.
func (p *passing) key() seen.Key { return keyOf(&p.rec.Flow.Target) }

func keyOf(t *flow.Target) seen.Key {
	return seen.Key{Resource: (&seen.Kind{Group: t.Group, Resource: t.Resource}).ID(), Namespace: t.Namespace, Name: t.Name}
}

// kind is what the path says of the objects, with the name of their kind.
func (p *passing) kind(name, namespace string) seen.Kind {
	t := &p.rec.Flow.Target
	return seen.Kind{Group: t.Group, Version: t.Version, Resource: t.Resource, Kind: name, Namespaced: namespace != ""}
}

// conflict says which kind of conflict a 409 was, with the versions that went by: others are not known.
func (p *passing) conflict(s *metav1.Status) {
	f := &p.rec.Flow
	key := p.key()
	if key.Name == "" {
		key.Name = object.Identify(f.RequestBody.Kept).Name
	}
	c := &flow.Conflict{Kind: flow.StaleRevision, Sent: f.SentRevision}
	stored, known := p.g.Seen.At(key, 0)
	switch {
	case s.Reason == metav1.StatusReasonAlreadyExists:
		c.Kind = flow.AlreadyExists
	case strings.Contains(s.Message, "Precondition failed: UID"):
		c.Kind = flow.Precondition
	case s.Details != nil && len(s.Details.Causes) > 0 && s.Details.Causes[0].Type == metav1.CauseTypeFieldManagerConflict:
		c.Kind = flow.FieldOwnership
		for _, cause := range s.Details.Causes {
			c.Causes = append(c.Causes, flow.Cause{Field: cause.Field, Message: cause.Message})
		}
	case s.Reason != metav1.StatusReasonConflict:
		return // of an admission plugin, or of a quota
	default:
		if base, ok := p.g.Seen.At(key, c.Sent); ok && c.Sent != 0 {
			c.Base = base.JSON()
		}
		known = known && stored.Revision > c.Sent
	}
	if known {
		c.Stored, c.Object = stored.Revision, stored.JSON()
	}
	f.Conflict = c
}

// answered reads an answer of one object, and what the request has changed.
func (p *passing) answered(text []byte) {
	f := &p.rec.Flow
	id := object.Identify(text)
	f.Revision = id.Version
	p.g.heard(id.Version)
	whole := id.Version != 0 && !f.ResponseBody.Cut && id.Kind != metadataAlone && (f.Target.Subresource == "" || f.Target.Subresource == "status")
	key := p.key()
	if key.Name == "" {
		key.Name = id.Name
	}
	if key.Namespace == "" {
		key.Namespace = id.Namespace
	}
	if p.deleted(text, id) {
		p.noteDeletion(key)
		return
	}
	if !whole {
		return
	}
	v := seen.Version{Revision: id.Version, At: time.Now(), Deleting: id.Deleting, Body: text}
	before, known := p.g.Seen.Before(key, id.Version)
	if p.changed(id.Version) {
		if v.Type = flow.Updated; f.Status == http.StatusCreated {
			v.Type = flow.Created
		}
	}
	commit := flow.Commit{Revision: v.Revision, Type: v.Type, Resource: key.Resource, Namespace: key.Namespace, Name: key.Name, At: v.At}
	p.note = func() {
		if p.g.Seen.Note(p.kind(id.Kind, id.Namespace), key, v) && v.Type != 0 {
			p.g.commits.add(commit)
		}
	}
	if v.Type == 0 {
		return
	}
	effect := flow.Effect{Commit: commit, After: v.JSON()}
	if known && v.Type == flow.Updated {
		effect.Before = before.JSON()
	}
	f.Effects = append(f.Effects, effect)
}

// changed reports whether a write has made the version that it was answered with: one that was there when the request
// came is of a write that changed nothing.
func (p *passing) changed(version int64) bool {
	return p.writes() && version > p.since && version != p.rec.Flow.SentRevision
}

// dry reports whether the request is to change nothing.
func (p *passing) dry() bool { return p.query().Has("dryRun") }

// writes reports whether the request is to change something, which reviews and requests for a token do not.
func (p *passing) writes() bool {
	f := &p.rec.Flow
	if f.Target.Review() || f.Target.Subresource == "token" {
		return false
	}
	return f.Method != http.MethodGet && f.Method != http.MethodHead && !p.dry()
}

// deleted reports whether a write has taken its object away: a delete, or a write that removed the last finalizer. An
// object that is terminating and not answered whole is there, as far as is known.
func (p *passing) deleted(text []byte, id object.Identity) bool {
	t := &p.rec.Flow.Target
	switch {
	case !p.writes():
		return false
	case !id.Deleting:
		return t.Verb == "delete"
	case p.rec.Flow.ResponseBody.Cut, id.Kind == "Table", id.Kind == metadataAlone && t.Resource == "namespaces":
		return false
	}
	return !waits(text)
}

// noteDeletion notes that an object is gone, at a revision that the answer does not say.
func (p *passing) noteDeletion(key seen.Key) {
	effect := flow.Effect{Commit: flow.Commit{Type: flow.Deleted, Resource: key.Resource, Namespace: key.Namespace, Name: key.Name, At: time.Now()}}
	if last, known := p.g.Seen.At(key, 0); known {
		effect.Before = last.JSON()
	}
	p.rec.Flow.Effects = append(p.rec.Flow.Effects, effect)
	p.g.Seen.Gone(key)
}

// waits reports whether a terminating object is still stored: it waits for finalizers, those of a Namespace's spec as
// well, or for the end of its grace period.
func waits(text []byte) bool {
	var o struct {
		Metadata struct {
			Finalizers                 []string
			DeletionGracePeriodSeconds int64
		}
		Spec struct{ Finalizers []string }
	}
	_ = json.Unmarshal(bodies.JSON(flow.Body{Kept: text}), &o) // what cannot be read has neither
	return len(o.Metadata.Finalizers)+len(o.Spec.Finalizers) > 0 || o.Metadata.DeletionGracePeriodSeconds > 0
}

// frameTypes are how objects came about that events of watches have.
var frameTypes = map[string]flow.ChangeType{"ADDED": flow.Created, "MODIFIED": flow.Updated, "DELETED": flow.Deleted}

// sawFrame returns what notes the frames of a watch, and their objects if the watch is kept. Objects up to a revision
// were there already: they are the initial events.
func (p *passing) sawFrame(after int64, keep bool) func(*flow.Frame, object.Identity, []byte) {
	target := p.key()
	return func(frame *flow.Frame, id object.Identity, raw []byte) {
		now := frame.Written
		p.g.answered()
		if e := p.events; e != nil && e.original != nil { // the client gets another one
			raw, id = e.original, object.Identify(e.original)
		}
		switch {
		case frame.Type == "BOOKMARK":
			p.g.heard(id.Version)
			return
		case frame.Type == "ERROR":
			p.unavailable(p.statusOf(raw))
			return
		case !keep:
			p.g.heard(id.Version)
			return
		case id.Version == 0:
			return
		}
		v := seen.Version{Revision: id.Version, At: now, Deleting: id.Deleting, Partial: id.Kind == metadataAlone, Body: raw}
		if id.Version > after || frame.Type != "ADDED" {
			v.Type = frameTypes[frame.Type]
		}
		key := seen.Key{Resource: target.Resource, Namespace: id.Namespace, Name: id.Name}
		if id.Kind == "Table" {
			if v.Body, v.Partial = object.RowObject(raw), true; v.Body == nil {
				return
			}
		}
		if v.Partial {
			id.Kind = "" // which is not said
		}
		if p.g.Seen.Note(p.kind(id.Kind, id.Namespace), key, v) && v.Type != 0 {
			p.g.commits.add(flow.Commit{Revision: v.Revision, Type: v.Type, Resource: key.Resource, Namespace: key.Namespace, Name: key.Name, At: now})
		}
	}
}

// statusOf is the message of an ERROR.
func (p *passing) statusOf(raw []byte) string {
	var s metav1.Status
	_ = json.Unmarshal(bodies.JSON(flow.Body{Kept: raw}), &s)
	if s.Code == http.StatusGone && p.rec.Flow.Unavailable == nil {
		p.rec.Flow.Unavailable = &flow.Unavailable{Asked: p.asked()}
	}
	return s.Message
}
