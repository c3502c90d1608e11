// Package discovery makes the documents by which clients learn what a server serves: /api, /apis, one a group, one a
// group version, and the two aggregated ones. It works on plain rows and knows neither HTTP nor how a row is served.
package discovery

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Resource is a row: what discovery says of one resource in one group version.
type Resource struct {
	schema.GroupVersionKind
	Plural     string // as in paths: "deployments"
	Singular   string
	ShortNames []string
	Categories []string
	Namespaced bool
	// Verbs are listed in this order; see AllVerbs. A resource without verbs, such as one with subresources only, is
	// left out.
	Verbs        []string
	Subresources []Subresource
	// Storage is the group version in which objects are stored; empty means that there is no hash, as for reviews.
	Storage schema.GroupVersion
	// Custom says that a CustomResourceDefinition made it. Such rows keep their order, and aggregated discovery
	// has their group and version in full; for built-in ones it leaves both empty, as kube-apiserver does.
	Custom bool
}

// A Subresource is one of a resource: "status", "scale".
type Subresource struct {
	Name string
	// Kind is what it shows. Its group version is listed if it is not the resource's.
	Kind  schema.GroupVersionKind
	Verbs []string
}

// AllVerbs returns the verbs of a resource that can do everything, in the order of built-in ones.
func AllVerbs() []string {
	return []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
}

// CustomVerbs returns the same verbs in the order of custom resources.
func CustomVerbs() []string {
	return []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
}

// EndingVerbs returns the verbs of a custom resource whose definition is being deleted.
func EndingVerbs() []string {
	return []string{"delete", "deletecollection", "get", "list", "watch"}
}

// SubresourceVerbs returns the verbs of the subresources status and scale.
func SubresourceVerbs() []string {
	return []string{"get", "patch", "update"}
}

// A Service is what an APIService says of a group version.
type Service struct {
	schema.GroupVersion
	Priority
	// Alone says that the group version is listed although no row is of it: another server answers for it, or a user says so.
	Alone bool
}

// APIVersions returns the document of /api. address is where clients reach the server, "127.0.0.1:8080".
func APIVersions(rows []Resource, address string) *metav1.APIVersions {
	versions := []string{}
	for _, r := range rows {
		if r.Group == "" && !slices.Contains(versions, r.Version) {
			versions = append(versions, r.Version)
		}
	}
	return &metav1.APIVersions{
		TypeMeta:                   metav1.TypeMeta{Kind: "APIVersions"}, // never had an apiVersion
		Versions:                   versions,
		ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: address}},
	}
}

// Groups returns the document of /apis: every group but the core group, by priority.
func Groups(rows []Resource, services ...Service) *metav1.APIGroupList {
	list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{}}
	for _, g := range listed(rows, services) {
		list.Groups = append(list.Groups, apiGroup(g))
	}
	return list
}

// Group returns the document of /apis/NAME; ok is false if nothing of that group is served, or for the core group.
func Group(rows []Resource, name string, services ...Service) (group *metav1.APIGroup, ok bool) {
	for _, g := range listed(rows, services) {
		if g[0].gv.Group == name {
			group := apiGroup(g)
			group.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
			return &group, true
		}
	}
	return nil, false
}

// GroupVersions returns what is listed, in the order of /apis, and so without the core group.
func GroupVersions(rows []Resource, services ...Service) []schema.GroupVersion {
	var all []schema.GroupVersion
	for _, g := range listed(rows, services) {
		for _, p := range g {
			all = append(all, p.gv)
		}
	}
	return all
}

// listed are the groups of plain documents, with their versions.
func listed(rows []Resource, services []Service) [][]place {
	all := ofRows(rows)
	for _, s := range services {
		if _, ok := all[s.GroupVersion]; s.GroupVersion.Group != "" && (ok || s.Alone) {
			all[s.GroupVersion] = s.Priority
		}
	}
	return inGroups(placesOf(all), byService)
}

func apiGroup(versions []place) metav1.APIGroup {
	group := metav1.APIGroup{Name: versions[0].gv.Group}
	for _, p := range versions {
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: p.gv.String(), Version: p.gv.Version})
	}
	group.PreferredVersion = group.Versions[0]
	return group
}

// Resources returns the document of /api/v1 or /apis/GROUP/VERSION; ok is false if nothing of it is served.
func Resources(rows []Resource, gv schema.GroupVersion) (list *metav1.APIResourceList, ok bool) {
	if !slices.ContainsFunc(rows, func(r Resource) bool { return r.GroupVersion() == gv }) {
		return nil, false
	}
	list = &metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: gv.String(),
		APIResources: resourcesOf(rows, gv),
	}
	if gv.Group == "" {
		list.APIVersion = "" // the core group's document is older than apiVersions are
	}
	return list, true
}

// resourcesOf flattens the rows of a group version: built-in ones sorted by path, custom ones as they come.
func resourcesOf(rows []Resource, gv schema.GroupVersion) []metav1.APIResource {
	flat := []metav1.APIResource{}
	sorted := true
	for _, r := range rows {
		if r.GroupVersion() == gv {
			flat = append(flat, r.flat()...)
			sorted = sorted && !r.Custom
		}
	}
	if sorted {
		slices.SortFunc(flat, func(a, b metav1.APIResource) int { return strings.Compare(a.Name, b.Name) })
	}
	return flat
}

// flat returns a row and its subresources as entries of one list.
func (r Resource) flat() []metav1.APIResource {
	var entries []metav1.APIResource
	if len(r.Verbs) > 0 {
		entries = append(entries, metav1.APIResource{
			Name: r.Plural, SingularName: r.Singular, Namespaced: r.Namespaced, Kind: r.Kind,
			Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories, StorageVersionHash: r.storageVersionHash(),
		})
	}
	for _, s := range r.Subresources {
		entry := metav1.APIResource{Name: r.Plural + "/" + s.Name, Namespaced: r.Namespaced, Kind: s.Kind.Kind, Verbs: s.Verbs}
		if s.Kind.GroupVersion() != r.GroupVersion() {
			entry.Group, entry.Version = s.Kind.Group, s.Kind.Version
		}
		entries = append(entries, entry)
	}
	return entries
}

// storageVersionHash lets clients see that the stored version changed, but not which it is.
func (r Resource) storageVersionHash() string {
	if r.Storage.Empty() {
		return ""
	}
	sum := sha256.Sum256([]byte(r.Storage.Group + "/" + r.Storage.Version + "/" + r.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}
