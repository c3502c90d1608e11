package server

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"kubarium/server/answer"
	"kubarium/server/registry"
	"kubarium/server/route"
)

// serveProxy answers as a cluster does in which nothing listens: nobody runs here what nodes, pods and services lead to.
func (s *Server) serveProxy(q *Request) (*answer.Answer, error) {
	if err := s.connect(q); err != nil {
		return nil, err
	}
	resource := q.Target.Kind.StorageResource()
	scheme, name, port, ok := utilnet.SplitSchemeNamePort(q.Target.Name)
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("invalid %s request %q", strings.TrimSuffix(resource, "s"), q.Target.Name))
	}
	t := q.Target
	t.Name = name
	obj, err := s.stored(q, t)
	if err != nil {
		return nil, err
	}
	switch o := obj.(type) {
	case *corev1.Node:
		return nil, s.dialNode(q, o.Name)
	case *corev1.Pod:
		return nil, dialPod(o, port)
	case *corev1.Service:
		return nil, s.dialService(q, o, scheme, port)
	}
	return nil, route.ErrNoResource
}

// dialPod is the error of a pod that cannot be reached: it has no address, or nobody listens.
func dialPod(p *corev1.Pod, port string) error {
	ip := net.ParseIP(p.Status.PodIP)
	if ip == nil || !ip.IsGlobalUnicast() {
		return apierrors.NewBadRequest("address not allowed")
	}
	for _, c := range p.Spec.Containers {
		if port == "" && len(c.Ports) > 0 {
			port = strconv.Itoa(int(c.Ports[0].ContainerPort))
		}
	}
	if port == "" {
		port = "80"
	}
	return unreachable(net.JoinHostPort(ip.String(), port))
}

// unreachable is the 503 of an address at which nobody listens.
func unreachable(address string) error {
	return apierrors.NewServiceUnavailable("error trying to reach service: dial tcp " + address + ": connect: connection refused")
}

// dialService is the error of a service that cannot be reached: it has no such port, no endpoints, or nobody listens.
func (s *Server) dialService(q *Request, svc *corev1.Service, scheme, port string) error {
	name := portName(svc, port)
	if name == nil {
		return apierrors.NewServiceUnavailable(fmt.Sprintf("no service port %q found for service %q", port, svc.Name))
	}
	id := svc.Name
	if port != "" {
		id = net.JoinHostPort(svc.Name, port)
	}
	none := apierrors.NewServiceUnavailable(fmt.Sprintf("no endpoints available for service %q", id))
	if scheme != "" {
		none = apierrors.NewServiceUnavailable(fmt.Sprintf("no endpoints available for service %q", scheme+":"+id))
	}
	obj, err := s.stored(q, registry.Target{Kind: s.o.Registry.Catalogue.Stored("endpoints"), Namespace: svc.Namespace, Name: svc.Name})
	if err != nil {
		return err
	}
	for _, set := range obj.(*corev1.Endpoints).Subsets { //nolint:staticcheck // the official proxy reads them
		i := slices.IndexFunc(set.Ports, func(p corev1.EndpointPort) bool { return p.Name == *name }) //nolint:staticcheck // as above
		if i >= 0 && len(set.Addresses) > 0 {
			return unreachable(net.JoinHostPort(set.Addresses[0].IP, strconv.Itoa(int(set.Ports[i].Port))))
		}
	}
	return none
}

// portName is what a service calls the port that a request names, nil if it has none such.
func portName(svc *corev1.Service, port string) *string {
	for _, p := range svc.Spec.Ports {
		if port == p.Name || port == "" && len(svc.Spec.Ports) == 1 || port == strconv.Itoa(int(p.Port)) {
			return &p.Name
		}
	}
	return nil
}
