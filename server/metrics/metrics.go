// Package metrics counts requests, and reports its numbers and those of others in Prometheus' forms.
package metrics

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/flow"
	"kubarium/server/cache"
	"kubarium/server/features"
)

// Metrics are the numbers at /metrics, under Kubernetes' names where it has one for them.
type Metrics struct {
	http.Handler // answers with all of them

	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	size     *prometheus.HistogramVec
	panics   prometheus.Counter

	mu    sync.RWMutex // guards known
	known map[counted]series
}

// counted is the labels of a request's series.
type counted struct {
	code                                                       int
	dryRun, verb, group, version, resource, subresource, scope string
}

// A series is where a request is counted. They are looked up once: by their labels that takes longer than to count.
type series struct {
	requests prometheus.Counter
	duration prometheus.Observer
	size     prometheus.Observer
}

var requestLabels = []string{"verb", "group", "version", "resource", "subresource", "scope"}

// Sources are where the numbers are that are read at each scrape.
type Sources struct {
	InFlight func() int64 // requests being served, watches not counted
	Watches  func() int64
	Cache    func() cache.Stats
	Log      func() flow.Stats
	Features features.Gates
}

// New returns metrics without a request. start is when the process began, as far as it is known here.
func New(s Sources, start time.Time) *Metrics {
	m := &Metrics{
		known:    map[counted]series{},
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "apiserver_request_total", Help: "Requests by verb, resource and status code.",
		}, append([]string{"code", "dry_run"}, requestLabels...)),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "apiserver_request_duration_seconds", Help: "Time from headers to the last byte, watches not counted.",
			Buckets: []float64{0.0001, 0.0005, 0.001, 0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30},
		}, requestLabels),
		size: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "apiserver_response_sizes", Help: "Bytes of answers.", Buckets: prometheus.ExponentialBuckets(1000, 10, 6),
		}, requestLabels),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "apiserver_request_panics_total", Help: "Handlers that panicked.",
		}),
	}
	m.registry.MustRegister(m.requests, m.duration, m.size, m.panics, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), gauges{s})
	m.Handler = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ProcessStartTime: start})
	return m
}

// An Answered is how a request ended.
type Answered struct {
	DryRun string // the parameter
	Code   int
	Size   int64 // bytes
	Took   time.Duration
}

// Observe counts a finished request for a resource that is served. Names that clients make up must not come here:
// each would be a new series, which stays for ever, and need not be text.
func (m *Metrics) Observe(t flow.Target, a Answered) {
	subresource, _, _ := strings.Cut(t.Subresource, "/") // what follows "proxy" is for another server
	dryRun := a.DryRun
	if dryRun != "" && dryRun != metav1.DryRunAll {
		dryRun = "invalid" // as kube-apiserver counts it
	}
	s := m.series(counted{a.Code, dryRun, t.Verb, t.Group, t.Version, t.Resource, subresource, scope(t)})
	s.requests.Inc()
	if t.Verb == "watch" {
		return
	}
	s.duration.Observe(a.Took.Seconds())
	s.size.Observe(float64(a.Size))
}

// series is where such requests are counted; those of watches have a counter alone.
func (m *Metrics) series(c counted) series {
	m.mu.RLock()
	s, ok := m.known[c]
	m.mu.RUnlock()
	if ok {
		return s
	}
	all := [...]string{strconv.Itoa(c.code), c.dryRun, verbLabel(c.verb), c.group, c.version, c.resource, c.subresource, c.scope}
	s.requests = m.requests.WithLabelValues(all[:]...)
	if c.verb != "watch" {
		s.duration, s.size = m.duration.WithLabelValues(all[2:]...), m.size.WithLabelValues(all[2:]...)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[c] = s
	return s
}

// Panicked counts a handler that did.
func (m *Metrics) Panicked() { m.panics.Inc() }

// verbLabel is the verb as Kubernetes' metrics write it.
func verbLabel(verb string) string {
	switch verb {
	case "create":
		return "POST"
	case "update":
		return "PUT"
	case "deletecollection":
		return "DELETECOLLECTION"
	}
	return string(bytes.ToUpper([]byte(verb)))
}

// scope is how much of a resource a request is about.
func scope(t flow.Target) string {
	switch {
	case t.Name != "":
		return "resource"
	case t.Namespace != "":
		return "namespace"
	}
	return "cluster"
}

// gauges are read at each scrape.
type gauges struct{ s Sources }

var (
	inFlightDesc = prometheus.NewDesc("apiserver_current_inflight_requests", "Requests being served now.", []string{"request_kind"}, nil)
	watchesDesc  = prometheus.NewDesc("apiserver_longrunning_requests", "Watches open now.", nil, prometheus.Labels{"verb": "WATCH"})
	objectsDesc  = prometheus.NewDesc("apiserver_resource_objects", "Objects in the cache by resource.", []string{"resource"}, nil)
	slowDesc     = prometheus.NewDesc("apiserver_terminated_watchers_total", "Watchers ended because they could not keep up.", nil, nil)
	revisionDesc = prometheus.NewDesc("kubarium_head_revision", "The newest revision of the store.", nil, nil)
	featureDesc  = prometheus.NewDesc("kubernetes_feature_enabled", "[BETA] This metric records the data about the stage and enablement of a k8s feature.", []string{"name", "stage"}, nil)
	flowsDesc    = prometheus.NewDesc("kubarium_flows_total", "Flows published.", nil, nil)
	evictedDesc  = prometheus.NewDesc("kubarium_flows_evicted_total", "Flows that aged out of memory.", nil, nil)
)

func (g gauges) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{inFlightDesc, watchesDesc, objectsDesc, slowDesc, revisionDesc, flowsDesc, evictedDesc, featureDesc} {
		ch <- d
	}
}

func (g gauges) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v float64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v)
	}
	gauge(inFlightDesc, float64(g.s.InFlight()), "all")
	gauge(watchesDesc, float64(g.s.Watches()))
	stats := g.s.Cache()
	for _, r := range stats.Resources {
		gauge(objectsDesc, float64(r.Objects), r.Resource)
	}
	counter(slowDesc, float64(stats.Slow))
	gauge(revisionDesc, float64(stats.Head))
	log := g.s.Log()
	counter(flowsDesc, float64(log.Published))
	counter(evictedDesc, float64(log.Evicted))
	for _, f := range g.s.Features.All() {
		on := 0.0
		if f.Enabled {
			on = 1
		}
		gauge(featureDesc, on, string(f.Gate), f.Stage)
	}
}
