package kinds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"

	"kubarium/server/storage"
)

// The range of node ports, kube-apiserver's own.
const (
	firstNodePort = 30000
	lastNodePort  = 32767
	nodePortCount = lastNodePort - firstNodePort + 1

	// The pool of storage.Write that addresses and ports are taken from.
	servicePool = "services"

	// How many at the low end are drawn last, as Kubernetes computes it from the size of the range.
	staticNodePorts = 86
)

// ServiceAllocator gives Services their cluster IPs and node ports. It remembers what it gave, and asks the store when
// it would have to refuse, so that a Service that was removed from outside is noticed then at the latest.
type ServiceAllocator struct {
	// Now returns the time; it is time.Now unless a test sets it before the first use.
	Now func() time.Time

	services  Services
	addresses ServiceRange

	elsewhere elsewhere

	mu     sync.Mutex // guards all below; held while list is called
	loaded bool
	since  storage.Revision // the newest restore when the pools were loaded
	ips    *pool            // counted from the first of the range
	ports  *pool            // counted from firstNodePort
}

// Services are those of a store, as an allocator must know them.
type Services struct {
	// List returns every Service as the last acknowledged write left it. The first Allocate calls it, and then the
	// first after each restore of the store and after each change by another process.
	List func(context.Context) ([]*corev1.Service, error)
	// Restored returns the revision of the newest restore: after it, other Services hold the addresses and ports.
	Restored func() storage.Revision
	// Head returns a revision up to which List has all changes, and Elsewhere has reported those of other processes.
	Head func() storage.Revision
}

// NewServiceAllocator returns an allocator that learns from the store which values are taken.
func NewServiceAllocator(s Services) *ServiceAllocator {
	a := &ServiceAllocator{services: s, Now: time.Now}
	return a.In(ServiceRange{})
}

// In says from which range the cluster IPs are taken. It is called before the first Allocate.
func (a *ServiceAllocator) In(r ServiceRange) *ServiceAllocator {
	a.addresses = r
	a.forget()
	return a
}

// forget starts again, as if nothing had been allocated.
func (a *ServiceAllocator) forget() {
	a.ips, a.ports = newPool(a.addresses.size(), a.addresses.static()), newPool(nodePortCount, staticNodePorts)
	a.loaded = false
}

// Allocate fulfils Allocator: it fills clusterIP, clusterIPs, the IP families, node ports and the health check's node port
// of a Service. After an error nothing is held.
func (a *ServiceAllocator) Allocate(ctx context.Context, obj, old runtime.Object) (Allocation, error) {
	was := new(corev1.Service)
	if old != nil {
		if err := intoServed(old, was); err != nil {
			return Allocation{}, err
		}
	}
	s := new(corev1.Service)
	if err := intoServed(obj, s); err != nil {
		return Allocation{}, err
	}
	prepareAllocation(s, was, old != nil)
	if err := checkFamilies(s, was, old != nil); err != nil {
		return Allocation{}, err
	}
	given, bad := a.grant(ctx, s, was, old != nil)
	switch {
	case bad == nil:
		return given, intoInternal(s, obj)
	case bad.Type == field.ErrorTypeInternal:
		return given, apierrors.NewInternalError(errors.New(bad.Detail))
	}
	return given, invalidService(s, field.ErrorList{bad})
}

func invalidService(s *corev1.Service, errs field.ErrorList) error {
	return apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Service").GroupKind(), s.Name, errs)
}

// intoServed converts an internal Service; the result shares parts with it.
func intoServed(obj runtime.Object, s *corev1.Service) error {
	internal, ok := obj.(*core.Service)
	if !ok {
		return fmt.Errorf("allocate for a Service: it is a %T", obj)
	}
	return Scheme.Convert(internal, s, nil)
}

// intoInternal is the reverse of intoServed.
func intoInternal(s *corev1.Service, obj runtime.Object) error {
	internal := obj.(*core.Service)
	*internal = core.Service{}
	return Scheme.Convert(s, internal, nil)
}

// prepareAllocation completes what the client left out because the Service has it already.
func prepareAllocation(s, was *corev1.Service, update bool) {
	if !update {
		alignClusterIPs(&s.Spec, nil)
		return
	}
	keepAllocated(&s.Spec, &was.Spec)
	alignClusterIPs(&s.Spec, &was.Spec)
}

