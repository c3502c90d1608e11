package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"
)

// Each seed and sample has the members of its Go type and no others.
func TestSeeds_Decode(t *testing.T) {
	seeds, err := readSeeds()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range seeds {
		typ, err := typeOf(s.gvk)
		if err != nil {
			t.Error(err)
			continue
		}
		text, _ := json.Marshal(s.object(names{name: "web", id: "web", ip: "192.0.2.1", namespace: "default"}))
		strict, err := kjson.UnmarshalStrict(text, reflect.New(typ).Interface())
		if err != nil || len(strict) > 0 {
			t.Errorf("%s: %v %v", s.gvk, err, strict)
		}
	}
}

// With the default count, the objects of each kind meet each field of its type, through the right resource.
func TestPlan_FieldsMet(t *testing.T) {
	for _, p := range plans(t, 1) {
		m := &met{main: map[field]bool{}, status: map[field]bool{}}
		for i := range p.count {
			m.note(p.creation(i))
			m.note(p.update(i))
			for sub := range p.subs {
				m.note(p.subUpdate(i, sub))
			}
		}
		if missed := p.missed(m); len(missed) > 0 {
			t.Errorf("%s: %d of %d not met: %v", p.gvk, len(missed), len(p.order)+len(p.status), missed)
		}
	}
}

// A seed gives the same objects each time, whatever was made before, and another seed gives others.
func TestPlan_Deterministic(t *testing.T) {
	object := func(p *plan, i int) string {
		o := p.object(i, 0)
		p.apply(o, p.creation(i), i, "create")
		p.apply(o, p.update(i), i, "update")
		text, _ := json.Marshal(o)
		return string(text)
	}
	first, second, other := plans(t, 1), plans(t, 1), plans(t, 2)
	for k := range first {
		changed := 0
		made := make([]string, 20)
		for i := range made {
			made[i] = object(first[k], i)
		}
		for i, a := range slices.Backward(made) {
			if b := object(second[k], i); a != b {
				t.Fatalf("%s %d: twice not the same:\n%s\n%s", first[k].gvk, i, a, b)
			}
			if object(other[k], i) != a {
				changed++
			}
		}
		if changed < 15 {
			t.Errorf("%s: another seed changes %d of 20 objects", first[k].gvk, changed)
		}
	}
}

// plans returns one for each kind that has a seed.
func plans(t *testing.T, seed uint64) []*plan {
	t.Helper()
	seeds, err := readSeeds()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[schema.GroupVersionKind]bool{}
	var kinds []served
	for _, s := range seeds {
		if seen[s.gvk] {
			continue
		}
		seen[s.gvk] = true
		k := served{gvk: s.gvk}
		if typ, _ := typeOf(s.gvk); typ != nil {
			if _, ok := typ.FieldByName("Status"); ok {
				k.subresources = []string{"status"}
			}
		}
		kinds = append(kinds, k)
	}
	all, err := newPlans(kinds, options{seed: seed, count: 200}, "d00000")
	if err != nil {
		t.Fatal(err)
	}
	return all
}
