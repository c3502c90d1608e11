package route

import (
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/catalogue"
	"kubarium/server/kinds"
	"kubarium/server/registry"
)

// Served is all that a server serves: the resources of its catalogue, those that are not stored, and pages. It does
// not know what a server serves apart from the API.
type Served struct {
	Catalogue *catalogue.Catalogue
	// Withheld are resources that are known and not served; the catalogue leaves them out as well.
	Withheld []schema.GroupVersionResource
	// Lists reports whether a group has a document although nothing of it may be served here, as an APIService makes
	// it. nil is never.
	Lists func(group string) bool
}

// ComponentStatuses is the one resource whose objects are nowhere: each is a question to a component of the cluster.
var ComponentStatuses = corev1.SchemeGroupVersion.WithResource("componentstatuses")

// ComponentStatus is its row.
var ComponentStatus = sync.OnceValue(kinds.ComponentStatus)

// Serves reports whether there is anything of a group, or of a group version if version is not empty.
func (s *Served) Serves(group, version string) bool {
	return s.Catalogue.Serves(group, version) || s.isVirtual(group, version)
}

// BuiltIn reports whether a group is one of kube-apiserver's own.
func (s *Served) BuiltIn(group string) bool {
	return s.Catalogue.BuiltIn(group, "") || s.isVirtual(group, "")
}

// isVirtual reports whether there is anything of a group or group version that is not stored.
func (s *Served) isVirtual(group, version string) bool {
	return slices.ContainsFunc(s.Virtuals(), func(v *registry.Virtual) bool {
		return v.Group == group && (version == "" || v.Version == version)
	})
}

// GroupVersions are those of the catalogue and of what is not stored.
func (s *Served) GroupVersions() []schema.GroupVersion {
	gvs := s.Catalogue.GroupVersions()
	for _, v := range s.Virtuals() {
		if gv := v.GroupVersion(); !slices.Contains(gvs, gv) {
			gvs = append(gvs, gv)
		}
	}
	return gvs
}

// Virtuals are the resources that are not stored, without those that are withheld.
func (s *Served) Virtuals() []*registry.Virtual {
	if len(s.Withheld) == 0 {
		return registry.Virtuals()
	}
	return slices.DeleteFunc(slices.Clone(registry.Virtuals()), func(v *registry.Virtual) bool {
		return s.Withholds(v.GroupVersion().WithResource(v.Resource))
	})
}

// Withholds reports whether a resource is known and not served.
func (s *Served) Withholds(gvr schema.GroupVersionResource) bool {
	return slices.Contains(s.Withheld, gvr)
}
