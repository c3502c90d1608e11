package registry

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/util/proxy"
	"k8s.io/apiserver/pkg/util/webhook"
)

// WebhookServices finds webhooks that run behind a Service.
func (r *Registry) WebhookServices() webhook.ServiceResolver { return webhookServices{r} }

// webhookServices finds the webhooks that run behind a Service. Nothing here gives a cluster IP a listener, so they are
// found as kube-apiserver with --enable-aggregator-routing finds them, by the EndpointSlices that somebody has written.
type webhookServices struct{ *Registry }

// ResolveEndpoint fulfils webhook.ServiceResolver.
func (s webhookServices) ResolveEndpoint(namespace, name string, port int32) (*url.URL, error) {
	service, err := s.service(namespace, name)
	if err != nil {
		return nil, err
	}
	if service.Spec.Type == corev1.ServiceTypeExternalName {
		return &url.URL{Scheme: "https", Host: net.JoinHostPort(service.Spec.ExternalName, strconv.Itoa(int(port)))}, nil
	}
	i := slices.IndexFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == port })
	if i < 0 {
		return nil, apierrors.NewServiceUnavailable(fmt.Sprintf("no service port %d found for service %q", port, name))
	}
	endpoints, err := s.EndpointSlices(context.Background(), namespace, name)
	if err != nil {
		return nil, err
	}
	family := corev1.IPFamilyUnknown
	if len(service.Spec.IPFamilies) > 0 {
		family = service.Spec.IPFamilies[0]
	}
	host, err := proxy.RandomEndpoint(name, endpoints, service.Spec.Ports[i].Name, family, nil)
	if err != nil {
		return nil, err
	}
	return &url.URL{Scheme: "https", Host: host}, nil
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

// service returns the Service; one that no longer decodes is as good as none.
func (s webhookServices) service(namespace, name string) (*corev1.Service, error) {
	services, err := servedObjects[*corev1.Service](context.Background(), s.Registry, "services", namespace+"/"+name)
	if err != nil {
		return nil, err
	}
	for service, err := range services {
		if err == nil && service.Name == name {
			return service, nil
		}
	}
	return nil, apierrors.NewNotFound(corev1.Resource("service"), name)
}
