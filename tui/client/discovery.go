package client

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"kubarium/flow"
)

// A Resource is a resource of the server, from discovery.
type Resource struct {
	Group, Version, Name, Kind string
	Singular                   string
	Short, Categories          []string
	Verbs, Subresources        []string
	Namespaced                 bool
	Custom                     bool     // defined by a CustomResourceDefinition
	Elsewhere                  bool     // of another server, as its APIService says: writes to it make no commits here
	Others                     []string // further versions in which it is served
	Counted                    bool     // whether N is known
	N                          int64    // number of its objects
	CountedAt                  int64    // the revision of N
}

// ID returns the resource as commits name it: "configmaps", "deployments.apps".
func (r *Resource) ID() string {
	if r.Group == "" || r.Name == "events" && r.Group == "events.k8s.io" {
		return r.Name // Events are stored once for both of their groups
	}
	return r.Name + "." + r.Group
}

// FullName returns the name with which kubectl always finds the resource.
func (r *Resource) FullName() string {
	if r.Group == "" {
		return r.Name
	}
	return r.Name + "." + r.Group
}

// GroupVersion returns the apiVersion of its objects.
func (r *Resource) GroupVersion() string {
	if r.Group == "" {
		return r.Version
	}
	return r.Group + "/" + r.Version
}

// Path returns the path of a collection (with "" for name) or of an object.
func (r *Resource) Path(namespace, name string) string {
	p := "/api/" + r.Version
	if r.Group != "" {
		p = "/apis/" + r.Group + "/" + r.Version
	}
	if namespace != "" && r.Namespaced {
		p += "/namespaces/" + url.PathEscape(namespace)
	}
	p += "/" + r.Name
	if name != "" {
		p += "/" + url.PathEscape(name)
	}
	return p
}

// OpenAPIPath returns the path of the OpenAPI document of the resource's group and version.
func (r *Resource) OpenAPIPath() string {
	if r.Group == "" {
		return "/openapi/v3/api/" + r.Version
	}
	return "/openapi/v3/apis/" + r.Group + "/" + r.Version
}

// Origin returns the origin of the resource if it is not built in: "aggregated" or "custom".
func (r *Resource) Origin() string {
	switch {
	case r.Elsewhere:
		return "aggregated"
	case r.Custom:
		return "custom"
	}
	return ""
}

// IsElsewhere reports whether another server answered a request about the resource.
func (r *Resource) IsElsewhere(t flow.Target) bool {
	return r.Elsewhere && r.Group == t.Group && r.Name == t.Resource
}

// Can reports whether the resource has a verb.
func (r *Resource) Can(verb string) bool { return slices.Contains(r.Verbs, verb) }

// Scope says whether the objects are namespaced.
func (r *Resource) Scope() string {
	if r.Namespaced {
		return "namespaced"
	}
	return "cluster-wide"
}

// Serves reports whether the resource is served in a version.
func (r *Resource) Serves(version string) bool {
	return r.Version == version || slices.Contains(r.Others, version)
}

// Has reports whether the resource has a subresource.
func (r *Resource) Has(subresource string) bool { return slices.Contains(r.Subresources, subresource) }

// Answers reports whether this is a name of the resource: its plural with or without the group, its singular, its kind,
// or a short name.
func (r *Resource) Answers(name string) bool {
	name = strings.ToLower(name)
	return name == r.Name || name == r.FullName() || name == r.Singular ||
		name == strings.ToLower(r.Kind) || slices.Contains(r.Short, name)
}

// discovered is the part of an aggregated discovery document that the UI uses.
type discovered struct {
	Items []struct {
		Metadata struct{ Name string }
		Versions []struct {
			Version   string
			Resources []struct {
				Resource         string
				ResponseKind     struct{ Kind string }
				SingularResource string
				Scope            string
				ShortNames       []string
				Categories       []string
				Verbs            []string
				Subresources     []struct{ Subresource string }
			}
		}
	}
}

