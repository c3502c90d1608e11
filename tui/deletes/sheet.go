package deletes

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/analysis/deletion"
	"kubarium/flow/object"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// phases draws the two phases of a deletion and the checklist of what they take.
func (d *Page) phases(l *page.LineList, x *deletion.Deletion) {
	d.phaseBar(l, x)
	d.accepted(l, x)
	for i := range x.Holds {
		d.holdLine(l, x, &x.Holds[i])
	}
	if x.Grace > 0 {
		d.graceLine(l, x)
	}
	d.lastStep(l, x)
	d.contents(l, x)
	d.because(l, x)
}

// phaseBar is a line with both phases, filled as far as the finalizers are gone.
func (d *Page) phaseBar(l *page.LineList, x *deletion.Deletion) {
	if !x.TwoPhase() {
		l.Add(term.Bold.Of("ONE PHASE  "), term.Plain.Of("nothing held it: the DELETE took it away at once"))
		return
	}
	took := term.Ago(x.Took(d.Env.Now()))
	first := term.Line{term.Bold.Of("PHASE 1 "), term.Plain.Of(term.Pick(x.Gone.Zero(), "terminating ", "terminated in ") + took + "  ")}
	second := term.Pick(x.Gone.Zero(), "  PHASE 2 removed", "  PHASE 2 ✓ removed")
	room := max(6, min(44, l.W-first.Width()-term.Text(term.Plain, second).Width()))
	full := room
	if x.Gone.Zero() {
		full = room / 2
		if n := len(x.Holds); n > 0 {
			full = max(1, room*(n-x.Held())/(n+1))
		}
	}
	l.Add(append(first, term.Open.Of(strings.Repeat("━", full)), term.Dim.Of(strings.Repeat("┄", room-full)),
		term.Pick(x.Gone.Zero(), term.Dim, term.Bold).Of(second))...)
}

// accepted is the line of the write that began the deletion.
func (d *Page) accepted(l *page.LineList, x *deletion.Deletion) {
	m := x.Began
	switch {
	case x.Late && m.Seq == 0:
		l.Item(0, term.Dim.Of("· "), term.Plain.Of("it was terminating already when the UI began; as it is since "), term.Bold.Of(rv(m)), term.Dim.Of(", read back by the UI itself (who:ui)"))
	case x.Late:
		l.Item(m.Seq, term.Dim.Of("· "), term.Plain.Of("it was terminating already when the UI first saw a write of it, "), term.Bold.Of(rv(m)))
	case !x.TwoPhase():
		l.Item(m.Seq, term.Add.Of("✓ "), term.Plain.Of("DELETE by "), term.Accent.Of(m.Who), term.Plain.Of(": the row is gone, "), term.Bold.Of(rv(m)), term.Plain.Of("; watchers saw DELETED"))
	default:
		l.Item(m.Seq, term.Add.Of("✓ "), term.Plain.Of("DELETE by "), term.Accent.Of(m.Who), term.Plain.Of(" accepted: deletionTimestamp set, "), term.Bold.Of(rv(m)), term.Plain.Of("; watchers saw MODIFIED, not DELETED"))
	}
	if p := x.Propagation; p.Policy != "" {
		added := ""
		if len(p.Added) > 0 {
			added = "; it got the finalizer " + strings.Join(p.Added, ", ")
		}
		l.Item(0, term.Dim.Of("  "), term.Plain.Of("propagation "+p.Policy+sources[p.Source]+": "+policies[p.Policy]+added))
	}
}

// sources say why a deletion had its propagation.
var sources = map[deletion.Source]string{
	deletion.Asked:     ", as asked",
	deletion.Default:   ", the default",
	deletion.Finalizer: ", by a finalizer that it had already",
}

// policies say what becomes of an object's dependents.
var policies = map[string]string{
	"Foreground": "its dependents go first",
	"Background": "it goes at once, and its dependents after it",
	"Orphan":     "its dependents stay, without an owner",
}

// holdLine is one finalizer of the checklist.
func (d *Page) holdLine(l *page.LineList, x *deletion.Deletion, h *deletion.Hold) {
	name := h.Name
	if h.Spec {
		name += " (spec.finalizers)"
	}
	if !h.Removed.Zero() {
		m := h.Removed
		l.Item(m.Seq, term.Add.Of("✓ "), term.Name.Of(name), term.Plain.Of("  removed by "), term.Accent.Of(m.Who), term.Plain.Of(" at "), term.Bold.Of(rv(m)), term.Plain.Of(" after "+term.Ago(m.At.Sub(x.Began.At))))
		return
	}
	held := "holds it for " + term.Ago(x.Took(d.Env.Now()))
	if by := x.WriterOf(*h); by != "" {
		held += "; last written by " + by
	}
	l.Item(0, term.Warn.Of("○ "), term.Name.Of(name), term.Plain.Of("  "+held))
	switch h.Name {
	case "foregroundDeletion":
		d.foreground(l, x)
	case "orphan":
		l.Add(term.Plain.Of("    until its dependents have lost their reference to it; they stay"))
	case "customresourcecleanup.apiextensions.k8s.io":
		l.Add(term.Plain.Of("    until no object of " + x.Ref.Name + " is left; creates are refused until then"))
	case "kubernetes":
		if h.Spec {
			d.namespaceWaits(l, x)
		}
	default:
		if slices.ContainsFunc(x.Holds[:slices.IndexFunc(x.Holds, func(o deletion.Hold) bool { return o == *h })], isWork) {
			return // said above
		}
		said := []term.Span{term.Dim.Of("    no write has removed it; the client that put it there should do its work and remove it.  ")}
		if d.Env.Acts() {
			said = append(said, term.Key.Of("y"), term.Dim.Of(" copies a patch that does"))
		}
		l.Item(0, said...)
	}
}

