// Package customresource makes rows of the catalogue from CustomResourceDefinitions: one row for each version of the
// kind that a definition describes, so that custom resources are served like built-in ones (Kubernetes
// documentation, "Custom Resources"). k8s.io/apiextensions-apiserver implements schemas (structure, pruning, defaults,
// validation rules, columns); this package calls it at the right places.
//
// An object is read by the schema of the version in which it is stored, and gets its defaults; then it is converted:
// strategy None changes the apiVersion only, a webhook is asked by the official client (conversion.go), at the first
// read of a form and at each write. The cache's follower never asks one. That client takes no context, so each converts
// one object at a time and knows for which request (Kind.During). An object that is stored in a version that its
// definition has lost is a corrupt object.
//
// The work of an object and its definition together is estimated before it is done (cost.go, columnpath.go), by a walk
// that ends with the request's context, because the libraries do not.
//
// The package works on plain values and knows neither HTTP nor the store. A definition costs little until its objects
// are used: schemas, validators and rules are compiled when they are first needed.
package customresource
