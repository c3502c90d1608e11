package tui

import (
	"bytes"
	"encoding/json"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A fieldOwner is one entry of an object's metadata.managedFields: a manager with the fields that it owns by one way of
// writing.
type fieldOwner struct {
	name, operation, apiVersion, subresource, time string
	set                                            *fieldpath.Set // without what only holds others of its fields
}

func (o *fieldOwner) is(name string, apply bool) bool {
	return o.name == name && (o.operation == "Apply") == apply
}

// ownersOf reads the managed fields of an object; entries that do not read are left out.
func ownersOf(object any) []fieldOwner {
	entries, _ := in(object, "metadata", "managedFields").([]any)
	var out []fieldOwner
	for _, e := range entries {
		b, err := json.Marshal(in(e, "fieldsV1"))
		set := fieldpath.NewSet()
		if err != nil || set.FromJSON(bytes.NewReader(b)) != nil {
			continue
		}
		out = append(out, fieldOwner{
			name: textIn(e, "manager"), operation: textIn(e, "operation"), apiVersion: textIn(e, "apiVersion"),
			subresource: textIn(e, "subresource"), time: textIn(e, "time"), set: set.Leaves(),
		})
	}
	return out
}
