package route

import (
	"fmt"
	"net/url"

	"k8s.io/apiserver/pkg/endpoints/request"
)

// Info is the route as official filters and authorizers know it.
func (r *Route) Info() *request.RequestInfo {
	return &request.RequestInfo{
		IsResourceRequest: r.IsResource(), Path: r.Path, Verb: r.Verb, APIPrefix: r.Prefix, APIGroup: r.Group, APIVersion: r.Version,
		Namespace: r.Namespace, Resource: r.Resource, Subresource: r.Subresource, Name: r.Name, Parts: r.parts,
		FieldSelector: r.FieldSelector, LabelSelector: r.LabelSelector,
	}
}

// Check returns the error of a URL that asks for nothing: it ends where a resource should begin, as /api/v1/watch
// does.
func (r *Route) Check(u *url.URL) error {
	if r.IsResource() && r.Resource == "" && r.parts == nil {
		return fmt.Errorf("failed to create RequestInfo: unable to determine kind and namespace from url, %v", u)
	}
	return nil
}
