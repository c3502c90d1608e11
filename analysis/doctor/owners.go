package doctor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// longOwnerless is how long dependents may outlive their owner: the garbage collector needs some seconds, more for
// many.
const longOwnerless = 10 * time.Second

// ownersLeft finds objects whose ownerReferences lead to no object.
type ownersLeft struct {
	tally[wrongOwner]
	objects   ongoing[string, *owner]         // by uid
	named     ongoing[kindName, named]        // uid of what there is
	dependent ongoing[object.Ref, *dependent] // those that are there and name owners
	collector bool                            // whether a garbage collector was seen
}

// An owner is an object that may be named as one.
type owner struct {
	ref     object.Ref
	gone    time.Time
	removed int64 // the revision
	seq     uint64
	who     string
	report  bool // whether findings may be about its deletion
}

// A kindName is an object as an ownerReference names it, with its namespace.
type kindName struct{ apiVersion, kind, namespace, name string }

// A dependent is an object that names owners.
type dependent struct {
	seq         uint64
	owners      []object.OwnerRef
	terminating bool
}

// wrongOwner is what a finding says of a reference that was wrong from the start.
type wrongOwner struct {
	why   string
	since int64 // the revision after which every write must be known for it to be so; 0 for none
}

// A named is who has a name.
type named struct {
	uid     string
	created int64 // the revision
}

func (x *ownersLeft) add(r *request) {
	if !x.collector && strings.Contains(r.client.name, "garbage") {
		x.collector = true
	}
	for i := range r.Effects {
		e := &r.Effects[i]
		if !object.IsEvent(e.Commit.Resource) {
			x.note(r, e)
		}
	}
}

func (x *ownersLeft) note(r *request, e *flow.Effect) {
	ref := object.RefOf(e.Commit)
	switch {
	case e.Before == nil:
		x.created(e, ref)
	case e.After == nil:
		x.deleted(r, e, ref)
		return
	}
	if !bytes.Contains(e.After, []byte(`"ownerReferences"`)) {
		if e.Before != nil {
			delete(x.dependent, ref)
		}
		return
	}
	x.names(r, ref, e.After)
}

// idOf is the uid and the name of an object, as ownerReferences have them.
func idOf(stored []byte, ref object.Ref) (string, kindName) {
	uid := unquoted(object.Member(object.Member(stored, "metadata"), "uid"))
	return uid, kindName{unquoted(object.Member(stored, "apiVersion")), unquoted(object.Member(stored, "kind")), ref.Namespace, ref.Name}
}

// unquoted is a JSON string without its quotes; what is named here has nothing to unescape.
func unquoted(raw []byte) string { return strings.Trim(string(raw), `"`) }

func (x *ownersLeft) created(e *flow.Effect, ref object.Ref) {
	uid, name := idOf(e.After, ref)
	if uid == "" {
		return
	}
	x.objects.put(uid, &owner{ref: ref})
	x.named.put(name, named{uid, e.Commit.Revision})
}

func (x *ownersLeft) deleted(r *request, e *flow.Effect, ref object.Ref) {
	uid, name := idOf(e.Before, ref)
	delete(x.dependent, ref)
	if uid == "" {
		return
	}
	if x.named[name].uid == uid {
		delete(x.named, name)
	}
	x.objects.put(uid, &owner{
		ref: ref, gone: e.Commit.At, removed: e.Commit.Revision, seq: r.Seq, who: r.who(), report: r.reported,
	})
}

// names notes whom an object names as its owners, and whether that can be.
func (x *ownersLeft) names(r *request, ref object.Ref, stored []byte) {
	meta := object.Member(stored, "metadata")
	d := &dependent{seq: r.Seq, terminating: object.Member(meta, "deletionTimestamp") != nil}
	if json.Unmarshal(object.Member(meta, "ownerReferences"), &d.owners) != nil {
		return
	}
	known := x.dependent[ref]
	x.dependent.put(ref, d)
	for _, o := range d.owners {
		why, since := x.wrong(ref, o)
		if why == "" || !r.reported || known != nil && slices.Contains(known.owners, o) {
			continue
		}
		one := x.at(r.who(), ref)
		one.note(r)
		one.own = wrongOwner{why, since}
	}
}

