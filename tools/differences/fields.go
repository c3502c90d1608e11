package main

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A field is a member of a struct type, as JSON names it. A field is the same wherever its struct is used: the image of a
// container is one field, though a Pod has containers in three places.
type field struct {
	owner reflect.Type
	name  string
	typ   reflect.Type
}

func (f field) String() string { return f.owner.Name() + "." + f.name }

// fieldsOf lists the fields of a struct type in their order, those of inlined structs with the inlined type as owner.
func fieldsOf(t reflect.Type) []field {
	var all []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
		case name == "" && f.Anonymous:
			all = append(all, fieldsOf(f.Type)...)
		case name != "":
			all = append(all, field{owner: t, name: name, typ: f.Type})
		}
	}
	return all
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// isStruct reports whether JSON has the type as an object of its fields.
func isStruct(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[runtime.RawExtension]() || t == reflect.TypeFor[metav1.FieldsV1]() {
		return false
	}
	return !t.Implements(marshaler) && !reflect.PointerTo(t).Implements(marshaler)
}

// inner returns the struct type that values of the type hold, straight or in lists, maps and pointers.
func inner(t reflect.Type) (reflect.Type, bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t, isStruct(t)
}

// A part is what a step of an object's story may change: the fields at and below one place of its type.
type part struct {
	prefix  []field // leads from the root to the place
	fields  []field // each once, those near the place first
	parents map[reflect.Type][]field
	roots   []field // the fields of the place itself
}

// newPart returns the part of a type at the path of field names; without a path, all but the named fields of the root.
func newPart(root reflect.Type, path []string, without ...string) *part {
	p := &part{parents: map[reflect.Type][]field{}}
	p.roots = slices.DeleteFunc(fieldsOf(root), func(f field) bool { return slices.Contains(without, f.name) })
	for i, name := range path {
		at := slices.IndexFunc(p.roots, func(f field) bool { return f.name == name })
		f := p.roots[at]
		if i == len(path)-1 {
			p.roots = []field{f}
			break
		}
		p.prefix = append(p.prefix, f)
		t, _ := inner(f.typ)
		p.roots = fieldsOf(t)
	}
	p.walk()
	return p
}

func (p *part) walk() {
	p.fields = slices.Clone(p.roots)
	seen := map[reflect.Type]bool{}
	for i := 0; i < len(p.fields); i++ {
		f := p.fields[i]
		t, ok := inner(f.typ)
		if !ok {
			continue
		}
		below := fieldsOf(t)
		for _, b := range below {
			if !slices.Contains(p.parents[b.owner], f) {
				p.parents[b.owner] = append(p.parents[b.owner], f)
			}
		}
		if !seen[t] {
			seen[t] = true
			p.fields = append(p.fields, below...)
		}
	}
}

// path chooses a way from the root to the field, which is its last step. No struct type is passed twice.
func (p *part) path(r *rand.Rand, f field) []field {
	for {
		if way, ok := p.climb(r, f); ok {
			return append(slices.Clone(p.prefix), way...)
		}
	}
}

// climb goes up from the field by random parents; it fails where it comes to a type that it has passed.
func (p *part) climb(r *rand.Rand, f field) ([]field, bool) {
	way := []field{f}
	for passed := []reflect.Type{}; !slices.Contains(p.roots, f); {
		if slices.Contains(passed, f.owner) {
			return nil, false
		}
		passed = append(passed, f.owner)
		parents := p.parents[f.owner]
		f = parents[r.IntN(len(parents))]
		way = append(way, f)
	}
	slices.Reverse(way)
	return way, true
}
