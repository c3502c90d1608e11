package action

import (
	"encoding/json"
	"fmt"
	"slices"

	"kubarium/flow/object"
	"kubarium/tui/client"
)

// setByServer are the fields of metadata that no client sets.
var setByServer = []string{
	"resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "selfLink",
	"deletionTimestamp", "deletionGracePeriodSeconds",
}

// At returns an object with this resourceVersion, or with "" without one.
func At(obj []byte, rv string) []byte {
	return object.WithMetadata(obj, func(meta map[string]json.RawMessage) {
		delete(meta, "resourceVersion")
		if rv != "" {
			meta["resourceVersion"], _ = json.Marshal(rv) // a string always marshals
		}
	})
}

// Restore returns the action that restores an older version: an update of now, or a create if now is nil.
func Restore(of client.Resource, k client.Key, older, now []byte) (*Action, error) {
	var o map[string]json.RawMessage
	if err := json.Unmarshal(older, &o); err != nil {
		return nil, fmt.Errorf("the older version cannot be read: %w", err)
	}
	of = named(of, o)
	if of.Has("status") { // an update of the object does not write the status
		delete(o, "status")
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

// dropPassing removes the finalizers with which the server marked a deletion: the older version may be from during one.
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

// named sets an object's apiVersion and kind, which items of lists lack, and returns its resource in that version.
func named(of client.Resource, o map[string]json.RawMessage) client.Resource {
	var t struct{ APIVersion, Kind string }
	_ = json.Unmarshal(o["apiVersion"], &t.APIVersion) // a missing or invalid value is replaced below
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

// Own returns an object without fields that the server sets: those of its metadata, and its status. nil stays nil.
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
