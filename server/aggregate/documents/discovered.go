package documents

import (
	"context"
	"sync"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver"

	"kubarium/server/aggregate"
	"kubarium/server/discovery"
)

// discovered is what servers say of their resources. The official manager asks them, and puts down here what they said.
type discovered struct {
	manager aggregator.DiscoveryAggregationController

	mu       sync.RWMutex // guards versions
	versions map[schema.GroupVersion]apidiscoveryv2.APIVersionDiscovery
}

func newDiscovered() *discovered {
	d := &discovered{versions: map[schema.GroupVersion]apidiscoveryv2.APIVersionDiscovery{}}
	d.manager = aggregator.NewDiscoveryManager(target{d: d})
	return d
}

func (d *discovered) run(ctx context.Context) { d.manager.Run(ctx.Done(), nil) }

// take asks a server, whether or not it is said to be available: that it is not may be what it is known by later. What it said is kept
// by the Service of its APIService; one that has a URL instead is known by that.
func (d *discovered) take(ctx context.Context, s *aggregate.Service) {
	o := s.APIService
	if url := o.Annotations[aggregate.URLAnnotation]; url != "" {
		o = o.DeepCopy()
		o.Spec.Service = &apiregistrationv1.ServiceReference{Name: url}
	}
	d.manager.AddAPIService(o, until(ctx, s.Regardless()))
}

func (d *discovered) forget(name string) { d.manager.RemoveAPIService(name) }

// remote is what is known of a group version. A nil table knows nothing.
func (d *discovered) remote(s *aggregate.Service) discovery.Remote {
	r := discovery.Remote{
		GroupVersion: s.GroupVersion, Priority: discovery.Priority{Group: s.GroupPriority, Version: s.VersionPriority},
		Freshness: apidiscoveryv2.DiscoveryFreshnessStale,
	}
	if d == nil {
		return r
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	if v, ok := d.versions[s.GroupVersion]; ok {
		r.Freshness, r.Resources = v.Freshness, v.Resources
	}
	return r
}

// target is discovered as the manager writes into it. Priorities are those of the APIServices as they are now; of the rest of the
// interface the manager uses nothing.
type target struct {
	aggregated.ResourceManager
	d *discovered
}

// WithSource fulfils aggregated.ResourceManager. There is one source.
func (t target) WithSource(aggregated.Source) aggregated.ResourceManager { return t }

// SetGroupVersionPriority fulfils aggregated.ResourceManager.
func (t target) SetGroupVersionPriority(metav1.GroupVersion, int, int) {}

// AddGroupVersion fulfils aggregated.ResourceManager.
func (t target) AddGroupVersion(group string, v apidiscoveryv2.APIVersionDiscovery) {
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	t.d.versions[schema.GroupVersion{Group: group, Version: v.Version}] = v
}

// RemoveGroupVersion fulfils aggregated.ResourceManager.
func (t target) RemoveGroupVersion(gv metav1.GroupVersion) {
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	delete(t.d.versions, schema.GroupVersion(gv))
}
