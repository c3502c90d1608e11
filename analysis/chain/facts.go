package chain

import (
	"strings"

	"kubarium/flow"
	"kubarium/flow/object"
)

const (
	mostObjects = 16384 // of which is known what they are, in each half
	mostCommits = 16384
	mostNaming  = 8    // objects known that name another one
	mostGone    = 1024 // deleted objects that are still known
)

// facts are what the writes of the run said of objects.
type facts struct {
	objects recent[object.Ref, *fact]
	naming  recent[object.Ref, []object.Ref] // the objects that name this one, the latest last
	commits recent[int64, commit]            // by revision
	gone    []deleted                        // the latest last; at most mostGone
}

// A deleted is an object that was deleted, and what is known of it.
type deleted struct {
	ref  object.Ref
	fact *fact
}

// A fact is what is known of one object.
type fact struct {
	uid    string
	owners []reference
}

// A commit is who committed a revision.
type commit struct {
	by  uint64
	tag string
}

func newFacts() facts {
	return facts{
		objects: newRecent[object.Ref, *fact](mostObjects),
		naming:  newRecent[object.Ref, []object.Ref](mostObjects / 4),
		commits: newRecent[int64, commit](mostCommits),
	}
}

// mostScanned is how many of the effects of one write are read, as those of a deletion of a whole collection.
const mostScanned = 64

// learn takes the effects of a write, and returns what the first says of its object.
func (k *facts) learn(f *flow.Flow) (first document) {
	for i := range f.Effects {
		e := &f.Effects[i]
		if e.Commit.Revision > 0 { // through the glass that of a deletion is not known
			k.commits.set(e.Commit.Revision, commit{f.Seq, f.Client.Tag})
		}
		if i >= mostScanned {
			continue
		}
		text := e.After
		if len(text) == 0 {
			text = e.Before
		}
		doc := scan(text)
		if i == 0 {
			first = doc
		}
		ref := object.RefOf(e.Commit)
		k.named(ref, doc.names)
		if object.IsEvent(ref.Resource) { // most objects of a run are, and nothing asks for their UIDs
			continue
		}
		known := &fact{doc.uid, doc.owners}
		k.objects.set(ref, known)
		if len(e.After) == 0 {
			k.bury(deleted{ref, known})
		}
	}
	return first
}

// bury notes that an object was deleted. The events of its deletion come soon; then it is forgotten, unless there is
// another one of its name.
func (k *facts) bury(d deleted) {
	if len(k.gone) == mostGone {
		old := k.gone[0]
		if now, _ := k.objects.get(old.ref); now == old.fact {
			k.objects.drop(old.ref)
			k.naming.drop(old.ref)
		}
	}
	k.gone = push(k.gone, d, mostGone)
}

// named notes which objects another one names.
func (k *facts) named(by object.Ref, names []reference) {
	for _, n := range names {
		if !n.back {
			continue
		}
		for _, to := range n.refs(by.Namespace) {
			all, _ := k.naming.get(to)
			if len(all) > 0 && all[len(all)-1] == by {
				continue
			}
			kept := make([]object.Ref, 0, mostNaming)
			for _, other := range all[max(0, len(all)-mostNaming+1):] {
				if other != by {
					kept = append(kept, other)
				}
			}
			k.naming.set(to, append(kept, by))
		}
	}
}

// refs are the objects that a reference of an object in a namespace may mean: a kind does not say its resource, and
// nothing says whether that has namespaces.
func (n reference) refs(namespace string) []object.Ref {
	if n.namespace != "" {
		namespace = n.namespace
	}
	out := make([]object.Ref, 0, 4)
	for _, resource := range n.resources() {
		out = append(out, object.Ref{Resource: resource, Namespace: namespace, Name: n.name})
		if namespace != "" {
			out = append(out, object.Ref{Resource: resource, Name: n.name})
		}
	}
	return out
}

// resources are the resources that a kind may have: its plural as Kubernetes forms it, and the kind as it is, such as
// Endpoints.
func (n reference) resources() []string {
	if n.resource != "" {
		return []string{inGroup(n.resource, n.group)}
	}
	if n.kind == "" {
		return nil
	}
	kind := strings.ToLower(n.kind)
	switch last := kind[len(kind)-1]; {
	case last == 's':
		return []string{inGroup(kind+"es", n.group), inGroup(kind, n.group)}
	case last == 'x', last == 'z', strings.HasSuffix(kind, "ch"), strings.HasSuffix(kind, "sh"):
		return []string{inGroup(kind+"es", n.group)}
	case last == 'y' && len(kind) > 1 && !strings.ContainsRune("aeiou", rune(kind[len(kind)-2])):
		return []string{inGroup(kind[:len(kind)-1]+"ies", n.group)}
	}
	return []string{inGroup(kind+"s", n.group)}
}

func inGroup(resource, group string) string {
	if group == "" {
		return resource
	}
	return resource + "." + group
}

// resourceOf is the resource of a target in the form of a Ref.
func resourceOf(t flow.Target) string { return inGroup(t.Resource, t.Group) }
