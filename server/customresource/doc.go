// Package customresource makes rows of the catalogue from CustomResourceDefinitions: one row for each version of the
// kind that a definition describes, so that custom resources go the same way as built-in ones (Kubernetes documentation,
// "Custom Resources"). What a schema means (structure, pruning, defaults, validation rules, columns) is said by
// k8s.io/apiextensions-apiserver; this package asks it at the right places.
//
// It works on plain values and knows neither HTTP nor the store; a conversion webhook is asked by the official client. A
// definition costs little until its objects are used: schemas, validators and rules are compiled when they are first
// needed.
package customresource
