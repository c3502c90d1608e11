package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"

	"kubarium/server/openapi"
)

// samples are the values that fields may plausibly have: those of the seeds, and the enums of the published schemas.
type samples struct {
	ofField map[field][]any
	ofType  map[reflect.Type][]any // of struct types
	ofName  map[string][]any       // scalars, by their Go kind and name
	enums   map[field][]any
}

func newSamples(seeds []seed) (*samples, error) {
	s := &samples{ofField: map[field][]any{}, ofType: map[reflect.Type][]any{}, ofName: map[string][]any{}, enums: map[field][]any{}}
	for _, seed := range seeds {
		t, err := typeOf(seed.gvk)
		if err != nil {
			return nil, err
		}
		s.gather(t, seed.object(names{name: "web", id: "web", ip: "192.0.2.1", namespace: "default"}))
		if err := s.readEnums(t); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// gather keeps the values of the fields below a value of the type.
func (s *samples) gather(t reflect.Type, v any) {
	switch t.Kind() {
	case reflect.Pointer:
		s.gather(t.Elem(), v)
		return
	case reflect.Slice:
		for _, item := range asList(v) {
			s.gather(t.Elem(), item)
		}
		return
	case reflect.Map:
		m, _ := v.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(m)) {
			s.gather(t.Elem(), m[key])
		}
		return
	}
	object, ok := v.(map[string]any)
	if !ok || !isStruct(t) {
		return
	}
	s.ofType[t] = append(s.ofType[t], object)
	for _, f := range fieldsOf(t) {
		if value, ok := object[f.name]; ok {
			s.ofField[f] = append(s.ofField[f], value)
			if key, ok := scalarKey(f); ok {
				s.ofName[key] = append(s.ofName[key], value)
			}
			s.gather(f.typ, value)
		}
	}
}

// scalarKey is what scalars of one name and kind are kept under, whatever struct has them.
func scalarKey(f field) (string, bool) {
	t := f.typ
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct || t.Kind() == reflect.Map || t.Kind() == reflect.Slice || t.Name() == "" {
		return "", false
	}
	return fmt.Sprintf("%s %s", f.name, t.Kind()), true
}

// readEnums keeps the enums of a kind's published schema and of the schemas that it refers to.
func (s *samples) readEnums(root reflect.Type) error {
	published, err := openapi.Types(modelName(root))
	if err != nil {
		return err
	}
	for _, f := range newPart(root, nil).fields {
		if schema := published[modelName(f.owner)]; schema != nil && len(schema.Properties[f.name].Enum) > 0 {
			s.enums[f] = schema.Properties[f.name].Enum
		}
	}
	return nil
}

// modelName is what the published schemas call a Go type.
func modelName(t reflect.Type) string {
	if named, ok := reflect.New(t).Interface().(interface{ OpenAPIModelName() string }); ok {
		return named.OpenAPIModelName()
	}
	return ""
}

// plausible chooses a value that the field may have, or false where no seed, name or schema has one.
func (s *samples) plausible(r *rand.Rand, f field) (any, bool) {
	if enum := s.enums[f]; len(enum) > 0 {
		return choose(r, enum), true
	}
	own := s.ofField[f]
	t, ok := inner(f.typ)
	single := ok && (t == f.typ || f.typ.Kind() == reflect.Pointer && t == f.typ.Elem())
	if single && (len(own) == 0 || r.IntN(3) == 0) {
		own = append(slices.Clip(own), s.ofType[t]...)
	}
	if key, ok := scalarKey(f); ok && (len(own) == 0 || r.IntN(4) == 0) {
		own = s.ofName[key]
	}
	if len(own) == 0 {
		return nil, false
	}
	return clone(choose(r, own)), true
}

func choose[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// clone copies a JSON value.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for key, value := range v {
			c[key] = clone(value)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i := range v {
			c[i] = clone(v[i])
		}
		return c
	}
	return v
}
