package ownership

import (
	"bytes"
	"encoding/json"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"kubarium/flow/object"
)

// An Owner is one entry of an object's metadata.managedFields: a manager with the fields that it owns by one way of
// writing.
type Owner struct {
	Name        string // of the manager: "kubectl"
	Operation   string // "Apply" or "Update"
	APIVersion  string
	Subresource string         // "" for the main resource
	Time        string         // RFC 3339, when it wrote last
	Set         *fieldpath.Set // the leaves of its fields
}

// Of reads the managed fields of an object as stored, a plain value; entries that do not read are left out.
func Of(stored any) []Owner {
	entries, _ := object.In(stored, "metadata", "managedFields").([]any)
	var out []Owner
	for _, e := range entries {
		b, err := json.Marshal(object.In(e, "fieldsV1"))
		set := fieldpath.NewSet()
		if err != nil || set.FromJSON(bytes.NewReader(b)) != nil {
			continue
		}
		out = append(out, Owner{
			Name: object.TextIn(e, "manager"), Operation: object.TextIn(e, "operation"),
			APIVersion: object.TextIn(e, "apiVersion"), Subresource: object.TextIn(e, "subresource"),
			Time: object.TextIn(e, "time"), Set: set.Leaves(),
		})
	}
	return out
}
