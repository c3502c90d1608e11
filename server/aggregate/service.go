package aggregate

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/transport"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/helper"
	"k8s.io/kube-aggregator/pkg/controllers/status/remote"

	"kubarium/server/kinds"
)

// URLAnnotation says of an APIService at which URL its server is, such as "https://127.0.0.1:6444". It is Kubarium's
// own, for a sandbox in which there is no Service to lead to a process of the same machine. Where there is a
// spec.service too, the URL takes the place of its address, and the certificate of the server is checked as that of
// the Service.
const URLAnnotation = kinds.APIServiceURL

// A Service is an APIService that leads elsewhere, as it was at one time. Nobody changes it.
type Service struct {
	// APIService is the object. It must not be changed.
	APIService *apiregistrationv1.APIService
	Name       string
	schema.GroupVersion
	// GroupPriority and VersionPriority order the group version in discovery.
	GroupPriority, VersionPriority int32
	// Available reports whether its conditions say that the server answers. Otherwise no request is handed on to it.
	Available bool

	resolve   func() (*url.URL, error)
	transport http.RoundTripper
	broken    error // why there is no transport; nil if there is one
	redirects bool  // whether redirects are handed on
}

// Regardless is the same Service for who asks it whether or not it is said to be available.
func (s *Service) Regardless() *Service {
	again := *s
	again.Available = true
	return &again
}

// Path is where the server answers for the group version.
func (s *Service) Path() string {
	if s.Name == legacy {
		return "/api/" + s.Version
	}
	return "/apis/" + s.Group + "/" + s.Version
}

// leadsElsewhere reports whether another server answers for an APIService.
func leadsElsewhere(o *apiregistrationv1.APIService) bool {
	return o.Spec.Service != nil || o.Annotations[URLAnnotation] != ""
}

// newService makes a Service of its object. Connections are shared by all that are made alike.
func (a *Aggregator) newService(o *apiregistrationv1.APIService) *Service {
	s := &Service{
		APIService: o, Name: o.Name, GroupVersion: schema.GroupVersion{Group: o.Spec.Group, Version: o.Spec.Version},
		GroupPriority: o.Spec.GroupPriorityMinimum, VersionPriority: o.Spec.VersionPriority,
		Available: helper.IsAPIServiceConditionTrue(o, apiregistrationv1.Available), redirects: !a.o.RejectRedirects,
	}
	s.resolve = a.resolverOf(o)
	s.transport, s.broken = transport.New(a.transportOf(o))
	return s
}

// transportOf says how a connection to the server is made.
func (a *Aggregator) transportOf(o *apiregistrationv1.APIService) *transport.Config {
	var cert, key []byte
	if a.o.ClientCert != nil {
		cert, key = a.o.ClientCert()
	}
	if o.Spec.Service != nil {
		return remote.BuildTransportConfig(nil, cert, key, o)
	}
	return &transport.Config{TLS: transport.TLSConfig{CertData: cert, KeyData: key}}
}

// resolverOf says how the server is found, each time that it is asked.
func (a *Aggregator) resolverOf(o *apiregistrationv1.APIService) func() (*url.URL, error) {
	if text := o.Annotations[URLAnnotation]; text != "" {
		u, err := parseURL(text)
		return func() (*url.URL, error) {
			if err != nil {
				return nil, err
			}
			return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil // which is the caller's
		}
	}
	ref := o.Spec.Service
	port := int32(443)
	if ref.Port != nil {
		port = *ref.Port
	}
	return func() (*url.URL, error) { return a.o.Resolver.ResolveEndpoint(ref.Namespace, ref.Name, port) }
}

// parseURL reads the annotation.
func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the annotation %s: %w", URLAnnotation, err)
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "":
		return nil, fmt.Errorf("the annotation %s must be https://HOST:PORT or http://HOST:PORT, not %q", URLAnnotation, text)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}
