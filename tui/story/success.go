package story

import (
	"encoding/json"
	"fmt"
	"strconv"

	"kubarium/analysis/deletion"
	"kubarium/flow"
)

func (s *teller) succeeded() {
	switch s.Target.Verb {
	case "get":
		s.got()
	case "list":
		s.listed()
	case "create":
		s.created()
	case "update":
		s.wrote("replaced " + s.object)
	case "patch":
		s.wrote(s.patching())
	case "apply":
		s.applied()
	case "delete":
		s.deleted()
	case "deletecollection":
		s.emptied()
	default:
		s.say("%s sent %s %s and got %s.", s.who(), s.Method, s.Path, status(s.Status))
	}
	s.changedOnTheWay()
}

func (s *teller) got() {
	s.say("%s read %s.", s.who(), s.object)
	if s.Revision > 0 {
		s.say("The version it got is rv %d: a write that names it succeeds only while nothing newer is stored.",
			s.Revision)
	}
	if s.parameter("resourceVersion") == "0" {
		s.say("By resourceVersion=0 it accepted any version that the server had at hand.")
	}
}

// page is the part of a list's body that describes the page.
type page struct {
	Metadata struct {
		Continue  string `json:"continue"`
		Remaining *int64 `json:"remainingItemCount"`
	} `json:"metadata"`
	Items []struct{} `json:"items"`
	Rows  []struct{} `json:"rows"`
}

func (s *teller) listed() {
	s.say("%s listed %s.", s.who(), collection(&s.Target))
	var p page
	if s.ResponseBody.Cut || json.Unmarshal(s.ResponseBody.Kept, &p) != nil {
		s.say("The answer is all of them as they were at rv %d.", s.Revision)
		return
	}
	n := len(p.Items) + len(p.Rows)
	limit, _ := strconv.Atoi(s.parameter("limit"))
	switch {
	case s.parameter("continue") != "":
		s.say("Its continue token led to the next page of a list begun earlier: %s, as things were at rv %d, without "+
			"later writes.", plural(n, "object"), s.Revision)
	case p.Metadata.Continue != "":
		s.say("It asked for at most %d at a time and got the first page: %s, as things were at rv %d.", limit,
			plural(n, "object"), s.Revision)
	default:
		s.say("The answer is %s as things were at rv %d; a watch from there misses nothing.", plural(n, "object"),
			s.Revision)
		return
	}
	s.remaining(p)
}

func (s *teller) remaining(p page) {
	switch {
	case p.Metadata.Continue == "":
		s.say("This page is the last.")
	case p.Metadata.Remaining != nil:
		s.say("%d more are left; the continue token leads on.", *p.Metadata.Remaining)
	default:
		s.say("The continue token leads on; how many are left is not known, because a selector decides.")
	}
}

func (s *teller) created() {
	if s.Target.Subresource != "" {
		s.say("%s sent %s and got %s.", s.who(), s.object, status(s.Status))
		return
	}
	if s.dryRun() {
		s.say("%s tried a create of %s as a dry run: it would succeed, and nothing was stored.", s.who(), s.object)
		return
	}
	s.say("%s created %s.", s.who(), s.object)
	if s.Revision > 0 {
		s.say("It is stored as rv %d.", s.Revision)
	}
	s.shared()
}

// wrote describes an update or a patch; did is its predicate.
func (s *teller) wrote(did string) {
	if s.dryRun() {
		s.say("%s %s, but as a dry run: the answer shows what would be stored, and nothing was.", s.who(), did)
		return
	}
	switch {
	case s.Status == 201:
		s.say("%s %s, which did not exist: it was created.", s.who(), did)
	case s.SentRevision > 0:
		s.say("%s %s, starting from %s.", s.who(), did, s.copyOf(s.SentRevision))
	default:
		s.say("%s %s.", s.who(), did)
	}
	s.stored()
}

// stored describes what an accepted write did to the store.
func (s *teller) stored() {
	e, changed := s.effect()
	switch {
	case !changed && s.Revision > 0:
		s.say("Nothing in it differed from the stored object, so nothing was written: it is still rv %d, and "+
			"watchers get no event.", s.Revision)
		return
	case !changed:
		return
	case e.Commit.Type == flow.Deleted:
		s.say("That took away its last finalizer while it was being deleted, so it is gone now.")
	case s.SentRevision > 0:
		s.say("No other write had come since, so the server stored it as rv %d.", e.Commit.Revision)
	case s.Target.Verb == "update" && s.Status != 201:
		s.say("It named no resourceVersion, so the server did not check for writes in between: rv %d replaces any "+
			"version.", e.Commit.Revision)
	default:
		s.say("It is stored as rv %d.", e.Commit.Revision)
	}
	s.shared()
}

