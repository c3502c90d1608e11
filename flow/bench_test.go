package flow_test

import (
	"net/http"
	"testing"

	"kubarium/flow"
)

// BenchmarkRecord is the cost of recording a get: a record with eight stations, headers and body, published to a full
// log. Compare with the time of the same get over HTTP (BenchmarkGet in package app): the goal is 5 % of it.
func BenchmarkRecord(b *testing.B) {
	log := flow.NewLog(flow.Limits{})
	header := http.Header{"Accept": {"application/json"}, "User-Agent": {"bench/1"}}
	body := make([]byte, 1400)
	b.ReportAllocs()
	for b.Loop() {
		r := log.Begin(nil)
		f := flow.From(flow.With(b.Context(), r))
		f.Flow.Method, f.Flow.Path, f.Flow.Proto = "GET", "/api/v1/namespaces/default/configmaps/a", "HTTP/1.1"
		f.Flow.RequestHeader, f.Flow.ResponseHeader = header, header
		f.Flow.Client = flow.Client{Tag: log.Tag(flow.Client{UserAgent: "bench/1"}), UserAgent: "bench/1"}
		for _, station := range []string{"filters", "route", "authorize", "negotiate", "default", "cache", "encode",
			"respond"} {
			f.Enter(station)
			f.Leave("note", nil)
		}
		f.Flow.ResponseBody = flow.Keep(body)
		f.Publish(flow.Whole)
	}
}
