package server

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/util/proxy"

	"kubarium/server/answer"
	"kubarium/server/registry"
	"kubarium/server/route"
)

// serveProxy answers as a cluster does in which nothing listens: no node, pod or service runs here.
func (s *Server) serveProxy(q *Request) (*answer.Answer, error) {
	if err := s.connect(q); err != nil {
		return nil, err
	}
	resource := q.Target.Kind.StorageResource()
	_, name, port, ok := utilnet.SplitSchemeNamePort(q.Target.Name)
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("invalid %s request %q", strings.TrimSuffix(resource, "s"), q.Target.Name))
	}
	if resource == "services" {
		return nil, s.dialService(q, name, port)
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
	}
	return nil, route.ErrNoResource
}

// dialNode is the error of a node that cannot be reached: it has no address, or none that a proxy may use, or nothing
// listens.
func (s *Server) dialNode(q *Request, node string) error {
	address, _, err := s.kubelet(q, node)
	if err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip != nil && !ip.IsGlobalUnicast() {
		return apierrors.NewBadRequest("address not allowed")
	}
	return unreachable(address)
}

// dialPod is the error of a pod that cannot be reached: it has no address, or nothing listens.
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

// unreachable is the 503 of an address at which nothing listens.
func unreachable(address string) error {
	return apierrors.NewServiceUnavailable("error trying to reach service: dial tcp " + address + ": connect: connection refused")
}

// dialService is the error of a service that cannot be reached: it has no such port, no endpoints that are pods, or
// nothing listens. The service is looked up only for a port that is named by its number.
func (s *Server) dialService(q *Request, name, port string) error {
	if number, err := strconv.ParseInt(port, 10, 64); err == nil {
		obj, err := s.stored(q, registry.Target{Kind: q.Target.Kind, Namespace: q.Target.Namespace, Name: name})
		if err != nil {
			return err
		}
		if port, err = registry.PortName(obj.(*corev1.Service), number); err != nil {
			return err
		}
	}
	found, err := s.o.Registry.EndpointSlices(q.Context(), q.Target.Namespace, name)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	address, err := proxy.RandomEndpoint(name, found, port, corev1.IPv4Protocol, func(e *discoveryv1.Endpoint) bool { return s.isPod(q, e) })
	if err != nil {
		return err
	}
	return unreachable(address)
}

// isPod reports whether an endpoint is a pod of the namespace, with its address.
func (s *Server) isPod(q *Request, e *discoveryv1.Endpoint) bool {
	if e.TargetRef == nil || e.TargetRef.Namespace != q.Target.Namespace {
		return false
	}
	obj, err := s.stored(q, registry.Target{Kind: s.o.Registry.Catalogue.Stored("pods"), Namespace: e.TargetRef.Namespace, Name: e.TargetRef.Name})
	if err != nil {
		return false
	}
	return slices.ContainsFunc(obj.(*corev1.Pod).Status.PodIPs, func(ip corev1.PodIP) bool { return ip.IP == e.Addresses[0] })
}
