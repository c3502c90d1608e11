package aggregate

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/discovery"
)

// Listed is what discovery needs of all APIServices, in any order. Those that Kubarium makes for itself follow a
// moment after what it serves, and so list nothing on their own.
func (a *Aggregator) Listed() []discovery.Service {
	if a == nil {
		return nil
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	all := make([]discovery.Service, 0, len(a.all))
	for _, o := range a.all {
		all = append(all, discovery.Service{
			GroupVersion: schema.GroupVersion{Group: o.Spec.Group, Version: o.Spec.Version},
			Priority:     discovery.Priority{Group: o.Spec.GroupPriorityMinimum, Version: o.Spec.VersionPriority},
			Alone:        o.Labels[discovery.Automanaged] == "" || leadsElsewhere(o),
		})
	}
	return all
}

// Lists reports whether discovery lists a group because of an APIService, whatever Kubarium serves of it.
func (a *Aggregator) Lists(group string) bool {
	return slices.ContainsFunc(a.Listed(), func(s discovery.Service) bool { return s.Alone && s.GroupVersion.Group == group })
}

// Named returns the Service of an APIService, nil if it does not lead elsewhere.
func (a *Aggregator) Named(name string) *Service {
	if a == nil {
		return nil
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.services[name]
}