// checkFamilies decides the IP family policy, and checks cluster IPs and families against each other with the official
// check before any is given out.
func checkFamilies(s, was *corev1.Service, update bool) error {
	if isExternalName(&s.Spec) || update && staysPreferred(&s.Spec, &was.Spec) {
		return nil
	}
	var before *corev1.ServiceSpec
	internal, internalWas := new(core.Service), (*core.Service)(nil)
	if update {
		before, internalWas = &was.Spec, new(core.Service)
		if err := Scheme.Convert(was, internalWas, nil); err != nil {
			return err
		}
	}
	fillFamilyPolicy(&s.Spec, before)
	if err := Scheme.Convert(s, internal, nil); err != nil {
		return err
	}
	if errs := validation.ValidateServiceClusterIPsRelatedFields(internal, internalWas); len(errs) > 0 {
		return invalidService(s, errs)
	}
	if err := fillFamilies(&s.Spec, before); err != nil {
		return invalidService(s, field.ErrorList{err})
	}
	return nil
}

// grant takes the values that a Service needs from the pools.
func (a *ServiceAllocator) grant(ctx context.Context, s, was *corev1.Service, update bool) (Allocation, *field.Error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	head := a.services.Head()
	if since := a.services.Restored(); since != a.since { // values given before and not stored never will be
		a.forget()
		a.since = since
	}
	a.hear()
	g := &grant{ctx: ctx, allocator: a, service: s, from: a.ips}
	if update {
		g.keep(&was.Spec)
	}
	if err := g.fill(); err != nil {
		g.giveBack()
		return Allocation{}, err
	}
	g.leaveUnused()
	if len(g.ips) == 0 && len(g.ports) == 0 {
		return Allocation{}, nil
	}
	return Allocation{Release: g.release, Pool: servicePool, PoolAt: head}, nil
}

// Deleted frees the values of obj, unless the store has been restored since: then another Service may have them.
func (a *ServiceAllocator) Deleted(obj runtime.Object, at storage.Revision) {
	s := new(corev1.Service)
	if err := intoServed(obj, s); err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if at <= a.since {
		return
	}
	for _, n := range a.addresses.numbers(&s.Spec) {
		if n != 0 { // kept for the Service kubernetes, should it come back
			a.ips.free(n)
		}
	}
	for _, n := range portNumbers(&s.Spec) {
		a.ports.free(n)
	}
}

// load makes the pools agree with the store.
func (a *ServiceAllocator) load(ctx context.Context) error {
	services, err := a.services.List(ctx)
	if err != nil {
		return fmt.Errorf("list services: %w", err)
	}
	ips, ports := map[int]bool{0: true}, map[int]bool{} // the first address is that of the Service kubernetes alone
	for _, s := range services {
		for _, n := range a.addresses.numbers(&s.Spec) {
			ips[n] = true
		}
		for _, n := range portNumbers(&s.Spec) {
			ports[n] = true
		}
	}
	a.ips.reconcile(ips, a.Now())
	a.ports.reconcile(ports, a.Now())
	a.loaded = true
	return nil
}

// try does step, and once more after a look into the store if it was refused.
func (a *ServiceAllocator) try(ctx context.Context, step func() error) error {
	fresh := !a.loaded
	if fresh {
		if err := a.load(ctx); err != nil {
			return err
		}
	}
	err := step()
	if fresh || !(errors.Is(err, errTaken) || errors.Is(err, errFull)) {
		return err
	}
	if err := a.load(ctx); err != nil {
		return err
	}
	return step()
}

// numbers lists the places in the pool of a Service's addresses.
func (r ServiceRange) numbers(spec *corev1.ServiceSpec) []int {
	var numbers []int
	for _, ip := range spec.ClusterIPs {
		if n, err := r.number(ip); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// portNumbers lists the places in the pool of a Service's ports on the nodes.
func portNumbers(spec *corev1.ServiceSpec) []int {
	all := []int32{spec.HealthCheckNodePort}
	for _, p := range spec.Ports {
		all = append(all, p.NodePort)
	}
	var numbers []int
	for _, port := range all {
		n, err := portNumber(port)
		if err == nil && !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

func portNumber(port int32) (int, error) {
	if port < firstNodePort || port > lastNodePort {
		return 0, fmt.Errorf("provided port is not in the valid range. The range of valid ports is %d-%d", firstNodePort, lastNodePort)
	}
	return int(port) - firstNodePort, nil
}