// Resources reads the server's resources: each once, in its group's preferred version.
func (a *Client) Resources() ([]Resource, error) {
	var all []Resource
	for _, path := range []string{"/api", "/apis"} {
		var d discovered
		if err := a.Read(path, nil, discoveryForm, &d); err != nil {
			return nil, err
		}
		all = append(all, d.resources()...)
	}
	custom, elsewhere := a.customNames(), a.elsewhere()
	for i := range all {
		all[i].Custom, all[i].Elsewhere = custom[all[i].FullName()], elsewhere[all[i].GroupVersion()]
	}
	return all, nil
}

func (d *discovered) resources() []Resource {
	var out []Resource
	seen := map[string]int{} // index in out, plus one
	for _, g := range d.Items {
		for _, v := range g.Versions {
			for _, r := range v.Resources {
				key := r.Resource + "." + g.Metadata.Name
				if at := seen[key]; at > 0 {
					out[at-1].Others = append(out[at-1].Others, v.Version)
					continue
				}
				x := Resource{
					Group: g.Metadata.Name, Version: v.Version, Name: r.Resource, Kind: r.ResponseKind.Kind,
					Singular: r.SingularResource, Short: r.ShortNames, Categories: r.Categories, Verbs: r.Verbs,
					Namespaced: r.Scope == "Namespaced",
				}
				for _, s := range r.Subresources {
					x.Subresources = append(x.Subresources, s.Subresource)
				}
				out = append(out, x)
				seen[key] = len(out)
			}
		}
	}
	return out
}

// partial is a list of objects with only their metadata.
type partial struct {
	Metadata struct {
		ResourceVersion    string
		RemainingItemCount int64
	}
	Items []struct{ Metadata struct{ Name string } }
}

// customNames returns the full names of resources defined by CustomResourceDefinitions; nil if they cannot be listed.
func (a *Client) customNames() map[string]bool {
	var list partial
	if a.Read("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", a.Then(nil), NamesForm, &list) != nil {
		return nil
	}
	names := map[string]bool{}
	for _, c := range list.Items {
		names[c.Metadata.Name] = true
	}
	return names
}

// elsewhere returns the group versions that APIServices assign to other servers; nil if they cannot be listed.
func (a *Client) elsewhere() map[string]bool {
	var list struct {
		Items []struct {
			Metadata struct{ Annotations map[string]string }
			Spec     struct {
				Group, Version string
				Service        *struct{}
			}
		}
	}
	if a.Read("/apis/apiregistration.k8s.io/v1/apiservices", a.Then(nil), "application/json", &list) != nil {
		return nil
	}
	versions := map[string]bool{}
	for _, s := range list.Items {
		if s.Spec.Service != nil || s.Metadata.Annotations["kubarium.dev/url"] != "" {
			versions[s.Spec.Group+"/"+s.Spec.Version] = true
		}
	}
	return versions
}

// A Tally is the number of a resource's objects at a revision.
type Tally struct{ N, At int64 }

// Tallies counts the objects of all resources that can be listed, by ID, in one namespace or with "" in all. Each count
// reads a page of one object, which has the number of remaining ones.
func (a *Client) Tallies(all []Resource, namespace string) map[string]Tally {
	out := map[string]Tally{}
	for i := range all {
		r := &all[i]
		if _, done := out[r.ID()]; done || !r.Can("list") {
			continue
		}
		var list partial
		if a.Read(r.Path(namespace, ""), a.Then(url.Values{"limit": {"1"}}), NamesForm, &list) != nil {
			continue
		}
		at, err := strconv.ParseInt(list.Metadata.ResourceVersion, 10, 64)
		if err != nil {
			continue // without a revision, the objects are not stored
		}
		out[r.ID()] = Tally{int64(len(list.Items)) + list.Metadata.RemainingItemCount, at}
	}
	return out
}
