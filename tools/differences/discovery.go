package main

import (
	"context"
	"net/url"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A served kind is one that can be created, read, updated and deleted.
type served struct {
	gvk          schema.GroupVersionKind
	resource     string
	namespaced   bool
	subresources []string // those that show the whole object and can be updated, sorted
}

// path returns the path of an object, of its subresource unless that is "", or of the collection if it has no name.
func (k served) path(namespace, name, subresource string) string {
	path := "/apis/" + k.gvk.Group
	if k.gvk.Group == "" {
		path = "/api"
	}
	path += "/" + k.gvk.Version
	if k.namespaced {
		path += "/namespaces/" + namespace
	}
	path += "/" + k.resource
	for _, part := range []string{name, subresource} {
		if part != "" {
			path += "/" + url.PathEscape(part)
		}
	}
	return path
}

// discover lists what a server serves, by kind.
func discover(ctx context.Context, c *client) (map[schema.GroupVersionKind]served, error) {
	var groups metav1.APIGroupList
	if err := c.get(ctx, "/apis", &groups); err != nil {
		return nil, err
	}
	paths := map[schema.GroupVersion]string{{Version: "v1"}: "/api/v1"}
	for _, group := range groups.Groups {
		for _, v := range group.Versions {
			paths[schema.GroupVersion{Group: group.Name, Version: v.Version}] = "/apis/" + v.GroupVersion
		}
	}
	kinds := map[schema.GroupVersionKind]served{}
	for gv, path := range paths {
		var list metav1.APIResourceList
		if err := c.get(ctx, path, &list); err != nil {
			return nil, err
		}
		for _, k := range wholeKinds(gv, list.APIResources) {
			kinds[k.gvk] = k
		}
	}
	return kinds, nil
}

// wholeKinds lists the kinds that a group version serves with all verbs that a story needs, in the order of their names.
func wholeKinds(gv schema.GroupVersion, resources []metav1.APIResource) []served {
	var kinds []served
	for _, r := range resources {
		if strings.Contains(r.Name, "/") || !hasVerbs(r, "create", "get", "update", "delete") {
			continue
		}
		k := served{gvk: gv.WithKind(r.Kind), resource: r.Name, namespaced: r.Namespaced}
		for _, sub := range resources {
			if name, ok := strings.CutPrefix(sub.Name, r.Name+"/"); ok && sub.Kind == r.Kind && hasVerbs(sub, "update") {
				k.subresources = append(k.subresources, name)
			}
		}
		slices.Sort(k.subresources)
		kinds = append(kinds, k)
	}
	return kinds
}

func hasVerbs(r metav1.APIResource, verbs ...string) bool {
	return !slices.ContainsFunc(verbs, func(v string) bool { return !slices.Contains(r.Verbs, v) })
}

// inBoth lists the kinds that both servers serve in the order of their groups and names, as far as they were asked for.
// Kinds of CustomResourceDefinitions have no Go type and are left out.
func inBoth(a, b map[schema.GroupVersionKind]served, wanted []string) []served {
	var kinds []served
	for gvk, k := range a {
		if _, ok := b[gvk]; !ok || !scheme.Recognizes(gvk) {
			continue
		}
		if len(wanted) == 0 || slices.Contains(wanted, k.resource) || slices.Contains(wanted, strings.ToLower(gvk.Kind)) {
			kinds = append(kinds, k)
		}
	}
	slices.SortFunc(kinds, func(a, b served) int { return strings.Compare(a.gvk.String(), b.gvk.String()) })
	return kinds
}
