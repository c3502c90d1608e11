package registry

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/util/proxy"
	"k8s.io/apiserver/pkg/util/webhook"

	"kubarium/server/calls"
)

// Webhooks leads to webhooks.
func (r *Registry) Webhooks() calls.Way {
	return calls.Way{Services: r.WebhookServices(), Dial: r.Dial}
}

// WebhookServices finds webhooks, and servers of the aggregation layer, behind a Service.
func (r *Registry) WebhookServices() webhook.ServiceResolver { return webhookServices{r} }

// webhookServices finds the webhooks behind a Service. No cluster IP has a listener here, so they are found as
// kube-apiserver with --enable-aggregator-routing finds them, by EndpointSlices.
type webhookServices struct{ *Registry }

// ResolveEndpoint fulfils webhook.ServiceResolver.
func (s webhookServices) ResolveEndpoint(namespace, name string, port int32) (*url.URL, error) {
	service, err := s.service(namespace, name)
	if err != nil {
		return nil, err
	}
	if service.Spec.Type == corev1.ServiceTypeExternalName && s.EndpointsOnly {
		return nil, fmt.Errorf("unsupported service type %q", service.Spec.Type)
	}
	if service.Spec.Type == corev1.ServiceTypeExternalName {
		return &url.URL{Scheme: "https", Host: net.JoinHostPort(service.Spec.ExternalName, strconv.Itoa(int(port)))}, nil
	}
	portName, err := PortName(service, int64(port))
	if err != nil {
		return nil, err
	}
	endpoints, err := s.EndpointSlices(context.Background(), namespace, name)
	if err != nil {
		return nil, err
	}
	family := corev1.IPFamilyUnknown
	if len(service.Spec.IPFamilies) > 0 {
		family = service.Spec.IPFamilies[0]
	}
	host, err := proxy.RandomEndpoint(name, endpoints, portName, family, nil)
	if err != nil {
		return nil, err
	}
	return &url.URL{Scheme: "https", Host: host}, nil
}

// service returns the Service. One that is not there is named in the words of kube-apiserver's own resolver.
func (s webhookServices) service(namespace, name string) (*corev1.Service, error) {
	obj, err := s.lookUp(context.Background(), "services", namespace, name)
	switch {
	case apierrors.IsNotFound(err):
		return nil, apierrors.NewNotFound(corev1.Resource("service"), name)
	case err != nil:
		return nil, err
	}
	return obj.(*corev1.Service), nil
}

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
