package main

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// oneOf are the structs of which one member may be set.
var oneOf = []reflect.Type{
	reflect.TypeFor[corev1.VolumeSource](), reflect.TypeFor[corev1.PersistentVolumeSource](), reflect.TypeFor[corev1.EnvVarSource](),
	reflect.TypeFor[corev1.LifecycleHandler](), reflect.TypeFor[corev1.ProbeHandler](), reflect.TypeFor[corev1.VolumeProjection](),
	reflect.TypeFor[corev1.ContainerState](), reflect.TypeFor[resourceapi.DeviceAttribute](),
	reflect.TypeFor[storagev1.VolumeAttachmentSource](),
}

// mutate changes the field at the end of the path in the object. Equal objects and random numbers give equal changes.
func (s *samples) mutate(r *rand.Rand, object map[string]any, path []field) {
	holder := object
	for _, f := range path[:len(path)-1] {
		if slices.Contains(oneOf, f.owner) && holder[f.name] == nil {
			clearOthers(holder, f)
		}
		value, below := s.open(r, f, f.typ, holder[f.name])
		holder[f.name] = value
		holder = below
	}
	s.change(r, holder, path[len(path)-1])
}

// open returns the value of a type with a struct in it, and that struct. Both are made if they are missing.
func (s *samples) open(r *rand.Rand, f field, t reflect.Type, v any) (value any, below map[string]any) {
	switch t.Kind() {
	case reflect.Pointer:
		return s.open(r, f, t.Elem(), v)
	case reflect.Slice:
		list := slices.Clone(asList(v))
		if len(list) == 0 {
			list = asList(s.orEmpty(r, f, t, []any{nil}))
		}
		i := r.IntN(len(list))
		list[i], below = s.open(r, f, t.Elem(), list[i])
		return list, below
	case reflect.Map:
		m, _ := v.(map[string]any)
		if len(m) == 0 {
			m, _ = s.orEmpty(r, f, t, map[string]any{"a": nil}).(map[string]any)
		}
		key := choose(r, slices.Sorted(maps.Keys(m)))
		m[key], below = s.open(r, f, t.Elem(), m[key])
		return m, below
	}
	m, ok := v.(map[string]any)
	if !ok {
		m, _ = s.orEmpty(r, f, t, map[string]any{}).(map[string]any)
	}
	return m, m
}

// orEmpty chooses a value for a field that is not there: a plausible one if it holds anything, or the empty one.
func (s *samples) orEmpty(r *rand.Rand, f field, t reflect.Type, empty any) any {
	if t == f.typ || f.typ.Kind() == reflect.Pointer && t == f.typ.Elem() {
		v, _ := s.plausible(r, f)
		if list := asList(v); len(list) > 0 {
			return v
		}
		if m, ok := v.(map[string]any); ok && len(m) > 0 {
			return v
		}
	}
	return empty
}

// change does one of several things to a field of the struct.
func (s *samples) change(r *rand.Rand, holder map[string]any, f field) {
	switch n := r.IntN(20); {
	case n < 12:
		s.set(r, holder, f)
	case n < 16:
		holder[f.name] = edgeValue(r, f, f.typ)
	case n < 18 && holder[f.name] != nil:
		delete(holder, f.name)
	default:
		if !shuffle(r, holder, f) {
			s.set(r, holder, f)
		}
	}
}

// set gives the field a value that it may have.
func (s *samples) set(r *rand.Rand, holder map[string]any, f field) {
	if slices.Contains(oneOf, f.owner) && r.IntN(4) > 0 {
		clearOthers(holder, f)
	}
	value, ok := s.plausible(r, f)
	if !ok || len(s.enums[f]) == 0 && r.IntN(8) == 0 && scalar(f.typ) {
		value = likelyValue(r, f, f.typ)
	}
	holder[f.name] = value
}

func scalar(t reflect.Type) bool {
	_, ok := inner(t)
	return !ok
}

func clearOthers(holder map[string]any, f field) {
	for _, other := range fieldsOf(f.owner) {
		if other.name != f.name {
			delete(holder, other.name)
		}
	}
}

// shuffle doubles an item of a list, or changes the order of its items, or removes an item of a list or a map.
func shuffle(r *rand.Rand, holder map[string]any, f field) bool {
	switch v := holder[f.name].(type) {
	case []any:
		if len(v) == 0 {
			return false
		}
		holder[f.name] = shuffled(r, v)
		return true
	case map[string]any:
		if len(v) == 0 || f.typ.Kind() != reflect.Map {
			return false
		}
		delete(v, choose(r, slices.Sorted(maps.Keys(v))))
		return true
	}
	return false
}

func shuffled(r *rand.Rand, list []any) []any {
	i := r.IntN(len(list))
	switch {
	case len(list) == 1 || r.IntN(3) == 0:
		return append(slices.Clone(list), clone(list[i]))
	case r.IntN(3) == 0:
		return slices.Delete(slices.Clone(list), i, i+1)
	}
	reversed := slices.Clone(list)
	slices.Reverse(reversed)
	return reversed
}
