package documents

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"sync"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	"k8s.io/apiserver/pkg/endpoints/request"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver"

	"kubarium/server/aggregate"
	"kubarium/server/discovery"
)

// discovered is what servers say of their resources. The official manager asks them, and puts down here what they said.
type discovered struct {
	logger  *slog.Logger
	manager aggregator.DiscoveryAggregationController

	mu       sync.RWMutex // guards versions
	versions map[schema.GroupVersion]apidiscoveryv2.APIVersionDiscovery
}

func newDiscovered(logger *slog.Logger) *discovered {
	d := &discovered{logger: logger, versions: map[schema.GroupVersion]apidiscoveryv2.APIVersionDiscovery{}}
	d.manager = aggregator.NewDiscoveryManager(target{d: d})
	return d
}

func (d *discovered) run(ctx context.Context) { d.manager.Run(ctx.Done(), nil) }

// take has the manager ask a server, also one whose APIService is not available, which it may become later. The
// manager keeps the answer by the Service of the APIService, or by its URL.
func (d *discovered) take(ctx context.Context, s *aggregate.Service) {
	o := s.APIService
	if url := o.Annotations[aggregate.URLAnnotation]; url != "" {
		o = o.DeepCopy()
		o.Spec.Service = &apiregistrationv1.ServiceReference{Name: url}
	}
	d.manager.AddAPIService(o, d.asking(ctx, s.Regardless()))
}

// asking is the handler by which the official manager asks a server, until ctx ends. The manager is the user whom
// it names in its requests.
func (d *discovered) asking(ctx context.Context, s *aggregate.Service) http.Handler {
	away := &complaint{logger: d.logger, what: "discovery documents", service: s.Name}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, ok := request.UserFrom(r.Context())
		if !ok {
			who = aggregate.Self
		}
		resp, err := s.Get(ctx, who, r.URL.Path, r.Header)
		if away.log(err); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		maps.Copy(w.Header(), resp.Header)
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	})
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

// target is discovered as the manager writes into it. Priorities are those of the APIServices as they are now; of
// the rest of the interface the manager uses nothing.
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
