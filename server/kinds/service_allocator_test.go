package kinds_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// A cluster is what the registry does around an allocator: Services in a map, written after they were allocated.
type cluster struct {
	t         *testing.T
	kind      *kinds.Kind
	allocator kinds.Allocator

	mu         sync.Mutex
	services   map[string]*corev1.Service
	restoredAt storage.Revision
}

// store is the cluster as an allocator must know it.
func (c *cluster) store() kinds.Services {
	return kinds.Services{List: c.list, Restored: c.restored, Head: func() storage.Revision { return 7 }}
}

// restored returns the revision of the last restore.
func (c *cluster) restored() storage.Revision {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.restoredAt
}

func newCluster(t *testing.T) *cluster {
	c := &cluster{t: t, kind: mustKind(t, "Service"), services: map[string]*corev1.Service{}}
	c.allocator = kinds.NewServiceAllocator(c.store())
	return c
}

func (c *cluster) list(context.Context) ([]*corev1.Service, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []*corev1.Service
	for _, s := range c.services {
		all = append(all, s)
	}
	return all, nil
}

// write creates or updates the Service of that name and returns what was stored.
func (c *cluster) write(name, spec string) (*corev1.Service, error) {
	obj := c.mustRead(name, spec)
	c.mu.Lock()
	before := c.services[name]
	c.mu.Unlock()
	var old runtime.Object // none, as the registry gives it
	if before != nil {
		old = mustInternal(c.t, c.kind, before.DeepCopy())
	}
	given, err := c.allocator.Allocate(c.t.Context(), obj, old)
	if err != nil {
		return nil, err
	}
	if err := c.check(obj, old); err != nil {
		given.GiveBack()
		return nil, err
	}
	served, err := c.kind.Served(obj)
	if err != nil {
		c.t.Error(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.services[name] = served.(*corev1.Service)
	return c.services[name], nil
}

// mustRead is a Service with its defaults as a request brings it.
func (c *cluster) mustRead(name, spec string) runtime.Object {
	s := new(corev1.Service)
	if err := yaml.UnmarshalStrict(fmt.Appendf(nil, "{metadata: {name: %s, namespace: default}, spec: %s}", name, spec), s); err != nil {
		c.t.Error(err)
	}
	c.kind.Default(s)
	return mustInternal(c.t, c.kind, s)
}

// check is what the strategy says.
func (c *cluster) check(obj, old runtime.Object) error {
	s, ctx := c.kind.Strategy, c.t.Context()
	if old == nil {
		s.PrepareForCreate(ctx, obj)
		return s.Validate(ctx, obj).ToAggregate()
	}
	obj.(metav1.Object).SetResourceVersion("1")
	s.PrepareForUpdate(ctx, obj, old)
	return s.ValidateUpdate(ctx, obj, old).ToAggregate()
}

func (c *cluster) mustWrite(name, spec string) *corev1.Service {
	c.t.Helper()
	s, err := c.write(name, spec)
	if err != nil {
		c.t.Fatalf("write %s: %v", name, err)
	}
	return s
}

func (c *cluster) expectRefusal(name, spec, want string) {
	c.t.Helper()
	if _, err := c.write(name, spec); err == nil || !strings.Contains(err.Error(), want) {
		c.t.Errorf("write %s: %v, want %s", name, err, want)
	}
}

// remove deletes a Service without the allocator's knowledge, as a user of the database does.
func (c *cluster) remove(name string) *corev1.Service {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.services[name]
	delete(c.services, name)
	return s
}

// A Service gets what its type needs, and no two get the same.
func TestServiceAllocator_Create(t *testing.T) {
	c := newCluster(t)
	a := c.mustWrite("a", `{ports: [{port: 80}]}`)
	if !strings.HasPrefix(a.Spec.ClusterIP, "10.96.") || len(a.Spec.ClusterIPs) != 1 || a.Spec.ClusterIPs[0] != a.Spec.ClusterIP {
		t.Errorf("cluster IPs %q %q", a.Spec.ClusterIP, a.Spec.ClusterIPs)
	}
	if *a.Spec.IPFamilyPolicy != corev1.IPFamilyPolicySingleStack || a.Spec.IPFamilies[0] != corev1.IPv4Protocol {
		t.Errorf("families %v %v", *a.Spec.IPFamilyPolicy, a.Spec.IPFamilies)
	}
	dns := c.mustWrite("dns", `{type: NodePort, ports: [{name: u, port: 53, protocol: UDP}, {name: t, port: 53}, {name: m, port: 9153}]}`)
	p := dns.Spec.Ports
	if p[0].NodePort < 30000 || p[0].NodePort != p[1].NodePort || p[2].NodePort == p[0].NodePort || p[2].NodePort > 32767 {
		t.Errorf("node ports %v", p)
	}
	if s := c.mustWrite("headless", `{clusterIP: None, selector: {a: b}}`); s.Spec.ClusterIPs[0] != "None" {
		t.Errorf("headless got %q", s.Spec.ClusterIPs)
	}
	open := c.mustWrite("open", `{clusterIP: None}`)
	if *open.Spec.IPFamilyPolicy != corev1.IPFamilyPolicyRequireDualStack || len(open.Spec.IPFamilies) != 2 {
		t.Errorf("headless without selector: %v %v", *open.Spec.IPFamilyPolicy, open.Spec.IPFamilies)
	}
	if s := c.mustWrite("ext", `{type: ExternalName, externalName: a.b}`); s.Spec.ClusterIP != "" || s.Spec.IPFamilies != nil {
		t.Errorf("external name got %+v", s.Spec)
	}
	lb := c.mustWrite("lb", `{type: LoadBalancer, externalTrafficPolicy: Local, allocateLoadBalancerNodePorts: false, ports: [{port: 80}]}`)
	if lb.Spec.HealthCheckNodePort < 30000 || lb.Spec.Ports[0].NodePort != 0 {
		t.Errorf("load balancer got %d %d", lb.Spec.HealthCheckNodePort, lb.Spec.Ports[0].NodePort)
	}
}

// Stated values are honoured, or refused in Kubernetes' words.
func TestServiceAllocator_Stated(t *testing.T) {
	c := newCluster(t)
	c.mustWrite("kubernetes", `{ports: [{port: 443}]}`)
	if got := c.services["kubernetes"].Spec.ClusterIP; got != "10.96.0.1" {
		t.Errorf("the API's own Service has %s", got)
	}
	c.mustWrite("dns", `{clusterIP: 10.96.0.10, ports: [{port: 53}]}`)
	c.mustWrite("np", `{type: NodePort, ports: [{port: 80, nodePort: 30080}]}`)
	c.expectRefusal("b", `{clusterIP: 10.96.0.10, ports: [{port: 53}]}`,
		`spec.clusterIPs: Invalid value: ["10.96.0.10"]: failed to allocate IP 10.96.0.10: provided IP is already allocated`)
	c.expectRefusal("b", `{clusterIP: 10.96.0.1, ports: [{port: 53}]}`, "provided IP is already allocated")
	c.expectRefusal("b", `{clusterIP: 10.95.0.1, ports: [{port: 53}]}`,
		"failed to allocate IP 10.95.0.1: the provided IP (10.95.0.1) is not in the valid range. The range of valid IPs is 10.96.0.0/16")
	c.expectRefusal("b", `{clusterIP: 10.96.0.0, ports: [{port: 53}]}`, "is not in the valid range")
	c.expectRefusal("b", `{clusterIP: 10.96.255.255, ports: [{port: 53}]}`, "is not in the valid range")
	c.expectRefusal("b", `{clusterIP: "fd00::1", ports: [{port: 53}]}`, "IPv6 is not configured on this cluster")
	c.expectRefusal("b", `{ipFamilyPolicy: RequireDualStack, ports: [{port: 53}]}`, "this cluster is not configured for dual-stack services")
	c.expectRefusal("b", `{type: NodePort, ports: [{port: 80, nodePort: 30080}]}`,
		"spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated")
	c.expectRefusal("b", `{type: NodePort, ports: [{port: 80, nodePort: 80}]}`,
		"provided port is not in the valid range. The range of valid ports is 30000-32767")
}

// What a refused or dry write took is free again; what a deleted Service had too.
func TestServiceAllocator_Release(t *testing.T) {
	c := newCluster(t)
	for range 2 {
		// The address is taken before the port is refused.
		c.expectRefusal("a", `{type: NodePort, clusterIP: 10.96.0.10, ports: [{port: 80, nodePort: 1}]}`, "provided port is not")
	}
	given, err := c.allocator.Allocate(t.Context(), c.mustRead("dry", `{clusterIP: 10.96.0.10, ports: [{port: 80}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.expectRefusal("b", `{clusterIP: 10.96.0.10, ports: [{port: 80}]}`, "provided IP is already allocated")
	given.GiveBack()
	given.GiveBack()
	c.mustWrite("b", `{type: NodePort, clusterIP: 10.96.0.10, ports: [{port: 80, nodePort: 30080}]}`)
	c.allocator.Deleted(mustInternal(t, c.kind, c.remove("b")), 1)
	c.mustWrite("c", `{type: NodePort, clusterIP: 10.96.0.10, ports: [{port: 80, nodePort: 30080}]}`)
}

// An update keeps what the client left out, and a change of type gives up what the new one lacks.
func TestServiceAllocator_Update(t *testing.T) {
	c := newCluster(t)
	before := *c.mustWrite("a", `{type: NodePort, ports: [{name: w, port: 80, nodePort: 30080}]}`)
	after := c.mustWrite("a", `{type: NodePort, ports: [{name: w, port: 80}, {name: x, port: 81}]}`)
	if after.Spec.ClusterIP != before.Spec.ClusterIP || after.Spec.Ports[0].NodePort != 30080 || after.Spec.Ports[1].NodePort == 0 {
		t.Errorf("update made %+v", after.Spec)
	}
	const local = `{type: LoadBalancer, externalTrafficPolicy: Local, ports: [{port: 80}], healthCheckNodePort: `
	c.mustWrite("lb", local+"0}")
	c.expectRefusal("lb", local+"30999}", "spec.healthCheckNodePort: Forbidden: field is immutable")
	c.expectRefusal("lb", local+"-1}", "spec.healthCheckNodePort: Invalid value: -1: must be between 1 and 65535, inclusive")
	c.expectRefusal("a", `{clusterIP: 10.96.77.77, ports: [{port: 80}]}`, `spec.clusterIPs[0]: Invalid value: ["10.96.77.77"]: may not change once set`)
	c.expectRefusal("a", `{clusterIP: 10.96.0.1, ports: [{port: 80}]}`, `spec.clusterIPs[0]: Invalid value: ["10.96.0.1"]: may not change once set`)
	if s := c.mustWrite("a", `{type: ClusterIP, ports: [{port: 80}]}`); s.Spec.Ports[0].NodePort != 0 {
		t.Errorf("a ClusterIP Service kept node port %d", s.Spec.Ports[0].NodePort)
	}
	c.mustWrite("b", `{type: NodePort, ports: [{port: 80, nodePort: 30080}]}`)
	ip := before.Spec.ClusterIP
	if s := c.mustWrite("a", `{type: ExternalName, externalName: a.b}`); s.Spec.ClusterIP != "" || s.Spec.IPFamilyPolicy != nil {
		t.Errorf("an ExternalName kept %+v", s.Spec)
	}
	c.mustWrite("d", fmt.Sprintf(`{clusterIP: %s, ports: [{port: 80}]}`, ip))
	if s := c.mustWrite("a", `{ports: [{port: 80}]}`); s.Spec.ClusterIP == "" || s.Spec.ClusterIP == ip {
		t.Errorf("back from ExternalName with %q", s.Spec.ClusterIP)
	}
}

// A failed update leaves the Service what it had.
func TestServiceAllocator_FailedUpdate(t *testing.T) {
	c := newCluster(t)
	c.mustWrite("a", `{type: NodePort, ports: [{port: 80, nodePort: 30080}]}`)
	c.expectRefusal("a", `{type: ClusterIP, ports: [{port: 80, nodePort: 30081}]}`, "may not be used when `type` is 'ClusterIP'")
	c.expectRefusal("b", `{type: NodePort, ports: [{port: 80, nodePort: 30080}]}`, "provided port is already allocated")
}

// A new allocator learns from the store; a store that does not answer is an error that says so.
func TestServiceAllocator_List(t *testing.T) {
	c := newCluster(t)
	c.mustWrite("a", `{clusterIP: 10.96.0.10, ports: [{port: 80}]}`)
	c.allocator = kinds.NewServiceAllocator(c.store())
	c.expectRefusal("b", `{clusterIP: 10.96.0.10, ports: [{port: 80}]}`, "provided IP is already allocated")
	broken := c.store()
	broken.List = func(context.Context) ([]*corev1.Service, error) { return nil, errors.New("no disk") }
	c.allocator = kinds.NewServiceAllocator(broken)
	c.expectRefusal("b", `{ports: [{port: 80}]}`, "no disk")
}

// A Service that was removed at the database gives its values back, but not within the minute in which its own write
// may still be under way.
func TestServiceAllocator_RemovedOutside(t *testing.T) {
	c := newCluster(t)
	allocator := kinds.NewServiceAllocator(c.store())
	now := time.Now()
	allocator.Now = func() time.Time { return now }
	c.allocator = allocator
	const spec = `{type: NodePort, clusterIP: 10.96.0.10, ports: [{port: 80, nodePort: 30080}]}`
	c.mustWrite("a", spec)
	c.remove("a")
	c.expectRefusal("b", spec, "provided IP is already allocated")
	now = now.Add(2 * time.Minute)
	c.mustWrite("b", spec)
}

// Values that another server has given out are taken here, those that it has taken back are free at once, and taken
// values come with the revision up to which the others' changes are known.
func TestServiceAllocator_Elsewhere(t *testing.T) {
	c := newCluster(t)
	c.mustWrite("a", `{ports: [{port: 80}]}`) // by which it has learnt
	const spec = `{type: NodePort, clusterIP: 10.96.0.10, ports: [{port: 80, nodePort: 30080}]}`
	other := &cluster{t: t, kind: c.kind, services: c.services}
	other.allocator = kinds.NewServiceAllocator(other.store())
	b := other.mustWrite("b", spec)
	c.allocator.Elsewhere(nil)
	c.expectRefusal("c", spec, "provided IP is already allocated")
	before, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	other.remove("b")
	c.allocator.Elsewhere(before)
	c.mustWrite("c", spec)
	for _, bad := range []string{"", "no JSON", `{"spec":{"clusterIPs":[7]}}`} {
		c.allocator.Elsewhere([]byte(bad))
	}
	given, err := c.allocator.Allocate(t.Context(), c.mustRead("d", `{ports: [{port: 80}]}`), nil)
	if err != nil || given.Pool != "services" || given.PoolAt != 7 {
		t.Errorf("%q at %d, %v", given.Pool, given.PoolAt, err)
	}
	if given, err = c.allocator.Allocate(t.Context(), c.mustRead("e", `{clusterIP: None, ports: [{port: 80}]}`), nil); err != nil || given.Pool != "" {
		t.Errorf("%q, %v", given.Pool, err)
	}
}

// Many writers at once: every address is given once.
func TestServiceAllocator_Concurrent(t *testing.T) {
	c := newCluster(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 25 {
				if _, err := c.write(fmt.Sprintf("s-%d-%d", i, j), `{type: NodePort, ports: [{port: 80}]}`); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	ips, ports := map[string]bool{}, map[int32]bool{}
	for _, s := range c.services {
		ips[s.Spec.ClusterIP], ports[s.Spec.Ports[0].NodePort] = true, true
	}
	if len(ips) != 200 || len(ports) != 200 {
		t.Errorf("%d addresses and %d ports for 200 Services", len(ips), len(ports))
	}
}

// When every node port is taken, the next Service is refused, and one deletion helps.
func TestServiceAllocator_Full(t *testing.T) {
	c := newCluster(t)
	for i := range 2768 {
		c.mustWrite(fmt.Sprintf("s-%d", i), `{type: NodePort, ports: [{port: 80}]}`)
	}
	c.expectRefusal("more", `{type: NodePort, ports: [{port: 80}]}`, "failed to allocate a nodePort: range is full")
	c.allocator.Deleted(mustInternal(t, c.kind, c.remove("s-7")), 1)
	c.mustWrite("more", `{type: NodePort, ports: [{port: 80}]}`)
}

// After a restore other Services hold the values: theirs are taken, all others are free at once, and a write from
// before it gives back and frees nothing.
func TestServiceAllocator_Restored(t *testing.T) {
	c := newCluster(t)
	const first, second = `{type: NodePort, clusterIP: 10.96.0.10, ports: [{port: 80, nodePort: 30080}]}`, `{type: NodePort, clusterIP: 10.96.0.20, ports: [{port: 80, nodePort: 30081}]}`
	c.mustWrite("a", first)
	gone := c.remove("a")
	c.allocator.Deleted(mustInternal(t, c.kind, gone.DeepCopy()), 5)
	c.mustWrite("b", second)
	underWay, err := c.allocator.Allocate(t.Context(), c.mustRead("c", first), nil)
	if err != nil {
		t.Fatal(err)
	}
	late := c.remove("b")
	c.mu.Lock()
	c.services["a"], c.restoredAt = gone, 10
	c.mu.Unlock()
	c.expectRefusal("d", first, "provided IP is already allocated")
	underWay.GiveBack()
	c.expectRefusal("d", first, "provided IP is already allocated")
	c.mustWrite("b", second)
	c.allocator.Deleted(mustInternal(t, c.kind, late), 9)
	c.expectRefusal("d", second, "provided IP is already allocated")
	c.allocator.Deleted(mustInternal(t, c.kind, c.remove("b")), 11)
	c.mustWrite("d", second)
}
