// Package catalogue knows which resources are served: the built-in kinds, and those of CustomResourceDefinitions. It
// makes the rows of a definition when its kind is first asked for. It reads no store: the registry hands it each
// definition as it is stored, and each change of one.
package catalogue

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/customresource"
	"kubarium/server/kinds"
)

// A Catalogue knows the resources that are served now: the built-in ones, and those that CustomResourceDefinitions
// describe. It is safe for concurrent use.
type Catalogue struct {
	kinds     []*kinds.Kind
	byPath    map[schema.GroupVersionResource]*kinds.Kind
	byStorage map[string]*kinds.Kind
	versions  []schema.GroupVersion // in the order of discovery
	defined   definitions
}

// New returns a catalogue of these built-in kinds.
func New(ks ...*kinds.Kind) *Catalogue {
	c := &Catalogue{
		byPath: map[schema.GroupVersionResource]*kinds.Kind{}, byStorage: map[string]*kinds.Kind{},
		defined: definitions{byName: map[string]*definition{}},
	}
	for _, k := range ks {
		c.kinds = append(c.kinds, k)
		c.byPath[k.GroupVersion().WithResource(k.Resource)] = k
		c.byStorage[k.StorageResource()] = k.Stored()
		if !slices.Contains(c.versions, k.GroupVersion()) {
			c.versions = append(c.versions, k.GroupVersion())
		}
	}
	return c
}

// Withhold takes built-in resources out of what is served. Their objects are kept, and what needs them inside finds
// them. Call it before the first request.
func (c *Catalogue) Withhold(off []schema.GroupVersionResource) {
	withheld := func(k *kinds.Kind) bool { return slices.Contains(off, k.GroupVersion().WithResource(k.Resource)) }
	c.kinds = slices.DeleteFunc(c.kinds, withheld)
	maps.DeleteFunc(c.byPath, func(_ schema.GroupVersionResource, k *kinds.Kind) bool { return withheld(k) })
	c.versions = slices.DeleteFunc(c.versions, func(gv schema.GroupVersion) bool {
		return !slices.ContainsFunc(c.kinds, func(k *kinds.Kind) bool { return k.GroupVersion() == gv })
	})
}

// Kind returns the row that a path names by group, version and plural, or nil.
func (c *Catalogue) Kind(gvr schema.GroupVersionResource) *kinds.Kind {
	if k := c.byPath[gvr]; k != nil {
		return k
	}
	return c.defined.kind(gvr)
}

// Stored returns the row in whose form the objects of a storage resource are kept, or nil.
func (c *Catalogue) Stored(resource string) *kinds.Kind {
	if k := c.byStorage[resource]; k != nil {
		return k
	}
	if d := c.defined.named(resource); d != nil {
		return d.Stored
	}
	return nil
}

// Of returns the built-in row of a kind, though it may not be served; nil if there is none.
func (c *Catalogue) Of(gvk schema.GroupVersionKind) *kinds.Kind {
	for _, k := range c.kinds {
		if k.GroupVersionKind == gvk {
			return k
		}
	}
	for _, k := range c.byStorage {
		if k.GroupVersionKind == gvk {
			return k
		}
	}
	return nil
}

// Kinds returns the rows that discovery lists: the built-in ones in its order, then those of established definitions.
func (c *Catalogue) Kinds() []*kinds.Kind {
	all := slices.Clone(c.kinds)
	for _, d := range c.Definitions() {
		if d.Established {
			all = append(all, d.Rows...)
		}
	}
	return all
}

// Definitions returns the CustomResourceDefinitions that there are, in the order of their names.
func (c *Catalogue) Definitions() []*customresource.Definition { return c.defined.all() }

// BuiltIn reports whether Kubarium itself serves this group and version, or, without a version, any of the group.
func (c *Catalogue) BuiltIn(group, version string) bool {
	return slices.ContainsFunc(c.versions, func(gv schema.GroupVersion) bool {
		return gv.Group == group && (version == "" || gv.Version == version)
	})
}

// Serves reports whether any resource of this group, or of this group and version if version is not empty, is served.
func (c *Catalogue) Serves(group, version string) bool {
	return c.BuiltIn(group, version) || slices.ContainsFunc(c.defined.inGroup(group), func(d *customresource.Definition) bool {
		return d.Established && slices.ContainsFunc(d.Rows, func(k *kinds.Kind) bool { return version == "" || k.Version == version })
	})
}

// GroupVersions returns the built-in group versions, in the order of discovery.
func (c *Catalogue) GroupVersions() []schema.GroupVersion { return slices.Clone(c.versions) }
