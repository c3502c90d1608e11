package controllers

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	networkingPath   = "/apis/networking.k8s.io/v1"
	addressManager   = "ipallocator.k8s.io"
	defaultCIDR      = "kubernetes"
	cidrFieldManager = "kubernetes-service-cidr-controller"
)

// An addressBook shows the addresses of Services as IPAddresses, and that the range which they are of is ready.
type addressBook struct {
	Client
	log       *slog.Logger
	services  table[service]
	addresses table[networkingv1.IPAddress]
	ranges    table[networkingv1.ServiceCIDR]
}

// A service is what the book needs of a Service.
type service struct {
	Metadata struct{ Namespace, Name string }
	Spec     struct{ ClusterIPs []string }
}

func (b *addressBook) run(ctx context.Context) {
	b.review(ctx, b.log, map[string]func(event){
		"/api/v1/services":               b.services.take,
		networkingPath + "/ipaddresses":  b.addresses.take,
		networkingPath + "/servicecidrs": b.ranges.take,
	}, b.keep)
}

// keep creates the addresses that are missing, and deletes those whose Service is gone or has others.
func (b *addressBook) keep(ctx context.Context) error {
	wanted := map[string]bool{}
	for _, s := range b.services.all() {
		for _, ip := range s.Spec.ClusterIPs {
			a, err := netip.ParseAddr(ip)
			if err != nil {
				continue // "None"
			}
			wanted[a.String()] = true
			if _, there := b.addresses.get(a.String()); there {
				continue
			}
			if err := b.do(ctx, http.MethodPost, networkingPath+"/ipaddresses?fieldManager=kube-apiserver", addressOf(s, a), nil); err != nil && !isConflict(err) {
				return err
			}
		}
	}
	for _, a := range b.addresses.all() {
		if a.Labels[networkingv1.LabelManagedBy] != addressManager || wanted[a.Name] || a.DeletionTimestamp != nil {
			continue
		}
		if err := b.do(ctx, http.MethodDelete, networkingPath+"/ipaddresses/"+a.Name, nil, nil); err != nil && !isNotFound(err) {
			return err
		}
	}
	return b.ready(ctx)
}

func addressOf(s service, ip netip.Addr) *networkingv1.IPAddress {
	family := corev1.IPv6Protocol
	if ip.Is4() {
		family = corev1.IPv4Protocol
	}
	return &networkingv1.IPAddress{
		ObjectMeta: metav1.ObjectMeta{
			Name:   ip.String(),
			Labels: map[string]string{networkingv1.LabelIPAddressFamily: string(family), networkingv1.LabelManagedBy: addressManager},
		},
		Spec: networkingv1.IPAddressSpec{
			ParentRef: &networkingv1.ParentReference{Resource: "services", Namespace: s.Metadata.Namespace, Name: s.Metadata.Name},
		},
	}
}

// ready tells that the range of cluster IPs can be used.
func (b *addressBook) ready(ctx context.Context) error {
	cidr, there := b.ranges.get(defaultCIDR)
	if !there || apimeta.FindStatusCondition(cidr.Status.Conditions, networkingv1.ServiceCIDRConditionReady) != nil {
		return nil
	}
	return b.apply(ctx, networkingPath+"/servicecidrs/"+defaultCIDR+"/status", cidrFieldManager, map[string]any{
		"apiVersion": "networking.k8s.io/v1", "kind": "ServiceCIDR",
		"metadata": map[string]any{"name": defaultCIDR},
		"status": map[string]any{"conditions": []map[string]any{{
			"type": networkingv1.ServiceCIDRConditionReady, "status": metav1.ConditionTrue,
			"message":            "Kubernetes default Service CIDR is ready",
			"lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
		}}},
	})
}
