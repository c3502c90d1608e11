package kinds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A grant is what one write takes from the pools. Its methods, except release, need the allocator's lock held.
type grant struct {
	ctx       context.Context
	allocator *ServiceAllocator
	service   *corev1.Service
	from      *pool // of addresses, when it was made; another one now if the store has been restored

	update           bool  // the Service is there already
	hadIPs, hadPorts []int // its values, if so
	hadHealthPort    bool  // it had one and keeps it; a change is for validation to refuse
	settled          bool  // its cluster IP can only stay; a change is for validation to refuse
	ips, ports       []int // taken for this write
}

// keep notes the values that the Service has already: they need not be taken again.
func (g *grant) keep(was *corev1.ServiceSpec) {
	if was == nil {
		return
	}
	g.update = true
	g.hadIPs, g.hadPorts = g.allocator.addresses.numbers(was), portNumbers(was)
	g.hadHealthPort = needsHealthPort(was)
	g.settled = !isExternalName(was) && len(was.ClusterIPs) > 0
}

func (g *grant) fill() *field.Error {
	spec := &g.service.Spec
	if !isExternalName(spec) && !isHeadless(spec) && !g.settled {
		if err := g.fillIP(spec); err != nil {
			return err
		}
	}
	if hasNodePorts(spec.Type) {
		if err := g.fillPorts(spec); err != nil {
			return err
		}
	}
	if needsHealthPort(spec) && !g.hadHealthPort {
		return g.fillHealthPort(spec)
	}
	return nil
}

func (g *grant) fillIP(spec *corev1.ServiceSpec) *field.Error {
	path := field.NewPath("spec", "clusterIPs")
	if g.service.Name == "" { // kube-apiserver makes an IPAddress that names the Service, before it looks at the name
		text := fmt.Sprintf("failed to allocate IP: IPAddress.networking.k8s.io %q is invalid: spec.parentRef.name: Required value", cmp.Or(spec.ClusterIP, g.allocator.addresses.First()))
		return field.Invalid(path, []string{spec.ClusterIP}, text)
	}
	first := g.service.Namespace == "default" && g.service.Name == "kubernetes"
	if spec.ClusterIP == "" && first {
		spec.ClusterIP = g.allocator.addresses.First()
	}
	if spec.ClusterIP == "" {
		n, err := g.draw(g.allocator.ips, &g.ips)
		if err != nil {
			return field.InternalError(path, fmt.Errorf("failed to allocate a serviceIP: %w", err))
		}
		spec.ClusterIP = g.allocator.addresses.at(n)
	} else if err := g.takeIP(spec.ClusterIP, first); err != nil {
		return field.Invalid(path, spec.ClusterIPs, fmt.Sprintf("failed to allocate IP %s: %v", spec.ClusterIP, err))
	}
	spec.ClusterIPs = []string{spec.ClusterIP}
	return nil
}

// takeIP takes a stated address. The first one is always marked as taken, for the one Service that may have it.
func (g *grant) takeIP(ip string, first bool) error {
	n, err := g.allocator.addresses.number(ip)
	if err != nil || slices.Contains(g.hadIPs, n) || (first && ip == g.allocator.addresses.First()) {
		return err
	}
	if err := g.take(g.allocator.ips, n, &g.ips); errors.Is(err, errTaken) {
		return errors.New("provided IP is already allocated")
	} else if err != nil {
		return err
	}
	return nil
}

