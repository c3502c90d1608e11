package faults_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"kubarium/server/gate"

	"kubarium/flow"
	"kubarium/flow/rule"
)

// The cost of the gate for a request: without rules, and with rules for others. A get passes it twice, a write seven
// times.
func BenchmarkGate(b *testing.B) {
	for name, lines := range map[string]string{
		"none":    "",
		"another": "hold on verb:update res:deployments",
		"ten others": "hold on who:x\nhold on res:pods\ndelay 1s on ns:a\ndelay 1s on ns:b\nrefuse 409 on " +
			"name:y\nrefuse 410 on name:z\ncut on ua:x\nlose on user:bob\ncoalesce 1s on res:pods\nlag 5s on who:y",
	} {
		b.Run(name, func(b *testing.B) {
			g := gate.New(gate.Options{})
			s, err := rule.ParseSet(lines)
			if err == nil {
				_, err = g.Add(s)
			}
			if err != nil {
				b.Fatal(err)
			}
			log := flow.NewLog(flow.Limits{})
			r := httptest.NewRequest("GET", "/api/v1/namespaces/default/configmaps/a", nil)
			b.ReportAllocs()
			for b.Loop() {
				rec := log.Begin(nil)
				rec.Flow.Path, rec.Flow.Client = r.URL.Path, flow.Client{Tag: "k1", UserAgent: "kubectl"}
				rec.Flow.Target = flow.Target{Verb: "get", Version: "v1", Resource: "configmaps", Namespace: "default",
					Name: "a"}
				g.Pass(rec, nil)
				for _, station := range []string{"negotiate", "cache", "encode"} {
					if err := rec.Before(b.Context(), station); err != nil {
						b.Fatal(err)
					}
				}
				rec.Publish(flow.Whole)
			}
		})
	}
}

// The same over HTTP, by turns.
func BenchmarkHTTP(b *testing.B) {
	g := startFor(b)
	g.client = http.DefaultClient // it keeps its connection
	g.create("a", "1")
	for _, lines := range [][]string{nil, {"hold on verb:update res:deployments"}, nil,
		{"hold on verb:update res:deployments"}} {
		name := "none"
		if lines != nil {
			name = "rule for others"
		}
		b.Run(name, func(b *testing.B) {
			g.rules(lines...)
			for b.Loop() {
				g.ask("GET", maps+"/a", "")
			}
		})
	}
}

// A hundred requests are held and dropped in each iteration, half of them writes with a body; it reports what remains
// at the end.
func BenchmarkHeld(b *testing.B) {
	g := startFor(b, "hold before store on verb:create", "hold on verb:list")
	const each = 100
	before := left()
	for b.Loop() {
		var got []<-chan answered
		for i := range each / 2 {
			got = append(got, g.later(b.Context(), "POST", maps, "application/json",
				configMap(fmt.Sprint("c", i), "", "1")),
				g.later(b.Context(), "GET", maps, "", ""))
		}
		g.held(each)
		g.must(200, "POST", "/debug/held?id=all&do=drop", "")
		for _, a := range got {
			<-a
		}
		g.held(0)
	}
	after := left()
	b.ReportMetric(float64(after.goroutines-before.goroutines), "goroutines-more")
	b.ReportMetric(float64(after.heap-before.heap)/(1<<20), "heap-MiB-more")
}

// A rest is what remains in a process.
type rest struct{ goroutines, heap int }

func left() rest {
	time.Sleep(200 * time.Millisecond) // connections end
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return rest{runtime.NumGoroutine(), int(m.HeapAlloc)}
}
