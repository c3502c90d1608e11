package discovery

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// priorities are those under which kube-apiserver registers its groups with the aggregator. Discovery lists groups from
// high to low, so they decide which group "kubectl get NAME" means when several have that name.
var priorities = map[string]int{
	"apiregistration.k8s.io":       20000,
	"":                             18000,
	"apps":                         17800,
	"events.k8s.io":                17750,
	"authentication.k8s.io":        17700,
	"authorization.k8s.io":         17600,
	"autoscaling":                  17500,
	"batch":                        17400,
	"certificates.k8s.io":          17300,
	"networking.k8s.io":            17200,
	"policy":                       17100,
	"rbac.authorization.k8s.io":    17000,
	"storage.k8s.io":               16800,
	"apiextensions.k8s.io":         16700,
	"admissionregistration.k8s.io": 16700,
	"scheduling.k8s.io":            16600,
	"coordination.k8s.io":          16500,
	"node.k8s.io":                  16300,
	"discovery.k8s.io":             16200,
	"resource.k8s.io":              16200,
	"flowcontrol.apiserver.k8s.io": 16100,
	"internal.apiserver.k8s.io":    16000,
	"storagemigration.k8s.io":      15800,
	"lifecycle.k8s.io":             15700,
}

// customPriority is that of a group that CustomResourceDefinitions made.
const customPriority = 1000

func priority(group string) int {
	if p, ok := priorities[group]; ok {
		return p
	}
	return customPriority
}

// groupNames returns the groups of the rows from high priority to low, equal ones by name.
func groupNames(rows []Resource) []string {
	var names []string
	for _, r := range rows {
		if !slices.Contains(names, r.Group) {
			names = append(names, r.Group)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(priority(b), priority(a)), cmp.Compare(a, b))
	})
	return names
}

// versionsOf returns the served versions of a group, the preferred one first: stable before beta before alpha, and new
// before old.
func versionsOf(rows []Resource, group string) []schema.GroupVersion {
	var versions []schema.GroupVersion
	for _, r := range rows {
		if r.Group == group && !slices.Contains(versions, r.GroupVersion()) {
			versions = append(versions, r.GroupVersion())
		}
	}
	slices.SortFunc(versions, func(a, b schema.GroupVersion) int {
		return version.CompareKubeAwareVersionStrings(b.Version, a.Version)
	})
	return versions
}
