package action

import (
	"encoding/json"
	"fmt"
	"slices"

	"kubarium/flow/object"
	"kubarium/tui/client"
)

// setByServer are the fields of metadata that no client sets.
var setByServer = []string{"resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"}

// At is an object that names a resourceVersion, or with "" none.
func At(obj []byte, rv string) []byte {
	return object.WithMetadata(obj, func(meta map[string]json.RawMessage) {
		delete(meta, "resourceVersion")
		if rv != "" {
			meta["resourceVersion"], _ = json.Marshal(rv) // a string always marshals
		}
	})
}

// Restore brings an older version of an object back: as an update of the one that there is, or with now nil as a create.
func Restore(of client.Resource, k client.Key, older, now []byte) (*Action, error) {
	var o map[string]json.RawMessage
	if err := json.Unmarshal(older, &o); err != nil {
		return nil, fmt.Errorf("the older version cannot be read: %w", err)
	}
	of = named(of, o)
	if of.Has("status") {
		delete(o, "status") // an update of the object does not write it
	}
	manifest, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	manifest = object.WithMetadata(manifest, func(meta map[string]json.RawMessage) {
		for _, name := range setByServer {
			delete(meta, name)
		}
		dropPassing(meta)
		present := object.MetadataOf(now)
		for _, name := range []string{"resourceVersion", "uid"} {
			if present[name] != nil {
				meta[name] = present[name]
			}
		}
	})
	if now == nil {
		return Create(of, k, manifest), nil
	}
	return Update(of, k, manifest), nil
}

// dropPassing takes the finalizers away with which the server itself marked a deletion: the older version may be from within one.
func dropPassing(meta map[string]json.RawMessage) {
	var all []string
	if json.Unmarshal(meta["finalizers"], &all) != nil {
		return
	}
	all = slices.DeleteFunc(all, func(f string) bool { return f == "orphan" || f == "foregroundDeletion" })
	if delete(meta, "finalizers"); len(all) > 0 {
		meta["finalizers"], _ = json.Marshal(all) // strings always marshal
	}
}

// named gives an object its apiVersion and kind, which the items of lists do not tell, and returns its resource in that version.
func named(of client.Resource, o map[string]json.RawMessage) client.Resource {
	var t struct{ APIVersion, Kind string }
	_ = json.Unmarshal(o["apiVersion"], &t.APIVersion) // what is missing or odd is set anew
	for _, v := range of.Others {
		other := of
		if other.Version = v; t.APIVersion == other.GroupVersion() {
			of = other
		}
	}
	o["apiVersion"], _ = json.Marshal(of.GroupVersion())
	o["kind"], _ = json.Marshal(of.Kind)
	return of
}

// Own is an object without what the server sets: its metadata's, and its status. nil stays nil.
func Own(obj []byte) []byte {
	var o map[string]json.RawMessage
	if json.Unmarshal(obj, &o) != nil {
		return obj
	}
	delete(o, "status")
	out, err := json.Marshal(o)
	if err != nil {
		return obj
	}
	return object.WithMetadata(out, func(meta map[string]json.RawMessage) {
		for _, name := range setByServer {
			delete(meta, name)
		}
	})
}
