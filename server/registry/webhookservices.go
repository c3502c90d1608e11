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
	endpoints, err := servedObjects[*discoveryv1.EndpointSlice](context.Background(), s.Registry, "endpointslices.discovery.k8s.io", namespace+"/")
	if err != nil {
		return nil, err
	}
	for slice, err := range endpoints {
		if err != nil {
			continue // it no longer decodes
		}
		if host := readyHost(slice, name, service.Spec.Ports[i].Name); host != "" {
			return &url.URL{Scheme: "https", Host: host}, nil
		}
	}
	return nil, apierrors.NewServiceUnavailable(fmt.Sprintf("no endpoints available for service %q", name))
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

// readyHost is where an EndpointSlice of the Service says that somebody is ready at the port of that name; "" if nobody is.
func readyHost(slice *discoveryv1.EndpointSlice, service, portName string) string {
	if slice.Labels[discoveryv1.LabelServiceName] != service {
		return ""
	}
	for _, p := range slice.Ports {
		if p.Name == nil || *p.Name != portName || p.Port == nil {
			continue
		}
		for _, e := range slice.Endpoints {
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				return net.JoinHostPort(e.Addresses[0], strconv.Itoa(int(*p.Port)))
			}
		}
	}
	return ""
}
