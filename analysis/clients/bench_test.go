package clients_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubarium/analysis/clients"
	"kubarium/flow"
)

// flowsOf are requests of a busy run: reads, writes of objects of 3 KB with finalizers, conflicts and Leases.
func flowsOf(n, objects int) []*flow.Flow {
	spec := `,"finalizers":["x.io/f"],"managedFields":[{"f":"` + strings.Repeat("x", 1500) + `"}]},"spec":{"a":"` +
		strings.Repeat("y", 1500) + `"`
	body := flow.Bytes(obj(spec))
	out := make([]*flow.Flow, n)
	for i := range out {
		f := &flow.Flow{
			Seq: uint64(i + 1), Start: noon.Add(time.Duration(i) * time.Millisecond), Duration: time.Millisecond,
			Client: client(fmt.Sprint("ctl", i%5)), Status: 200, Revision: int64(i),
			Target: target(fmt.Sprintf("get deployments.apps shop/web-%d", i%objects)),
		}
		switch i % 8 {
		case 1, 2, 4:
			f.Target.Verb, f.Query = "update", "fieldManager=ctl"
			c := flow.Commit{Revision: int64(i), Type: flow.Updated, Resource: "deployments.apps", Namespace: "shop",
				Name: f.Target.Name, At: f.Start}
			f.Effects = []flow.Effect{{Commit: c, Before: body, After: body}}
		case 3:
			f.Target.Verb, f.Status, f.Reason = "update", 409, "Conflict"
			f.Conflict = &flow.Conflict{Kind: flow.StaleRevision, Sent: 1, Stored: int64(i)}
		}
		out[i] = f
	}
	return out
}

func BenchmarkReader_Add(b *testing.B) {
	flows := flowsOf(20_000, 500)
	r := clients.NewReader(func() []*flow.Watch { return nil })
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r.Add(flows[i%len(flows)])
	}
}

// The client has 10,000 objects and 100 refused attempts, there are 200 watches of three programs of which 10 lag, and
// 100 objects are terminating with its finalizer.
func BenchmarkReader_Of(b *testing.B) {
	var watches []*flow.Watch
	r := clients.NewReader(func() []*flow.Watch { return watches })
	for _, f := range flowsOf(100_000, 10_000) {
		f.Client = client("ctl0")
		r.Add(f)
	}
	for i := range 200 {
		w := flow.ToldWatch(flow.WatchInfo{ID: uint64(i + 1), Client: client(fmt.Sprint("ctl", i%3)), Start: 90_000,
			Target: target(fmt.Sprintf("watch deployments.apps ns-%d", i))})
		for n := range 300 {
			w.Wrote(flow.Frame{Type: "MODIFIED", Revision: int64(n), Written: noon})
		}
		if i%20 > 0 {
			w.Reached(100_000, 0)
		}
		watches = append(watches, w)
	}
	for i := range 100 {
		dying := obj(`,"finalizers":["x.io/f"],"deletionTimestamp":"2026-11-24T12:00:00Z"`)
		for n, before := range []string{"", obj(`,"finalizers":["x.io/f"]`)} {
			f := &flow.Flow{Seq: uint64(200_000 + 2*i + n), Start: noon, Client: client("ctl0"), Status: 200,
				Target: target(fmt.Sprintf("delete configmaps shop/c%d", i))}
			e := flow.Effect{Before: flow.Bytes(before), After: flow.Bytes(dying), Commit: flow.Commit{
				Revision: int64(100_000 + 2*i + n), At: noon,
				Resource: "configmaps", Namespace: "shop", Name: fmt.Sprint("c", i)}}
			f.Effects = []flow.Effect{e}
			r.Add(f)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if c := r.Of("ctl0", noon.Add(2*time.Minute)); len(c.Waits) < 10 {
			b.Fatalf("%d waits", len(c.Waits))
		}
	}
}
