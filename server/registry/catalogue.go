package registry

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/kinds"
)

// A Catalogue knows the resources that are served now. It is safe for concurrent use.
type Catalogue struct {
	mu        sync.RWMutex
	kinds     []*kinds.Kind
	byPath    map[schema.GroupVersionResource]*kinds.Kind
	byStorage map[string]*kinds.Kind
}

// NewCatalogue returns a catalogue of these kinds.
func NewCatalogue(ks ...*kinds.Kind) *Catalogue {
	c := &Catalogue{byPath: map[schema.GroupVersionResource]*kinds.Kind{}, byStorage: map[string]*kinds.Kind{}}
	for _, k := range ks {
		c.kinds = append(c.kinds, k)
		c.byPath[k.GroupVersion().WithResource(k.Resource)] = k
		c.byStorage[k.StorageResource()] = k
	}
	return c
}

// Kind returns the row that a path names by group, version and plural, or nil.
func (c *Catalogue) Kind(gvr schema.GroupVersionResource) *kinds.Kind {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.byPath[gvr]
}

// Stored returns the row whose objects are stored under this resource, or nil.
func (c *Catalogue) Stored(resource string) *kinds.Kind {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.byStorage[resource]
}

// Kinds returns all rows in the order of discovery.
func (c *Catalogue) Kinds() []*kinds.Kind {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clone(c.kinds)
}

// Serves tells whether any resource of this group, or of this group and version if version is not empty, is served.
func (c *Catalogue) Serves(group, version string) bool {
	return slices.ContainsFunc(c.Kinds(), func(k *kinds.Kind) bool {
		return k.Group == group && (version == "" || k.Version == version)
	})
}

// GroupVersions returns the group versions that are served, in the order of discovery.
func (c *Catalogue) GroupVersions() []schema.GroupVersion {
	var gvs []schema.GroupVersion
	for _, k := range c.Kinds() {
		if gv := k.GroupVersion(); !slices.Contains(gvs, gv) {
			gvs = append(gvs, gv)
		}
	}
	return gvs
}
