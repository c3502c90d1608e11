package tui

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A resource is a kind of object that the server serves, as discovery tells of it.
type resource struct {
	group, version, name, kind string
	short, categories          []string
	verbs, subresources        []string
	namespaced                 bool
	custom                     bool     // defined by a CustomResourceDefinition
	others                     []string // further versions that it is served in
	counted                    bool     // whether n is known
	n                          int64    // objects of it
	countedAt                  int64    // the revision at which they were counted
}

// id names the resource as commits do: "configmaps", "deployments.apps".
func (r *resource) id() string {
	if r.group == "" || r.name == "events" && r.group == "events.k8s.io" {
		return r.name // Events are stored once for both of their groups
	}
	return r.name + "." + r.group
}

// fullName is the name by which kubectl finds the resource in any case.
func (r *resource) fullName() string {
	if r.group == "" {
		return r.name
	}
	return r.name + "." + r.group
}

// groupVersion is what an object's apiVersion says.
func (r *resource) groupVersion() string {
	if r.group == "" {
		return r.version
	}
	return r.group + "/" + r.version
}

// path is the address of a collection ("" for name) or of an object.
func (r *resource) path(namespace, name string) string {
	p := "/api/" + r.version
	if r.group != "" {
		p = "/apis/" + r.group + "/" + r.version
	}
	if namespace != "" && r.namespaced {
		p += "/namespaces/" + url.PathEscape(namespace)
	}
	p += "/" + r.name
	if name != "" {
		p += "/" + url.PathEscape(name)
	}
	return p
}

func (r *resource) can(verb string) bool { return slices.Contains(r.verbs, verb) }

// scope is the word for whether objects live in namespaces.
func (r *resource) scope() string {
	if r.namespaced {
		return "namespaced"
	}
	return "cluster-wide"
}

// answers reports whether the resource is called by this name: its plural, with or without its group, or a short one.
func (r *resource) answers(name string) bool {
	name = strings.ToLower(name)
	return name == r.name || name == r.fullName() || name == strings.ToLower(r.kind) || slices.Contains(r.short, name)
}

// discovered is an aggregated discovery document, as far as the UI looks at it.
type discovered struct {
	Items []struct {
		Metadata struct{ Name string }
		Versions []struct {
			Version   string
			Resources []struct {
				Resource     string
				ResponseKind struct{ Kind string }
				Scope        string
				ShortNames   []string
				Categories   []string
				Verbs        []string
				Subresources []struct{ Subresource string }
			}
		}
	}
}

// resources asks what the server serves: each resource once, in the version that its group prefers.
func (a *api) resources() ([]resource, error) {
	var all []resource
	for _, path := range []string{"/api", "/apis"} {
		var d discovered
		if err := a.read(path, nil, asDiscovery, &d); err != nil {
			return nil, err
		}
		all = append(all, d.resources()...)
	}
	custom := a.customNames()
	for i := range all {
		all[i].custom = custom[all[i].fullName()]
	}
	return all, nil
}

func (d *discovered) resources() []resource {
	var out []resource
	seen := map[string]int{} // index in out, plus one
	for _, g := range d.Items {
		for _, v := range g.Versions {
			for _, r := range v.Resources {
				key := r.Resource + "." + g.Metadata.Name
				if at := seen[key]; at > 0 {
					out[at-1].others = append(out[at-1].others, v.Version)
					continue
				}
				x := resource{group: g.Metadata.Name, version: v.Version, name: r.Resource, kind: r.ResponseKind.Kind, short: r.ShortNames,
					categories: r.Categories, verbs: r.Verbs, namespaced: r.Scope == "Namespaced"}
				for _, s := range r.Subresources {
					x.subresources = append(x.subresources, s.Subresource)
				}
				out = append(out, x)
				seen[key] = len(out)
			}
		}
	}
	return out
}

// partial is a list of objects of which only the metadata is looked at.
type partial struct {
	Metadata struct {
		ResourceVersion    string
		RemainingItemCount int64
	}
	Items []struct{ Metadata struct{ Name string } }
}

// customNames are the full names of the resources that CustomResourceDefinitions define. That they cannot be listed
// leaves nothing marked.
func (a *api) customNames() map[string]bool {
	var list partial
	if a.read("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", nil, asNames, &list) != nil {
		return nil
	}
	names := map[string]bool{}
	for _, c := range list.Items {
		names[c.Metadata.Name] = true
	}
	return names
}

// A tally is how many objects of a resource there were at a revision.
type tally struct{ n, at int64 }

// tallies counts the objects of all resources that can be listed, by id. Each costs a page of one object, which says
// how many remain.
func (a *api) tallies(all []resource) map[string]tally {
	out := map[string]tally{}
	for i := range all {
		r := &all[i]
		if _, done := out[r.id()]; done || !r.can("list") {
			continue
		}
		var list partial
		if a.read(r.path("", ""), url.Values{"limit": {"1"}}, asNames, &list) != nil {
			continue
		}
		at, err := strconv.ParseInt(list.Metadata.ResourceVersion, 10, 64)
		if err != nil {
			continue // no revision, no collection that is stored: nothing to keep a count of
		}
		out[r.id()] = tally{int64(len(list.Items)) + list.Metadata.RemainingItemCount, at}
	}
	return out
}
