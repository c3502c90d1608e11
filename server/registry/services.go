package registry

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// EndpointSlices are those of a Service. One that no longer decodes is as good as none.
func (r *Registry) EndpointSlices(ctx context.Context, namespace, name string) ([]*discoveryv1.EndpointSlice, error) {
	all, err := servedObjects[*discoveryv1.EndpointSlice](ctx, r, "endpointslices.discovery.k8s.io", namespace+"/")
	if err != nil {
		return nil, err
	}
	var found []*discoveryv1.EndpointSlice
	for slice, err := range all {
		if err == nil && slice.Labels[discoveryv1.LabelServiceName] == name {
			found = append(found, slice)
		}
	}
	return found, nil
}

// PortName is what a Service calls a port. The error is the 503 of one that has no such port.
func PortName(s *corev1.Service, number int64) (string, error) {
	for _, p := range s.Spec.Ports {
		if int64(p.Port) == number {
			return p.Name, nil
		}
	}
	return "", apierrors.NewServiceUnavailable(fmt.Sprintf("no service port %d found for service %q", number, s.Name))
}
