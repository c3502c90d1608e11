package registry

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// Services returns all Services, for the allocator of their addresses; those that no longer decode hold none.
func (r *Registry) Services(ctx context.Context) ([]*corev1.Service, error) {
	services, err := servedObjects[*corev1.Service](ctx, r, "services", "")
	if err != nil {
		return nil, err
	}
	var all []*corev1.Service
	for service, err := range services {
		if err == nil {
			all = append(all, service)
		}
	}
	return all, nil
}
