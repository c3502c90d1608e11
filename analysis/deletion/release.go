package deletion

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"kubarium/analysis/ownership"
	"kubarium/flow/object"
)

// ReleasePatch is a JSON Patch that takes a finalizer out of the newest version, and only if it is still where it was;
// "" if the metadata does not have it. Sending it skips the work that the finalizer waits for.
func (d *Deletion) ReleasePatch(h Hold) string {
	i := slices.Index(remainsOf(d.Newest).Metadata.Finalizers, h.Name)
	if i < 0 || h.Spec {
		return ""
	}
	where := fmt.Sprintf("/metadata/finalizers/%d", i)
	return fmt.Sprintf(`[{"op":"test","path":%q,"value":%s},{"op":"remove","path":%q}]`, where, quoted(h.Name), where)
}

// WriterOf is the manager that wrote a finalizer last, by the managed fields of the newest version; "" if they do not
// say.
func (d *Deletion) WriterOf(h Hold) string {
	parent := "metadata"
	if h.Spec {
		parent = "spec"
	}
	v, err := fieldpath.DeserializePathElement("v:" + quoted(h.Name))
	if err != nil {
		return ""
	}
	path := fieldpath.MakePathOrDie(parent, "finalizers")
	best, at := "", ""
	for _, o := range ownership.Of(object.Parse(d.Newest)) {
		if (o.Set.Has(append(path.Copy(), v)) || o.Set.Has(path)) && cmp.Compare(o.Time, at) >= 0 {
			best, at = o.Name, o.Time
		}
	}
	return best
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string always marshals
	return string(b)
}