// isWork reports whether a finalizer that still holds waits for the work of a client.
func isWork(h deletion.Hold) bool {
	return h.Removed.Zero() && !h.Spec && !slices.Contains(workOfControllers, h.Name)
}

// workOfControllers are finalizers that Kubernetes' own controllers take out.
var workOfControllers = []string{"foregroundDeletion", "orphan", "customresourcecleanup.apiextensions.k8s.io"}

// foreground lists the dependents that a deletion in the foreground waits for.
func (d *Page) foreground(l *page.LineList, x *deletion.Deletion) {
	blocking, others := d.WaitsFor(x)
	if len(blocking) == 0 {
		l.Add(term.Dim.Of("    no dependent with blockOwnerDeletion is known to be left"))
	}
	for _, g := range byResource(blocking) {
		l.Add(term.Plain.Of("    waits for "), term.Warn.Of(g), term.Dim.Of("  blockOwnerDeletion: true"))
	}
	for _, g := range byResource(others) {
		l.Add(term.Dim.Of("    does not wait for " + g))
	}
}

// byResource names objects, many of one resource by their number.
func byResource(refs []object.Ref) []string {
	groups := map[string][]object.Ref{}
	for _, r := range refs {
		groups[r.Resource] = append(groups[r.Resource], r)
	}
	var out []string
	for resource, rs := range groups {
		if len(rs) > 3 {
			out = append(out, fmt.Sprintf("%s of %s", term.Count(len(rs)), resource))
			continue
		}
		for _, r := range rs {
			out = append(out, label.Ref(r))
		}
	}
	slices.Sort(out)
	return out
}

// namespaceWaits is what the conditions of a namespace say that it waits for.
func (d *Page) namespaceWaits(l *page.LineList, x *deletion.Deletion) {
	said := 0
	conditions, _ := object.In(object.Parse(x.Newest), "status", "conditions").([]any)
	for _, c := range conditions {
		if object.TextIn(c, "status") != "True" {
			continue
		}
		said++
		l.Wrapped(term.Warn, "    ", object.TextIn(c, "type")+": "+object.TextIn(c, "message"))
	}
	if said == 0 {
		l.Add(term.Dim.Of("    until nothing is left in it; its conditions name nothing that is"))
	}
}

func (d *Page) graceLine(l *page.LineList, x *deletion.Deletion) {
	if x.Gone.Zero() {
		left := x.Ends.Sub(d.Env.Now())
		l.Add(term.Warn.Of("○ "), term.Plain.Of(fmt.Sprintf("grace period of %d s, ", x.Grace)), term.Plain.Of(term.Pick(left > 0, fmt.Sprintf("%s left", term.Ago(left)), "over")))
		return
	}
	l.Add(term.Add.Of("✓ "), term.Plain.Of(fmt.Sprintf("a grace period of %d s was given", x.Grace)))
}

// lastStep is the line of the write that takes the object away.
func (d *Page) lastStep(l *page.LineList, x *deletion.Deletion) {
	switch {
	case !x.TwoPhase():
	case x.Gone.Zero() && len(x.Holds) > 0:
		l.Item(0, term.Dim.Of("○ "), term.Plain.Of("the last removal is the deletion: watchers see DELETED, and the row is gone in the same change"))
	case x.Gone.Zero():
		l.Add(term.Dim.Of("○ "), term.Plain.Of("then a second DELETE, with no grace, takes it away"))
	default:
		m := x.Gone
		by := term.Pick(m.Verb == "delete", " by a second DELETE of ", " by the same write of ")
		if m.Seq == 0 {
			by = " by a request that is not known here"
		}
		l.Item(m.Seq, term.Add.Of("✓ "), term.Plain.Of("gone at "), term.Bold.Of(rv(m)), term.Plain.Of(by), term.Accent.Of(m.Who), term.Plain.Of(": watchers saw DELETED"))
	}
}

// rv names the version of a write; the answer of another server's does not say that of a deletion.
func rv(m deletion.Moment) string {
	if m.Revision == 0 {
		return "rv ?"
	}
	return fmt.Sprintf("rv %d", m.Revision)
}

// contents counts what was deleted below it, by resource.
func (d *Page) contents(l *page.LineList, x *deletion.Deletion) {
	total, gone := map[string]int{}, map[string]int{}
	for _, y := range d.Below(x) {
		total[y.Ref.Resource]++
		if y.Ended() {
			gone[y.Ref.Resource]++
		}
	}
	if len(total) == 0 {
		return
	}
	var parts []string
	for r, n := range total {
		parts = append(parts, fmt.Sprintf("%s %s of %s gone", r, term.Count(gone[r]), term.Count(n)))
	}
	slices.Sort(parts)
	l.Wrapped(term.Plain, "below it: ", strings.Join(parts, ", "))
}

// because says why it was deleted, where that was not for itself.
func (d *Page) because(l *page.LineList, x *deletion.Deletion) {
	p := d.Cause(x)
	if p == nil {
		return
	}
	why := term.Pick(p.Ref.Resource == object.Definitions, "because the definition of its resource is terminating", "because its namespace is terminating")
	for _, o := range x.Owners {
		if o.UID == p.UID {
			why = fmt.Sprintf("because its owner is: ownerReferences names %s %s%s", o.Kind, o.Name, term.Pick(o.BlockOwnerDeletion, ", blockOwnerDeletion", ""))
		}
	}
	l.Item(p.Began.Seq, term.Dim.Of("deleted "), term.Plain.Of(why))
}
