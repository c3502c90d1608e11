package registry

import (
	"context"
	"fmt"

	"kubarium/server/cache"
	"kubarium/server/catalogue"
	"kubarium/server/storage"
)

// LoadDefinitions reads the CustomResourceDefinitions that the store has. It is called once, before anything is served;
// Follow keeps the catalogue up to date.
func (r *Registry) LoadDefinitions(ctx context.Context) error {
	page, err := r.Store.List(ctx, storage.ListOptions{Resource: catalogue.Definitions})
	if err != nil {
		return fmt.Errorf("read the definitions: %w", err)
	}
	for _, rec := range page.Records {
		r.Catalogue.Define(rec, r.Webhooks())
	}
	return nil
}

// Follow takes over what changes of the store mean for the kinds that are served, before any reader sees them. Where
// objects are read in another way from then on, their watches end, and clients list again.
func (r *Registry) Follow(from *cache.Cache, b storage.Batch) {
	for _, c := range b.Changes {
		if a := r.Allocators[c.Key.Resource]; a != nil && c.Outside {
			a.Elsewhere(c.Before)
		}
		if c.Key.Resource == catalogue.Definitions && r.Catalogue.Take(c, b.Restored != 0, r.Webhooks()) {
			from.Drop(c.Key.Name)
		}
	}
}
