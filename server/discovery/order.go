package discovery

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// A Priority orders group versions: Group is that of its group among others, Version its own in the group, both from
// high to low. A group has the highest that any of its versions gives it. Clients ask the first group that has a
// resource of a name, so priorities decide what "kubectl get NAME" means when several have it.
type Priority struct{ Group, Version int32 }

// BuiltIn are the priorities of kube-apiserver's own group versions, as it registers them with the aggregator
// (k8s.io/kubernetes/cmd/kube-apiserver/app and k8s.io/kubernetes/pkg/controlplane/apiserver, whose packages are all of
// kube-apiserver).
var BuiltIn = map[schema.GroupVersion]Priority{
	{Group: "", Version: "v1"}:                             {18000, 1},
	{Group: "apps", Version: "v1"}:                         {17800, 15},
	{Group: "events.k8s.io", Version: "v1"}:                {17750, 15},
	{Group: "authentication.k8s.io", Version: "v1"}:        {17700, 15},
	{Group: "authorization.k8s.io", Version: "v1"}:         {17600, 15},
	{Group: "autoscaling", Version: "v1"}:                  {17500, 15},
	{Group: "autoscaling", Version: "v2"}:                  {17500, 30},
	{Group: "batch", Version: "v1"}:                        {17400, 15},
	{Group: "certificates.k8s.io", Version: "v1"}:          {17300, 15},
	{Group: "networking.k8s.io", Version: "v1"}:            {17200, 15},
	{Group: "policy", Version: "v1"}:                       {17100, 15},
	{Group: "rbac.authorization.k8s.io", Version: "v1"}:    {17000, 15},
	{Group: "storage.k8s.io", Version: "v1"}:               {16800, 15},
	{Group: "apiextensions.k8s.io", Version: "v1"}:         {16700, 15},
	{Group: "admissionregistration.k8s.io", Version: "v1"}: {16700, 15},
	{Group: "scheduling.k8s.io", Version: "v1"}:            {16600, 15},
	{Group: "coordination.k8s.io", Version: "v1"}:          {16500, 15},
	{Group: "node.k8s.io", Version: "v1"}:                  {16300, 15},
	{Group: "discovery.k8s.io", Version: "v1"}:             {16200, 15},
	{Group: "resource.k8s.io", Version: "v1"}:              {16200, 21},
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1"}: {16100, 21},
	{Group: "storagemigration.k8s.io", Version: "v1"}:      {15800, 15},
}

// Automanaged labels the APIServices that Kubarium makes and keeps for what it serves itself, with how they are kept
// (k8s.io/kube-aggregator's autoregister).
const Automanaged = "kube-aggregator.kubernetes.io/automanaged"

// Custom is the priority of all custom resources.
var Custom = Priority{1000, 100}

// registration is the group of APIServices. It has none itself, and comes before the highest priority that one may have.
const registration = "apiregistration.k8s.io"

// priorityOf is what holds of a group version that this server answers for, unless its APIService says otherwise.
func priorityOf(gv schema.GroupVersion) Priority {
	if gv.Group == registration {
		return Priority{20001, 0}
	}
	if p, ok := BuiltIn[gv]; ok {
		return p
	}
	return Custom
}

// A place is where a group version is listed.
type place struct {
	gv schema.GroupVersion
	at Priority
}

// byService is the order of group versions whose groups have one priority: that of the names of their APIServices, "v1.apps". It is
// what plain documents of kube-apiserver have, while aggregated ones have byGroup.
func byService(a, b place) int {
	return strings.Compare(a.gv.Version+"."+a.gv.Group, b.gv.Version+"."+b.gv.Group)
}

// byGroup is that of the names of groups.
func byGroup(a, b place) int { return strings.Compare(a.gv.Group, b.gv.Group) }

// inGroups sorts places into groups from high priority to low, equal ones by tie. Each begins with its preferred version: that of the
// highest priority, then stable before beta before alpha, and new before old.
func inGroups(places []place, tie func(a, b place) int) [][]place {
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(b.at.Group, a.at.Group), tie(a, b)) })
	var groups [][]place
	at := map[string]int{}
	for _, p := range places {
		i, ok := at[p.gv.Group]
		if !ok {
			i = len(groups)
			at[p.gv.Group], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	for _, g := range groups {
		slices.SortFunc(g, func(a, b place) int {
			return cmp.Or(cmp.Compare(b.at.Version, a.at.Version), version.CompareKubeAwareVersionStrings(b.gv.Version, a.gv.Version))
		})
	}
	return groups
}

// ofRows returns the default priorities of the group versions of rows, without the core group.
func ofRows(rows []Resource) map[schema.GroupVersion]Priority {
	all := map[schema.GroupVersion]Priority{}
	for _, r := range rows {
		if gv := r.GroupVersion(); gv.Group != "" {
			all[gv] = priorityOf(gv)
		}
	}
	return all
}

func placesOf(all map[schema.GroupVersion]Priority) []place {
	places := make([]place, 0, len(all))
	for gv, at := range all {
		places = append(places, place{gv, at})
	}
	return places
}
