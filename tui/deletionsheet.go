package tui

import (
	"fmt"
	"slices"
	"strings"
)

// phases draws the two phases of a deletion and the checklist of what they take.
func (d *deletes) phases(l *lineList, x *deletion) {
	d.phaseBar(l, x)
	d.accepted(l, x)
	for i := range x.holds {
		d.holdLine(l, x, &x.holds[i])
	}
	if x.grace > 0 {
		d.graceLine(l, x)
	}
	d.lastStep(l, x)
	d.contents(l, x)
	d.because(l, x)
}

// phaseBar is a line with both phases, filled as far as the finalizers are gone.
func (d *deletes) phaseBar(l *lineList, x *deletion) {
	if !x.twoPhase() {
		l.add(span{sBold, "ONE PHASE  "}, span{sPlain, "nothing held it: the DELETE took it away at once"})
		return
	}
	took := ago(x.took(d.u.now()))
	first := line{{sBold, "PHASE 1 "}, {sPlain, pick(x.gone.zero(), "terminating ", "terminated in ") + took + "  "}}
	second := pick(x.gone.zero(), "  PHASE 2 removed", "  PHASE 2 ✓ removed")
	room := max(6, min(44, l.w-first.width()-text(sPlain, second).width()))
	full := room
	if x.gone.zero() {
		full = room / 2
		if n := len(x.holds); n > 0 {
			full = max(1, room*(n-x.held())/(n+1))
		}
	}
	l.add(append(first, span{sOpen, strings.Repeat("━", full)}, span{sDim, strings.Repeat("┄", room-full)},
		span{pick(x.gone.zero(), sDim, sBold), second})...)
}

// accepted is the line of the write that began the deletion.
func (d *deletes) accepted(l *lineList, x *deletion) {
	m := x.began
	switch {
	case x.late && m.seq == 0:
		l.item(0, span{sDim, "· "}, span{sPlain, "it was terminating already when the UI began; as it is since "}, span{sBold, fmt.Sprintf("rv %d", m.revision)}, span{sDim, ", read back by the UI itself (who:ui)"})
	case x.late:
		l.item(m.seq, span{sDim, "· "}, span{sPlain, "it was terminating already when the UI first saw a write of it, "}, span{sBold, fmt.Sprintf("rv %d", m.revision)})
	case !x.twoPhase():
		l.item(m.seq, span{sAdd, "✓ "}, span{sPlain, "DELETE by "}, span{sAccent, m.who}, span{sPlain, ": the row is gone, "}, span{sBold, fmt.Sprintf("rv %d", m.revision)}, span{sPlain, "; watchers saw DELETED"})
	default:
		l.item(m.seq, span{sAdd, "✓ "}, span{sPlain, "DELETE by "}, span{sAccent, m.who}, span{sPlain, " accepted: deletionTimestamp set, "}, span{sBold, fmt.Sprintf("rv %d", m.revision)}, span{sPlain, "; watchers saw MODIFIED, not DELETED"})
	}
	if x.policy != "" {
		l.add(span{sDim, "  "}, span{sPlain, "propagationPolicy " + x.policy + ": " + policies[x.policy]})
	}
}

// policies say what becomes of an object's dependents.
var policies = map[string]string{
	"Foreground": "its dependents go first",
	"Background": "it goes at once, and its dependents after it",
	"Orphan":     "its dependents stay, without an owner",
}

// holdLine is one finalizer of the checklist.
func (d *deletes) holdLine(l *lineList, x *deletion, h *hold) {
	name := h.name
	if h.spec {
		name += " (spec.finalizers)"
	}
	if !h.removed.zero() {
		m := h.removed
		l.item(m.seq, span{sAdd, "✓ "}, span{sName, name}, span{sPlain, "  removed by "}, span{sAccent, m.who}, span{sPlain, " at "}, span{sBold, fmt.Sprintf("rv %d", m.revision)}, span{sPlain, " after " + ago(m.at.Sub(x.began.at))})
		return
	}
	held := "holds it for " + ago(x.took(d.u.now()))
	if by := finalizerWriter(x.newest, h); by != "" {
		held += "; last written by " + by
	}
	l.item(0, span{sWarn, "○ "}, span{sName, name}, span{sPlain, "  " + held})
	switch h.name {
	case "foregroundDeletion":
		d.foreground(l, x)
	case "orphan":
		l.add(span{sPlain, "    until its dependents have lost their reference to it; they stay"})
	case "customresourcecleanup.apiextensions.k8s.io":
		l.add(span{sPlain, "    until no object of " + x.ref.name + " is left; creates are refused meanwhile"})
	case "kubernetes":
		if h.spec {
			d.namespaceWaits(l, x)
		}
	default:
		if slices.ContainsFunc(x.holds[:slices.IndexFunc(x.holds, func(o hold) bool { return o == *h })], isWork) {
			return // said above
		}
		l.item(0, span{sDim, "    no write has removed it; whoever put it there is to do its work and take it out.  "}, span{sKey, "y"}, span{sDim, " copies a patch that does"})
	}
}