// wrong says why an object cannot have an owner; "" if it can, or if that is not known. It is so if every write since a
// revision is known.
func (x *ownersLeft) wrong(ref object.Ref, o object.OwnerRef) (why string, since int64) {
	if is := x.objects[o.UID]; is != nil {
		if is.ref.Namespace != "" && is.ref.Namespace != ref.Namespace {
			return fmt.Sprintf("an owner in another namespace, %s", nameOf(is.ref)), 0
		}
		return "", 0
	}
	for _, namespace := range []string{ref.Namespace, ""} {
		if is := x.named[kindName{o.APIVersion, o.Kind, namespace, o.Name}]; is.uid != "" && is.uid != o.UID {
			return fmt.Sprintf("%s %s as its owner with the uid %s, which has the uid %s",
				o.Kind, cut(o.Name), cut(o.UID), is.uid), is.created
		}
	}
	return "", 0
}

func (x *ownersLeft) report(of *run) []Finding {
	out := x.findings(func(one *instance[wrongOwner]) (Severity, string) {
		if one.own.since > 0 && !of.revisions.complete(one.own.since) {
			return "", "" // the owner may have been created again
		}
		return Warning, fmt.Sprintf(
			"%s wrote %s with %s: the garbage collector treats such an owner as gone and deletes the object.",
			one.who, nameOf(one.ref), one.own.why)
	})
	left := map[string][]object.Ref{} // by the uid of the owner
	for ref, d := range x.dependent {
		if uid := x.leftBy(d, ref, of); uid != "" {
			left[uid] = append(left[uid], ref)
		}
	}
	for uid, refs := range left {
		out = append(out, x.leftFinding(uid, refs, of))
	}
	slices.SortFunc(out, func(a, b Finding) int { return strings.Compare(a.Client+a.Object, b.Client+b.Object) })
	return out
}

// leftBy is the uid of an owner that was deleted a while ago, if the object has no other one; "" if it need not go.
func (x *ownersLeft) leftBy(d *dependent, ref object.Ref, of *run) string {
	if d.terminating || len(d.owners) == 0 {
		return ""
	}
	for _, o := range d.owners {
		is := x.objects[o.UID]
		if is == nil || is.gone.IsZero() || !is.report ||
			of.now.Sub(is.gone) < longOwnerless || !of.revisions.complete(is.removed) {
			return ""
		}
		if is.ref.Namespace != "" && is.ref.Namespace != ref.Namespace {
			return "" // that is reported already
		}
	}
	return d.owners[0].UID
}

func (x *ownersLeft) leftFinding(uid string, refs []object.Ref, of *run) Finding {
	o := x.objects[uid]
	var names []string
	for _, ref := range refs {
		names = append(names, nameOf(ref))
	}
	slices.Sort(names)
	still := "is still there"
	if len(names) > 1 {
		still = "are still there"
	}
	severity, what := Warning, fmt.Sprintf("%s was deleted %s ago, and what names it as its owner %s: %s",
		nameOf(o.ref), brief(of.now.Sub(o.gone)), still, few(names, 3))
	if !x.collector {
		severity = Note
		what += "; no garbage collector was seen among the clients"
	}
	return Finding{
		Severity: severity, Client: o.who, Object: nameOf(o.ref), What: what + ".", Count: len(refs),
		Records: []uint64{o.seq}, First: o.gone, Last: of.now, resource: o.ref.Resource,
	}
}

// forget drops what there is: it may be gone.
func (x *ownersLeft) forget() {
	clear(x.objects)
	clear(x.named)
	clear(x.dependent)
}
