// Package patch makes a new JSON object of an old one and a patch: JSON Patch (RFC 6902), JSON Merge Patch (RFC 7396)
// and the strategic merge patch of Kubernetes. It is a pure room: no store, no HTTP. Its errors are apimachinery
// StatusErrors with the texts of kube-apiserver.
//
// The work of a JSON Patch and of a strategic merge patch is estimated first (jsonwork.go, strategicwork.go), by a walk
// that can be stopped, because the libraries cannot. A merge patch is applied in one pass over both texts (merge.go):
// the library takes the square of their depth.
package patch
