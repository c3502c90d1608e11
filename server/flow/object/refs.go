package object

import "kubarium/server/flow"

// A Ref names an object of the store.
type Ref struct{ Resource, Namespace, Name string }

func RefOf(c flow.Commit) Ref { return Ref{c.Resource, c.Namespace, c.Name} }

// targetKey is the object that a request names.
func RefOfTarget(t flow.Target) Ref {
	resource := t.Resource
	if t.Group != "" {
		resource += "." + t.Group
	}
	if t.Resource == "namespaces" {
		t.Namespace = ""
	}
	return Ref{resource, t.Namespace, t.Name}
}

// An OwnerRef is an entry of an object's ownerReferences.
type OwnerRef struct {
	APIVersion, Kind, Name, UID    string
	Controller, BlockOwnerDeletion bool
}
