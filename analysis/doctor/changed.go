package doctor

import (
	"bytes"

	"kubarium/flow"
	"kubarium/flow/object"
)

// largestRead is the largest object that is compared field by field, so that one client with large objects does not
// slow everything.
const largestRead = 128 << 10

// changedLeaves are the fields that a change gave another value, with those before and after it; nil for absent. Those
// that the server sets are left out. Parts that are the same byte by byte are not read.
func changedLeaves(e *flow.Effect) (before, after map[string]any) {
	before, now := map[string]any{}, map[string]any{}
	differing("", e.Before, e.After, func(path string, was, is []byte) {
		if path != "metadata" {
			object.AddLeaves(before, path, object.Parse(was))
			object.AddLeaves(now, path, object.Parse(is))
			return
		}
		differing("metadata", was, is, func(path string, was, is []byte) {
			object.AddLeaves(before, path, object.Parse(was))
			object.AddLeaves(now, path, object.Parse(is))
		})
	})
	after = map[string]any{}
	for path, v := range now {
		if !object.Same(before[path], v) {
			after[path] = v
		}
	}
	for path := range before {
		if _, still := now[path]; !still {
			after[path] = nil
		}
	}
	return before, after
}

// differing calls each with the fields of two objects that are not written alike, except those that the server sets;
// nil for absent.
func differing(at string, was, is []byte, each func(path string, was, is []byte)) {
	type field struct{ name, raw []byte }
	var fields []field
	object.Members(was, func(name, raw []byte) bool {
		fields = append(fields, field{name, raw})
		return true
	})
	report := func(name, was, is []byte) {
		if path := object.JoinPath(at, string(name)); !bytes.Equal(was, is) && !object.Ignored(path) {
			each(path, was, is)
		}
	}
	object.Members(is, func(name, raw []byte) bool {
		for i := range fields {
			if bytes.Equal(fields[i].name, name) {
				report(name, fields[i].raw, raw)
				fields[i].raw = nil
				return true
			}
		}
		report(name, nil, raw)
		return true
	})
	for _, f := range fields {
		if f.raw != nil {
			report(f.name, f.raw, nil)
		}
	}
}
