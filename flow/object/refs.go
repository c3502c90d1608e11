package object

import "kubarium/flow"

// Definitions is the resource of CustomResourceDefinitions in the form of Ref.Resource.
const Definitions = "customresourcedefinitions.apiextensions.k8s.io"

// A Ref names an object of the store. Its Resource is that of a flow.Commit: "configmaps", "deployments.apps".
type Ref struct{ Resource, Namespace, Name string }

// RefOf returns the object that a commit changed.
func RefOf(c flow.Commit) Ref { return Ref{c.Resource, c.Namespace, c.Name} }

// RefOfTarget returns the object that a request names; for a collection or a create it has no name.
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
