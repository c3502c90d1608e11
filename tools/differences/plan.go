package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A plan says which objects of a kind are sent, and how each is changed. It depends on the seed and the count alone.
type plan struct {
	gvk     schema.GroupVersionKind
	seeds   []seed
	samples *samples
	seed    uint64
	count   int
	run     string // the first letters of all names
	ns      string

	main   *part            // what creates and updates change
	subs   map[string]*part // what updates of a subresource change
	order  []field          // of main, shuffled
	often  []field          // of main, without those that all kinds have
	status []field          // of the subresource status, shuffled; empty without one
}

// subresourcePaths lead to what an update through a subresource may change.
var subresourcePaths = map[string][]string{
	"status":              {"status"},
	"approval":            {"status"},
	"finalize":            {"spec"},
	"resize":              {"spec", "containers", "resources"},
	"ephemeralcontainers": {"spec", "ephemeralContainers"},
}

func newPlan(gvk schema.GroupVersionKind, subresources []string, all []seed, s *samples, o options, run string) (*plan, error) {
	t, err := typeOf(gvk)
	if err != nil {
		return nil, err
	}
	p := &plan{gvk: gvk, samples: s, seed: o.seed, count: o.count, run: run, ns: run, subs: map[string]*part{}}
	for _, seed := range all {
		if seed.gvk == gvk && !seed.sample {
			p.seeds = append(p.seeds, seed)
		}
	}
	if len(p.seeds) == 0 {
		return nil, fmt.Errorf("no seed of %s", gvk)
	}
	p.main = newPart(t, nil)
	if slices.Contains(subresources, "status") {
		p.main = newPart(t, nil, "status")
	}
	for _, sub := range subresources {
		path, ok := subresourcePaths[sub]
		if !ok {
			return nil, fmt.Errorf("%s has a subresource that this command does not know: %s", gvk.Kind, sub)
		}
		p.subs[sub] = newPart(t, path)
	}
	p.order = shuffledFields(p.rand(0, "order"), p.main)
	p.often = slices.DeleteFunc(slices.Clone(p.order), func(f field) bool { return f.owner.PkgPath() == metaPackage })
	if status := p.subs["status"]; status != nil {
		p.status = shuffledFields(p.rand(0, "status order"), status)
	}
	return p, nil
}

// metaPackage has the types whose fields all kinds have.
var metaPackage = reflect.TypeFor[metav1.ObjectMeta]().PkgPath()

func shuffledFields(r *rand.Rand, of *part) []field {
	order := slices.Clone(of.fields)
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// rand returns the numbers of one step of one object's story.
func (p *plan) rand(index int, step string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %s", p.gvk, index, step)
	return rand.New(rand.NewPCG(p.seed, h.Sum64()))
}

// names returns what an object is called. again counts the objects that take the place of the first at that index.
func (p *plan) names(index, again int) names {
	h := fnv.New32a()
	fmt.Fprint(h, p.gvk)
	kind := h.Sum32() % 100000 // kinds that share their storage must not share names
	id := fmt.Sprintf("%s%05dx%d%c", p.run, kind, index, 'a'+rune(again))
	return names{
		name:      fmt.Sprintf("%s-%05d-%d%c", p.run, kind, index, 'a'+rune(again)),
		id:        id,
		ip:        fmt.Sprintf("172.%d.%d.%d", 16+again, index/250, 1+index%250),
		namespace: p.ns,
	}
}

// object returns the valid object at the index.
func (p *plan) object(index, again int) map[string]any {
	return p.seeds[index%len(p.seeds)].object(p.names(index, again))
}

// A change is one thing that is done to an object.
type change struct {
	sub  string // the subresource; "" is the main resource
	path []field
}

// creation and update say what is changed before a create and in an update of the main resource. Between them, all objects
// meet all fields of the kind.
func (p *plan) creation(index int) []change { return p.mainChanges(index, 0) }
func (p *plan) update(index int) []change   { return p.mainChanges(index, 1) }

func (p *plan) mainChanges(index, step int) []change {
	r := p.rand(index, fmt.Sprint("fields ", step))
	due := dueFields(p.order, 2*index+step, 2*p.count)
	if len(due) == 0 {
		due = append(due, choose(r, p.often))
	}
	if len(due) == 1 {
		for range max(0, r.IntN(5)-2) {
			due = append(due, choose(r, p.often))
		}
	}
	return p.paths(r, "", p.main, due)
}

// subUpdate says what is changed in an update through a subresource. All objects together meet all fields of the status.
func (p *plan) subUpdate(index int, sub string) []change {
	r := p.rand(index, "fields "+sub)
	if sub == "status" {
		due := dueFields(p.status, index, p.count)
		if len(due) == 0 {
			due = []field{choose(r, p.status)}
		}
		return p.paths(r, sub, p.subs[sub], due)
	}
	if r.IntN(3) == 0 {
		return nil // what fill sets is enough
	}
	return p.paths(r, sub, p.subs[sub], []field{choose(r, p.subs[sub].fields)})
}

func (p *plan) paths(r *rand.Rand, sub string, of *part, fields []field) []change {
	changes := make([]change, len(fields))
	for i, f := range fields {
		changes[i] = change{sub, of.path(r, f)}
	}
	return changes
}

// mostDue bounds the fields of a turn, since an object with many odd fields shows little about each.
const mostDue = 4

// dueFields are those that are met in the turn, when all are to be met in as many turns; none once all were.
func dueFields(all []field, turn, turns int) []field {
	each := min(mostDue, (len(all)+turns-1)/turns)
	from := min(turn*each, len(all))
	return slices.Clone(all[from:min(from+each, len(all))])
}

// apply makes the changes in the object.
func (p *plan) apply(object map[string]any, changes []change, index int, step string) {
	r := p.rand(index, "values "+step)
	for _, c := range changes {
		p.samples.mutate(r, object, c.path)
	}
}

// fill gives the object of an update through the subresource something to change.
func (p *plan) fill(object map[string]any, sub string, index int) {
	r := p.rand(index, "fill "+sub)
	switch sub {
	case "status", "approval":
		if status := p.object(index, 0)["status"]; status != nil {
			object["status"] = status
		}
	case "ephemeralcontainers":
		of := p.subs[sub]
		spec, _ := object["spec"].(map[string]any)
		list, _ := p.samples.plausible(r, of.roots[0])
		if spec != nil {
			spec["ephemeralContainers"] = list
		}
	}
}

// met counts the fields that the changes meet.
type met struct {
	main, status map[field]bool
}

func (m *met) note(changes []change) {
	for _, c := range changes {
		for _, f := range c.path {
			switch c.sub {
			case "":
				m.main[f] = true
			case "status":
				m.status[f] = true
			}
		}
	}
}

// missed lists the fields of the plan that no change met.
func (p *plan) missed(m *met) []string {
	var names []string
	for _, of := range []struct {
		all []field
		met map[field]bool
	}{{p.order, m.main}, {p.status, m.status}} {
		for _, f := range of.all {
			if !of.met[f] {
				names = append(names, f.String())
			}
		}
	}
	slices.Sort(names)
	return names
}
