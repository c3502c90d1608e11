package catalogue

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/kinds"
)

// EquivalentResourcesFor fulfils runtime.EquivalentResourceMapper: the resources through which the same stored
// objects are seen, as a webhook with matchPolicy Equivalent wants to know. The resource itself is one of them.
func (c *Catalogue) EquivalentResourcesFor(resource schema.GroupVersionResource, subresource string) []schema.GroupVersionResource {
	asked := c.Kind(resource)
	if asked == nil {
		return nil
	}
	var all []schema.GroupVersionResource
	for _, k := range c.sharing(asked) {
		if subresource == "" || k.Shows(subresource) {
			all = append(all, k.GroupVersion().WithResource(k.Resource))
		}
	}
	return all
}

// sharing are the served rows whose objects are kept in one place.
func (c *Catalogue) sharing(asked *kinds.Kind) []*kinds.Kind {
	if d := c.defined.named(asked.StorageResource()); d != nil {
		return d.Rows
	}
	var all []*kinds.Kind
	for _, k := range c.kinds {
		if k.StorageResource() == asked.StorageResource() {
			all = append(all, k)
		}
	}
	return all
}

// KindFor fulfils runtime.EquivalentResourceMapper: the kind of what a resource or subresource takes, empty for one
// that is not served.
func (c *Catalogue) KindFor(resource schema.GroupVersionResource, subresource string) schema.GroupVersionKind {
	k := c.Kind(resource)
	if k == nil || subresource != "" && !k.Shows(subresource) {
		return schema.GroupVersionKind{}
	}
	return k.Shown(subresource)
}