// shared describes a commit of several requests together.
func (s *teller) shared() {
	if s.Batch != nil && s.Batch.Writes > 1 {
		s.say("Its commit made %d writes durable at once.", s.Batch.Writes)
	}
}

// effect returns the last change that the request made.
func (s *teller) effect() (flow.Effect, bool) {
	if len(s.Effects) == 0 {
		return flow.Effect{}, false
	}
	return s.Effects[len(s.Effects)-1], true
}

func (s *teller) patching() string {
	name := patchNames[media(s.Flow)]
	if name == "" {
		return "patched " + s.object
	}
	return "patched " + s.object + " with a " + name
}

func (s *teller) applied() {
	manager := s.parameter("fieldManager")
	if manager == "" {
		manager = "no name"
	}
	did := "applied " + s.object + " as field manager " + manager
	if s.parameter("force") == "true" {
		did += ", taking over fields of others"
	}
	s.wrote(did)
}

// remains is the part of an object's metadata that a deletion leaves.
type remains struct {
	Metadata struct {
		Deletion   string   `json:"deletionTimestamp"`
		Finalizers []string `json:"finalizers"`
	} `json:"metadata"`
}

func (s *teller) deleted() {
	if s.dryRun() {
		s.say("%s tried a delete of %s as a dry run: it would be accepted, and nothing was deleted.", s.who(), s.object)
		return
	}
	e, changed := s.effect()
	switch {
	case !changed:
		s.say("%s asked to delete %s again.", s.who(), s.object)
		s.say("It is being deleted already, so nothing changed.")
	case e.Commit.Type == flow.Deleted && e.Commit.Revision == 0:
		s.say("%s deleted %s.", s.who(), s.object)
		s.say("It is gone; as of which rv, the answer does not say.")
		s.propagated(e, "it owns")
	case e.Commit.Type == flow.Deleted:
		s.say("%s deleted %s.", s.who(), s.object)
		s.say("It is gone as of rv %d, and watchers get a DELETED event.", e.Commit.Revision)
		s.propagated(e, "it owns")
	default:
		s.say("%s asked to delete %s.", s.who(), s.object)
		s.say("It now has a deletionTimestamp (rv %d), and watchers see a MODIFIED event, not DELETED.",
			e.Commit.Revision)
		s.propagated(e, "it owns")
		s.held(e.After)
	}
}

// becomes describes what a propagation policy does with dependents.
var becomes = map[string]string{
	"Orphan":     "stays, without its owner",
	"Foreground": "goes first",
	"Background": "is deleted afterwards, in the background",
}

// because says where a policy comes from.
var because = map[deletion.Source]string{
	deletion.Asked:     "as the request asked",
	deletion.Finalizer: "as a finalizer of an earlier deletion says",
	deletion.Default:   "the default of its kind",
}

// propagated describes what happens to the dependents of a deleted object, and why.
func (s *teller) propagated(e flow.Effect, whose string) {
	p, _ := deletion.PropagationOf(s.Flow, e)
	does, ok := becomes[p.Policy]
	if !ok {
		return
	}
	text := fmt.Sprintf("What %s %s (%s", whose, does, p.Policy)
	if why := because[p.Source]; why != "" {
		text += ", " + why
	}
	text += ")"
	if len(p.Added) > 0 {
		text += ": the request added the finalizer " + and(p.Added)
	}
	s.say("%s.", text)
}

func (s *teller) held(object []byte) {
	var r remains
	if json.Unmarshal(object, &r) != nil || len(r.Metadata.Finalizers) == 0 {
		return
	}
	s.say("It goes when the last of its finalizers is removed: %s.", and(r.Metadata.Finalizers))
}

func (s *teller) emptied() {
	if s.dryRun() {
		s.say("%s tried to delete all %s as a dry run: nothing was deleted.", s.who(), collection(&s.Target))
		return
	}
	s.say("%s deleted all %s that its selectors let through.", s.who(), collection(&s.Target))
	gone, marked := 0, 0
	for _, e := range s.Effects {
		if e.Commit.Type == flow.Deleted {
			gone++
		} else {
			marked++
		}
	}
	switch {
	case gone+marked == 0:
		s.say("There were none, so nothing changed.")
	case marked == 0:
		s.say("Each deletion is a change with a version of its own: %s.", plural(gone, "object"))
	default:
		s.say("%s went at once; %s only got a deletionTimestamp and waits for its finalizers.",
			capital(plural(gone, "object")), plural(marked, "other"))
	}
	if len(s.Effects) > 0 {
		s.propagated(s.Effects[0], "they own")
	}
}

// and joins words as in a sentence.
func and(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		s := words[0]
		for _, w := range words[1 : n-1] {
			s += ", " + w
		}
		return s + " and " + words[n-1]
	}
}
