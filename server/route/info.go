package route

import (
	"fmt"
	"net/url"

	"k8s.io/apiserver/pkg/endpoints/request"
)

// Info is the route as official filters and authorizers know it. The error is that of a path which ends where a resource should
// begin: /api/v1/watch.
func (r Route) Info(u *url.URL) (*request.RequestInfo, error) {
	info := &request.RequestInfo{
		IsResourceRequest: r.IsResource(), Path: r.Path, Verb: r.Verb, APIPrefix: r.Prefix, APIGroup: r.Group, APIVersion: r.Version,
		Namespace: r.Namespace, Resource: r.Resource, Subresource: r.Subresource, Name: r.Name, Parts: r.parts,
		FieldSelector: r.FieldSelector, LabelSelector: r.LabelSelector,
	}
	if r.IsResource() && r.Resource == "" && r.parts == nil {
		return info, fmt.Errorf("unable to determine kind and namespace from url, %v", u)
	}
	return info, nil
}