// fillPorts gives every port its port on the nodes. In a new Service the same port over several protocols has the same
// there.
func (g *grant) fillPorts(spec *corev1.ServiceSpec) *field.Error {
	draws := drawsNodePorts(spec)
	onNodes := map[int32]int32{}
	for _, p := range spec.Ports {
		if p.NodePort != 0 && onNodes[p.Port] == 0 && !g.update {
			onNodes[p.Port] = p.NodePort
		}
	}
	for i := range spec.Ports {
		p, path := &spec.Ports[i], field.NewPath("spec", "ports").Index(i).Child("nodePort")
		if p.NodePort == 0 && draws {
			p.NodePort = onNodes[p.Port]
			if p.NodePort == 0 {
				n, err := g.draw(g.allocator.ports, &g.ports)
				if err != nil {
					return field.InternalError(path, fmt.Errorf("failed to allocate a nodePort: %w", err))
				}
				p.NodePort = int32(firstNodePort + n)
			}
			if !g.update {
				onNodes[p.Port] = p.NodePort
			}
		}
		if !g.update && slices.ContainsFunc(spec.Ports[:i], func(o corev1.ServicePort) bool {
			return o.Port != p.Port && o.NodePort == p.NodePort && p.NodePort != 0
		}) {
			return field.Invalid(path, p.NodePort, errPortTaken.Error())
		}
		if err := g.takePort(p.NodePort); err != nil {
			return field.Invalid(path, p.NodePort, err.Error())
		}
	}
	return nil
}

func (g *grant) fillHealthPort(spec *corev1.ServiceSpec) *field.Error {
	path := field.NewPath("spec", "healthCheckNodePort")
	if spec.HealthCheckNodePort == 0 {
		n, err := g.draw(g.allocator.ports, &g.ports)
		if err != nil {
			return field.InternalError(path, fmt.Errorf("failed to allocate a HealthCheck NodePort: %w", err))
		}
		spec.HealthCheckNodePort = int32(firstNodePort + n)
		return nil
	}
	if err := g.takePort(spec.HealthCheckNodePort); err != nil {
		return field.InternalError(path,
			fmt.Errorf("failed to allocate requested HealthCheck NodePort %d: %w", spec.HealthCheckNodePort, err))
	}
	return nil
}

var errPortTaken = errors.New("provided port is already allocated")

// takePort takes a stated port, unless it is 0 or one that this Service has already.
func (g *grant) takePort(port int32) error {
	if port == 0 {
		return nil
	}
	n, err := portNumber(port)
	if err != nil || slices.Contains(g.hadPorts, n) || slices.Contains(g.ports, n) {
		return err
	}
	if err := g.take(g.allocator.ports, n, &g.ports); errors.Is(err, errTaken) {
		return errPortTaken
	} else if err != nil {
		return err
	}
	return nil
}

func (g *grant) take(p *pool, n int, mine *[]int) error {
	err := g.allocator.try(g.ctx, func() error { return p.take(n, g.allocator.Now()) })
	if err == nil {
		*mine = append(*mine, n)
	}
	return err
}

func (g *grant) draw(p *pool, mine *[]int) (n int, err error) {
	err = g.allocator.try(g.ctx, func() error {
		n, err = p.draw(g.allocator.Now())
		return err
	})
	if err == nil {
		*mine = append(*mine, n)
	}
	return n, err
}

// leaveUnused marks the values that the Service gives up. If its write fails, the store still shows them.
func (g *grant) leaveUnused() {
	ips, ports := g.allocator.addresses.numbers(&g.service.Spec), portNumbers(&g.service.Spec)
	for _, n := range g.hadIPs {
		if !slices.Contains(ips, n) {
			g.allocator.ips.leave(n)
		}
	}
	for _, n := range g.hadPorts {
		if !slices.Contains(ports, n) {
			g.allocator.ports.leave(n)
		}
	}
}

// release gives back the taken values, if the write did not happen. Calling it again does nothing.
func (g *grant) release() {
	g.allocator.mu.Lock()
	defer g.allocator.mu.Unlock()
	if g.from != g.allocator.ips {
		return
	}
	g.giveBack()
}

func (g *grant) giveBack() {
	for _, n := range g.ips {
		g.allocator.ips.free(n)
	}
	for _, n := range g.ports {
		g.allocator.ports.free(n)
	}
	g.ips, g.ports = nil, nil
}
