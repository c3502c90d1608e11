package compare_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"kubarium/analysis/compare"
	"kubarium/flow"
)

const lots = 100_000

// busy is a long run of ten controllers: each reads an object, writes it, and looks at a list; other is the part of
// requests that is not as in other runs.
func busy(n int, seed uint64, other float64) []*flow.Flow {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]*flow.Flow, n)
	at := start
	for i := range out {
		at = at.Add(time.Duration(r.IntN(1000)) * time.Microsecond)
		agent := fmt.Sprintf("controller-%c", 'a'+i%10)
		f := &flow.Flow{Seq: uint64(i + 1), Start: at, Status: 200, Method: "GET",
			Client: flow.Client{Tag: agent, UserAgent: agent + "/v1", User: "system:admin"}}
		object := i / 30
		if r.Float64() < other {
			object = r.IntN(n)
		}
		f.Target = flow.Target{Verb: "get", Group: "apps", Version: "v1", Resource: "deployments", Namespace: "default",
			Name: fmt.Sprintf("web-%d-%05x", object, object*7919)}
		switch i / 10 % 3 {
		case 1:
			f.Target.Verb, f.Method = "update", "PUT"
			f.RequestBody = flow.Keep(fmt.Appendf(nil,
				`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":%q,"namespace":"default","resourceVersion":"%d","uid":"b5b0c1a2-1111-2222-3333-%012d",`+
					`"creationTimestamp":"2026-11-22T12:00:00Z","labels":{"app":"web","pod-template-hash":"7d4b9c8f6"}},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},`+
					`"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.27","ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"100m"}}}]}}},`+
					`"status":{"observedGeneration":1,"replicas":3,"conditions":[{"type":"Available","status":"True","lastUpdateTime":"2026-11-22T12:00:00Z"}]}}`, f.Target.Name, r.IntN(1<<30), i))
		case 2:
			f.Target.Verb, f.Target.Name = "list", ""
		}
		out[i] = f
	}
	return out
}

// polling is a run of few requests that come again and again.
func polling(n int, seed uint64) []*flow.Flow {
	r := rand.New(rand.NewPCG(seed, 2))
	out := make([]*flow.Flow, n)
	for i := range out {
		out[i] = &flow.Flow{Seq: uint64(i + 1), Start: start.Add(time.Duration(i) * time.Millisecond), Status: 200,
			Method: "GET", Client: flow.Client{Tag: "a", UserAgent: "a/v1"}}
		out[i].Target = flow.Target{Verb: "get", Version: "v1", Resource: "pods", Namespace: "default",
			Name: fmt.Sprintf("pod-%d", r.IntN(4))}
	}
	return out
}

func shuffled(flows []*flow.Flow) []*flow.Flow {
	r := rand.New(rand.NewPCG(3, 3))
	r.Shuffle(len(flows), func(i, j int) { flows[i].Start, flows[j].Start = flows[j].Start, flows[i].Start })
	return flows
}

func BenchmarkRuns(b *testing.B) {
	for name, c := range map[string][2][]*flow.Flow{
		"same":     {busy(lots, 1, 0), busy(lots, 2, 0)},
		"few":      {busy(lots, 1, 0.01), busy(lots, 2, 0.01)},
		"most":     {busy(lots, 1, 0.9), busy(lots, 2, 0.9)},
		"polling":  {polling(lots, 1), polling(lots, 2)},
		"shuffled": {busy(lots, 1, 0), shuffled(busy(lots, 2, 0))},
		"none":     {busy(lots, 1, 0), nil},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				compare.Runs(c[0], c[1], compare.Options{})
			}
		})
	}
}
