package explore_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"kubarium/analysis/explore"
	"kubarium/flow"
	"kubarium/flow/recording"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// An object is one in the state, as JSON.
type object = map[string]any

// A builder makes the recording of a run, a step after the other, 100 ms apart.
type builder struct {
	t        testing.TB
	log      *flow.Log
	out      bytes.Buffer
	to       *recording.Encoder
	at       time.Time
	revision int64
	seq      uint64
}

func newBuilder(t testing.TB) *builder {
	t.Helper()
	b := &builder{t: t, log: flow.NewLog(flow.Limits{}), at: noon, revision: 100}
	var err error
	if b.to, err = recording.NewEncoder(&b.out); err != nil {
		t.Fatal(err)
	}
	b.must(b.to.Begin(recording.Begin{At: noon, Revision: 100, Objects: true}))
	return b
}

func (b *builder) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// stands puts an object into the state at the begin.
func (b *builder) stands(resource, namespace, name string, o object) {
	b.must(b.to.State(&recording.Change{Commit: flow.Commit{Revision: 50, Type: flow.Created, Resource: resource,
		Namespace: namespace, Name: name}, Value: jsonOf(b.t, o)}))
}

// writes makes a change of an object by a client: a verb of a request, and the object after it, nil for none.
func (b *builder) writes(agent, verb, resource, namespace, name string, o object) {
	b.t.Helper()
	b.revision++
	b.at = b.at.Add(100 * time.Millisecond)
	c := flow.Commit{Revision: b.revision, Type: flow.Updated, Resource: resource, Namespace: namespace, Name: name,
		At: b.at}
	switch verb {
	case "create":
		c.Type = flow.Created
	case "delete":
		c.Type = flow.Deleted
	}
	var value []byte
	if o != nil {
		value = jsonOf(b.t, o)
	}
	b.must(b.to.Change(&recording.Change{Commit: c, Value: value}))
	f := b.flow(agent, verb, resource, namespace, name)
	if verb == "create" {
		f.Target.Name = "" // it is in the body
	}
	f.Status, f.Effects = 200, []flow.Effect{{Commit: c, After: value}}
	b.must(b.to.Flow(f))
}

func (b *builder) flow(agent, verb, resource, namespace, name string) *flow.Flow {
	b.seq++
	return &flow.Flow{Seq: b.seq, Start: b.at, Duration: time.Millisecond, Client: flow.Client{UserAgent: agent},
		Target: flow.Target{Verb: verb, Version: "v1", Resource: resource, Namespace: namespace, Name: name}}
}

// A tell is an event of a watch.
type tell struct {
	kind string
	name string
	at   time.Duration // since noon
}

// watches makes a watch of a client that sends events.
func (b *builder) watches(agent, resource string, told ...tell) *flow.Watch {
	b.t.Helper()
	w := b.log.OpenWatch(flow.WatchInfo{Client: flow.Client{UserAgent: agent},
		Target: flow.Target{Verb: "watch", Version: "v1", Resource: resource, Namespace: "shop"}, Opened: noon, Start: 100})
	f := b.flow(agent, "watch", resource, "shop", "")
	f.Phase, f.Watch, f.Status = flow.WatchOpened, w, 200
	b.must(b.to.Flow(f))
	for i, e := range told {
		w.Wrote(flow.Frame{Type: e.kind, Revision: 101 + int64(i), Namespace: "shop", Name: e.name, Size: 10,
			Committed: noon.Add(e.at), Written: noon.Add(e.at)})
	}
	b.must(b.to.Frames(w))
	return w
}

// server is the run as it is read.
func (b *builder) server() *explore.Server {
	b.t.Helper()
	b.must(b.to.Close(recording.End{At: b.at}))
	s, err := explore.Read(bytes.NewReader(b.out.Bytes()))
	b.must(err)
	return s
}

func jsonOf(t testing.TB, o object) []byte {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// configMap is one with what the server gives it, by a number.
func configMap(name string, n int, data object) object {
	return object{"apiVersion": "v1", "kind": "ConfigMap", "data": data, "metadata": object{
		"name": name, "namespace": "shop", "uid": uidOf(n),
		"creationTimestamp": noon.Add(time.Duration(n) * time.Second).Format(time.RFC3339), "generation": n,
		"managedFields": []any{object{"manager": "m", "time": noon.Add(time.Duration(n) * time.Second).Format(time.RFC3339)}},
	}}
}

func uidOf(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", n) }
