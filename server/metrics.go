package server

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/answer"
	"kubarium/server/flow"
)

// metrics are the numbers at /metrics, under Kubernetes' names where it has one for them.
type metrics struct {
	registry *prometheus.Registry
	handler  http.Handler // answers with all of them
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	size     *prometheus.HistogramVec
	panics   prometheus.Counter
}

var requestLabels = []string{"verb", "group", "version", "resource", "subresource", "scope"}

func newMetrics(s *Server) *metrics {
	m := &metrics{
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
	m.handler = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ProcessStartTime: s.o.Now()})
	return m
}

// observe counts a finished request, if it was for a resource that is served: what clients make up would be a new series each
// time, which stays for ever, and need not be text.
func (m *metrics) observe(q *Request, out *answer.Response) {
	t := q.Flow.Flow.Target
	if t.Resource == "" || q.Handler == 0 {
		return
	}
	subresource, _, _ := strings.Cut(t.Subresource, "/") // what comes behind "proxy" is for another server
	labels := []string{verbLabel(t.Verb), t.Group, t.Version, t.Resource, subresource, scope(t)}
	dryRun := q.Query.Get("dryRun")
	if dryRun != "" && dryRun != metav1.DryRunAll {
		dryRun = "invalid" // as kube-apiserver counts it
	}
	m.requests.WithLabelValues(append([]string{strconv.Itoa(out.Code), dryRun}, labels...)...).Inc()
	if t.Verb == "watch" {
		return
	}
	m.duration.WithLabelValues(labels...).Observe(q.Flow.Elapsed().Seconds())
	m.size.WithLabelValues(labels...).Observe(float64(out.Size))
}

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

// serveMetrics answers /metrics in one of Prometheus' forms, compressed for those who take it.
func (s *Server) serveMetrics(q *Request) (*answer.Answer, error) {
	return &answer.Answer{Stream: func(w *answer.Response) {
		w.Reused = true
		w.Header().Set("Cache-Control", "no-cache, private")
		q.Flow.Enter("respond")
		s.metrics.handler.ServeHTTP(w, q.Request)
		q.Flow.Leave("", nil)
	}}, nil
}

// gauges are read off the server when somebody asks.
type gauges struct{ s *Server }

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
	gauge(inFlightDesc, float64(g.s.inFlight.Load()), "all")
	gauge(watchesDesc, float64(g.s.watches.Load()))
	stats := g.s.o.Registry.Cache.Stats()
	for _, r := range stats.Resources {
		gauge(objectsDesc, float64(r.Objects), r.Resource)
	}
	counter(slowDesc, float64(stats.Slow))
	gauge(revisionDesc, float64(stats.Head))
	var log flow.Stats = g.s.o.Log.Stats()
	counter(flowsDesc, float64(log.Published))
	counter(evictedDesc, float64(log.Evicted))
	for _, f := range g.s.o.Features.All() {
		on := 0.0
		if f.Enabled {
			on = 1
		}
		gauge(featureDesc, on, string(f.Gate), f.Stage)
	}
}
