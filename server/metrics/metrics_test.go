package metrics_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/server/cache"
	"kubarium/server/metrics"
)

// Requests are counted by Kubernetes' labels, watches without their time, and other numbers are asked for.
func TestMetrics(t *testing.T) {
	m := metrics.New(metrics.Sources{
		InFlight: func() int64 { return 3 }, Watches: func() int64 { return 4 }, Log: func() flow.Stats { return flow.Stats{Published: 5} },
		Cache: func() cache.Stats { return cache.Stats{Head: 6} },
	}, time.Now())
	m.Observe(flow.Target{Verb: "create", Version: "v1", Resource: "pods", Namespace: "n", Subresource: "proxy/a/b", Name: "x"}, metrics.Answered{Code: 201, DryRun: "All", Size: 10, Took: time.Second})
	m.Observe(flow.Target{Verb: "watch", Group: "apps", Version: "v1", Resource: "deployments", Namespace: "n"}, metrics.Answered{Code: 200, DryRun: "nonsense"})
	m.Panicked()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	text := w.Body.String()
	for _, want := range []string{
		`apiserver_request_total{code="201",dry_run="All",group="",resource="pods",scope="resource",subresource="proxy",verb="POST",version="v1"} 1`,
		`apiserver_request_duration_seconds_sum{group="",resource="pods",scope="resource",subresource="proxy",verb="POST",version="v1"} 1`,
		`apiserver_request_total{code="200",dry_run="invalid",group="apps",resource="deployments",scope="namespace",subresource="",verb="WATCH",version="v1"} 1`,
		"apiserver_request_panics_total 1", `apiserver_current_inflight_requests{request_kind="all"} 3`,
		`apiserver_longrunning_requests{verb="WATCH"} 4`, "kubarium_flows_total 5", "kubarium_head_revision 6",
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(text, `duration_seconds_sum{group="apps"`) {
		t.Error("the time of a watch is counted")
	}
}
