package body

import (
	"encoding/json"
	"strings"

	"sigs.k8s.io/yaml"

	"kubarium/flow/object"
)

// ObjectText returns an object's YAML line by line, without the fields that differ between any two versions.
func ObjectText(stored []byte) []string { return VersionText(Without(stored, "managedFields")) }

// VersionText returns the YAML of an object's version line by line, without its resourceVersion.
func VersionText(stored []byte) []string {
	if len(stored) == 0 {
		return nil
	}
	var o map[string]any
	if json.Unmarshal(Without(stored, "resourceVersion"), &o) != nil {
		return Pretty(stored)
	}
	delete(o, "kind") // the items of a list name neither
	delete(o, "apiVersion")
	y, err := yaml.Marshal(o)
	if err != nil {
		return Pretty(stored)
	}
	return strings.Split(strings.TrimRight(string(y), "\n"), "\n")
}

// Joined joins lines.
func Joined(lines []string) []byte {
	var out []byte
	for _, l := range lines {
		out = append(append(out, l...), '\n')
	}
	return out
}

// Without returns a JSON object without some fields of its metadata; other text stays as it is.
func Without(body []byte, fields ...string) []byte {
	return object.WithMetadata(body, func(meta map[string]json.RawMessage) {
		for _, f := range fields {
			delete(meta, f)
		}
	})
}