// isWork reports whether a finalizer that still holds stands for work that a client of its own does.
func isWork(h hold) bool {
	return h.removed.zero() && !h.spec && !slices.Contains(workOfControllers, h.name)
}

// workOfControllers are finalizers that Kubernetes' own controllers take out.
var workOfControllers = []string{"foregroundDeletion", "orphan", "customresourcecleanup.apiextensions.k8s.io"}

// foreground lists the dependents that a deletion in the foreground waits for.
func (d *deletes) foreground(l *lineList, x *deletion) {
	blocking, others := d.waitsFor(x)
	if len(blocking) == 0 {
		l.add(span{sDim, "    no dependent with blockOwnerDeletion is known to be left"})
	}
	for _, g := range byResource(blocking) {
		l.add(span{sPlain, "    waits for "}, span{sWarn, g}, span{sDim, "  blockOwnerDeletion: true"})
	}
	for _, g := range byResource(others) {
		l.add(span{sDim, "    does not wait for " + g})
	}
}

// byResource names objects, many of one resource by their number.
func byResource(refs []objectRef) []string {
	groups := map[string][]objectRef{}
	for _, r := range refs {
		groups[r.resource] = append(groups[r.resource], r)
	}
	var out []string
	for resource, rs := range groups {
		if len(rs) > 3 {
			out = append(out, fmt.Sprintf("%s of %s", count(len(rs)), resource))
			continue
		}
		for _, r := range rs {
			out = append(out, r.text())
		}
	}
	slices.Sort(out)
	return out
}

// namespaceWaits is what the conditions of a namespace say that it waits for.
func (d *deletes) namespaceWaits(l *lineList, x *deletion) {
	said := 0
	conditions, _ := in(parsed(x.newest), "status", "conditions").([]any)
	for _, c := range conditions {
		if textIn(c, "status") != "True" {
			continue
		}
		said++
		l.wrapped(sWarn, "    ", textIn(c, "type")+": "+textIn(c, "message"))
	}
	if said == 0 {
		l.add(span{sDim, "    until nothing is left in it; its conditions name nothing that is"})
	}
}

func (d *deletes) graceLine(l *lineList, x *deletion) {
	if x.gone.zero() {
		left := x.ends.Sub(d.u.now())
		l.add(span{sWarn, "○ "}, span{sPlain, fmt.Sprintf("grace period of %d s, ", x.grace)}, span{sPlain, pick(left > 0, fmt.Sprintf("%s left", ago(left)), "over")})
		return
	}
	l.add(span{sAdd, "✓ "}, span{sPlain, fmt.Sprintf("a grace period of %d s was given", x.grace)})
}

// lastStep is the line of the write that takes the object away.
func (d *deletes) lastStep(l *lineList, x *deletion) {
	switch {
	case !x.twoPhase():
	case x.gone.zero() && len(x.holds) > 0:
		l.item(0, span{sDim, "○ "}, span{sPlain, "the last removal is the deletion: watchers see DELETED, and the row is gone in the same change"})
	case x.gone.zero():
		l.add(span{sDim, "○ "}, span{sPlain, "then a second DELETE, with no grace, takes it away"})
	default:
		m := x.gone
		by := pick(m.verb == "delete", " by a second DELETE of ", " by the same write of ")
		l.item(m.seq, span{sAdd, "✓ "}, span{sPlain, "gone at "}, span{sBold, fmt.Sprintf("rv %d", m.revision)}, span{sPlain, by}, span{sAccent, m.who}, span{sPlain, ": watchers saw DELETED"})
	}
}

// contents counts what was deleted below it, by resource.
func (d *deletes) contents(l *lineList, x *deletion) {
	total, gone := map[string]int{}, map[string]int{}
	places := d.places()
	for _, y := range d.all {
		if places.cause(y) == x {
			total[y.ref.resource]++
			gone[y.ref.resource] += 1 - waits(y)
		}
	}
	if len(total) == 0 {
		return
	}
	var parts []string
	for r, n := range total {
		parts = append(parts, fmt.Sprintf("%s %s of %s gone", r, count(gone[r]), count(n)))
	}
	slices.Sort(parts)
	l.wrapped(sPlain, "below it: ", strings.Join(parts, ", "))
}

// because says why it was deleted, where that was not for itself.
func (d *deletes) because(l *lineList, x *deletion) {
	places := d.places()
	p := places.cause(x)
	if p == nil {
		return
	}
	why := pick(p.ref.resource == definitions, "because the definition of its resource is terminating", "because its namespace is terminating")
	for _, o := range x.owners {
		if o.UID == p.uid {
			why = fmt.Sprintf("because its owner is: ownerReferences names %s %s%s", o.Kind, o.Name, pick(o.BlockOwnerDeletion, ", blockOwnerDeletion", ""))
		}
	}
	l.item(p.began.seq, span{sDim, "deleted "}, span{sPlain, why})
}
