package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// verbs are those of requests, and further rights that some requests need.
var verbs = []string{
	"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection",
	"bind", "escalate", "impersonate", "use", "approve", "sign", "attest", "unsafe-delete-ignore-read-errors", "*",
}

// paths are for no resource.
var paths = []string{
	"/", "/api", "/api/", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/openapi", "/openapi/v2", "/openapi/v3", "/version", "/version/",
	"/version/x", "/healthz", "/healthz/etcd", "/livez", "/livez/ping", "/readyz", "/readyz/", "/metrics", "/metrics/slis", "/metrics/cadvisor",
	"/logs", "/logs/x", "/debug/pprof", "/.well-known/openid-configuration", "/openid/v1/jwks", "/nonsense", "*", "/*", "",
}

// methods are the verbs of such requests.
var methods = []string{"get", "head", "post", "put", "patch", "delete", "options", "*"}

// questions are all that is asked about one subject.
func questions(one subject, resources []schema.GroupVersionResource) []authorizationv1.SubjectAccessReviewSpec {
	var all []authorizationv1.SubjectAccessReviewSpec
	ask := func(a *authorizationv1.ResourceAttributes) {
		all = append(all, authorizationv1.SubjectAccessReviewSpec{User: one.user, ResourceAttributes: a})
	}
	for _, r := range resources {
		resource, subresource, _ := strings.Cut(r.Resource, "/")
		for _, verb := range verbs {
			a := authorizationv1.ResourceAttributes{Group: r.Group, Version: r.Version, Resource: resource, Subresource: subresource, Verb: verb}
			ask(a.DeepCopy())
			a.Namespace = namespace
			ask(a.DeepCopy())
			if one.namespace != "" {
				a.Name = object
				ask(a.DeepCopy())
			}
		}
	}
	for _, path := range paths {
		for _, method := range methods {
			all = append(all, authorizationv1.SubjectAccessReviewSpec{User: one.user, NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: path, Verb: method}})
		}
	}
	return all
}

// discover lists the resources and subresources that either server serves, each in one of its versions, and two that none does.
func discover(ctx context.Context, servers []*server) ([]schema.GroupVersionResource, error) {
	found := map[schema.GroupResource]schema.GroupVersionResource{}
	for _, s := range servers {
		_, lists, err := discovery.ServerGroupsAndResources(s.Discovery())
		if err != nil {
			return nil, fmt.Errorf("%s: discovery: %w", s.name, err)
		}
		for _, list := range lists {
			gv, err := schema.ParseGroupVersion(list.GroupVersion)
			if err != nil {
				return nil, err
			}
			for _, r := range list.APIResources {
				found[schema.GroupResource{Group: gv.Group, Resource: r.Name}] = gv.WithResource(r.Name)
			}
		}
	}
	all := []schema.GroupVersionResource{{Group: "*", Version: "*", Resource: "*"}, {Group: "no.such", Version: "v1", Resource: "nothings"}}
	for _, r := range found {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b schema.GroupVersionResource) int { return strings.Compare(a.String(), b.String()) })
	return all, ctx.Err()
}
