package chain_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubarium/analysis/chain"
	"kubarium/flow"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// A run builds flows and the frames of watches, in the order of their times.
type run struct {
	*chain.Reader
	seq uint64
	log *flow.Log
}

func newRun() *run {
	return &run{Reader: chain.NewReader(nil), log: flow.NewLog(flow.Limits{})}
}

func client(agent string) flow.Client {
	name := agent[strings.LastIndexByte(agent, '/')+1:]
	return flow.Client{Tag: name, UserAgent: agent, Remote: "127.0.0.1:9"}
}

const manager = "kube-controller-manager/v1 (linux/amd64) kubernetes/1/"

func at(ms float64) time.Time { return noon.Add(time.Duration(ms * float64(time.Millisecond))) }

// watch opens a watch of a resource.
func (r *run) watch(agent, resource string) *flow.Watch {
	t := target("watch", resource, "")
	w := r.log.OpenWatch(flow.WatchInfo{Client: client(agent), Target: t})
	r.add(&flow.Flow{Phase: flow.WatchOpened, Client: client(agent), Target: t, Start: noon, Status: 200, Watch: w})
	return w
}

func target(verb, resource, name string) flow.Target {
	plural, group, _ := strings.Cut(resource, ".")
	return flow.Target{Verb: verb, Group: group, Version: "v1", Resource: plural, Namespace: "a", Name: name}
}

func (r *run) add(f *flow.Flow) *chain.Chain {
	r.seq++
	f.Seq = r.seq
	return r.Add(f)
}

// frame sends an event to a watch.
func frame(w *flow.Watch, ms float64, typ, name string, revision int64) {
	w.Wrote(flow.Frame{Type: typ, Namespace: "a", Name: name, Revision: revision, Written: at(ms)})
}

// write is a request that changed an object to this JSON text at a revision.
func (r *run) write(
	agent string, ms float64, verb, resource, name string, revision int64, after string, edit ...func(*flow.Flow),
) *chain.Chain {
	f := &flow.Flow{
		Client: client(agent), Target: target(verb, resource, name), Status: 200,
		Start: at(ms), Duration: time.Millisecond,
		Effects: []flow.Effect{{
			Commit: flow.Commit{Revision: revision, Resource: resource, Namespace: "a", Name: name},
			After:  []byte(after),
		}},
	}
	for _, e := range edit {
		e(f)
	}
	return r.add(f)
}

// read is a request that reads ConfigMaps.
func (r *run) read(agent, verb, name string, revision int64) {
	r.add(&flow.Flow{
		Client: client(agent), Target: target(verb, "configmaps", name), Start: at(1), Status: 200, Revision: revision,
	})
}

func dryRun(f *flow.Flow) { f.Query = "dryRun=All" }

func refused(f *flow.Flow) { f.Status, f.Effects = 409, nil }

func sent(revision int64) func(*flow.Flow) { return func(f *flow.Flow) { f.SentRevision = revision } }

func object(uid, owner string) string {
	if owner == "" {
		return fmt.Sprintf(`{"metadata":{"name":"x","uid":%q}}`, uid)
	}
	kind, name, _ := strings.Cut(owner, "/")
	return fmt.Sprintf(`{"metadata":{"name":"x","uid":%q,"ownerReferences":[`+
		`{"apiVersion":"apps/v1","kind":%q,"name":%q,"uid":%[3]q}]}}`, uid, kind, name)
}

// told is a chain in one line.
func told(c *chain.Chain) string {
	if c == nil {
		return "nothing"
	}
	var out []string
	for _, e := range c.Events {
		out = append(out, fmt.Sprintf("%s:%s/%s@%d-%v", e.Link, e.Resource, e.Name, e.Revision, e.Before))
	}
	for _, x := range c.Reads {
		out = append(out, fmt.Sprintf("%s:%s#%d-%v", x.Link, x.Verb, x.Seq, x.Before))
	}
	if c.More > 0 {
		out = append(out, fmt.Sprintf("+%d", c.More))
	}
	if c.Retry > 0 {
		out = append(out, fmt.Sprintf("retry#%d", c.Retry))
	}
	if c.Idle > 0 {
		out = append(out, fmt.Sprintf("idle#%d:%v", c.Last, c.Idle))
	}
	return strings.Join(out, " ")
}

const shared = manager + "shared-informers"

// Each link, and what is no reason.
func TestReader_Add(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(r *run) *chain.Chain
		want string
	}{
		"version": {func(r *run) *chain.Chain {
			w := r.watch(shared, "deployments.apps")
			frame(w, 10, "MODIFIED", "web", 226)
			return r.write(manager+"d", 13, "update", "deployments.apps", "web", 227, object("web", ""), sent(226))
		}, "version:deployments.apps/web@226-3ms"},
		"object, the newest first": {func(r *run) *chain.Chain {
			w := r.watch(shared, "deployments.apps")
			frame(w, 10, "ADDED", "web", 225)
			frame(w, 11, "MODIFIED", "web", 226)
			return r.write(manager+"d", 13, "update", "deployments.apps", "web", 227, object("web", ""))
		}, "object:deployments.apps/web@226-2ms object:deployments.apps/web@225-3ms"},
		"owner": {func(r *run) *chain.Chain {
			w := r.watch(shared, "deployments.apps")
			frame(w, 10, "ADDED", "web", 225)
			made := object("web-1", "Deployment/web")
			return r.write(manager+"d", 12, "create", "replicasets.apps", "web-1", 226, made)
		}, "owner:deployments.apps/web@225-2ms"},
		"owned": {func(r *run) *chain.Chain {
			w := r.watch(shared, "pods")
			frame(w, 11, "ADDED", "p", 230)
			r.write("k", 10, "create", "pods", "p", 230, object("p", "ReplicaSet/web-1"))
			return r.write(manager+"rs", 12, "update", "replicasets.apps", "web-1", 231, object("web-1", ""))
		}, "owned:pods/p@230-1ms"},
		"sibling": {func(r *run) *chain.Chain {
			w := r.watch(shared, "pods")
			r.write("k", 10, "create", "pods", "p", 230, object("p", "ReplicaSet/web-1"))
			frame(w, 11, "DELETED", "p", 231)
			return r.write(manager+"rs", 12, "create", "pods", "q", 232, object("q", "ReplicaSet/web-1"))
		}, "sibling:pods/p@231-1ms"},
		"named": {func(r *run) *chain.Chain {
			w := r.watch("kube-scheduler/v1", "nodes")
			w.Wrote(flow.Frame{Type: "ADDED", Name: "n", Revision: 7, Written: at(1)})
			return r.write("kube-scheduler/v1", 2, "create", "pods", "p", 9, `{"spec":{"nodeName":"n"}}`)
		}, "named:nodes/n@7-1ms"},
		"named by the event's object": {func(r *run) *chain.Chain {
			w := r.watch(shared, "pods")
			pod := `{"spec":{"volumes":[{"persistentVolumeClaim":{"claimName":"c"}}]}}`
			r.write("k", 10, "create", "pods", "p", 230, pod)
			frame(w, 11, "DELETED", "p", 231)
			return r.write(manager+"pvc", 12, "update", "persistentvolumeclaims", "c", 232, object("c", ""))
		}, "named:pods/p@231-1ms"},
		"an Event": {func(r *run) *chain.Chain {
			w := r.watch(shared, "jobs.batch")
			frame(w, 11, "ADDED", "once", 231)
			return r.write(manager+"job", 12, "create", "events", "e", 232,
				`{"involvedObject":{"kind":"Job","apiVersion":"batch/v1","namespace":"a","name":"once"}}`)
		}, "named:jobs.batch/once@231-1ms"},
		"namespace": {func(r *run) *chain.Chain {
			w := r.watch(shared, "namespaces")
			w.Wrote(flow.Frame{Type: "ADDED", Name: "a", Revision: 7, Written: at(1)})
			return r.write(manager+"sa", 2, "create", "serviceaccounts", "default", 9, object("d", ""))
		}, "named:namespaces/a@7-1ms"},
		"time alone": {func(r *run) *chain.Chain {
			w := r.watch(shared, "nodes")
			frame(w, 10, "MODIFIED", "m", 6)
			frame(w, 11, "MODIFIED", "n", 7)
			return r.write(manager+"x", 20, "update", "configmaps", "c", 9, object("c", ""))
		}, "time:nodes/n@7-9ms"},
		"long before": {func(r *run) *chain.Chain {
			w := r.watch(shared, "nodes")
			frame(w, 11, "MODIFIED", "n", 7)
			return r.write(manager+"x", 1200, "update", "configmaps", "c", 9, object("c", ""))
		}, "nothing"},
		"noted after the write began": {func(r *run) *chain.Chain {
			w := r.watch(shared, "configmaps")
			frame(w, 10.5, "ADDED", "c", 7)
			return r.write(manager+"x", 10, "update", "configmaps", "c", 9, object("c", ""))
		}, "object:configmaps/c@7--500µs"},
		"after the write": {func(r *run) *chain.Chain {
			w := r.watch(shared, "configmaps")
			frame(w, 12, "ADDED", "c", 7)
			return r.write(manager+"x", 10, "update", "configmaps", "c", 9, object("c", ""))
		}, "nothing"},
		"of another program": {func(r *run) *chain.Chain {
			w := r.watch("other/v1", "configmaps")
			frame(w, 9, "ADDED", "c", 7)
			return r.write(manager+"x", 10, "update", "configmaps", "c", 9, object("c", ""))
		}, "nothing"},
		"idle": {func(r *run) *chain.Chain {
			w := r.watch(shared, "configmaps")
			frame(w, 9, "ADDED", "c", 7)
			r.write(manager+"x", 10, "update", "configmaps", "c", 9, object("c", ""))
			frame(w, 11, "MODIFIED", "c", 9) // its own change
			return r.write(manager+"x", 4010, "update", "configmaps", "c", 10, object("c", ""))
		}, "idle#2:4s"},
		"its own change comes last": {func(r *run) *chain.Chain {
			c, pods := r.watch(shared, "configmaps"), r.watch(shared, "pods")
			r.write("k", 8, "create", "pods", "p", 6, object("p", "ConfigMap/c"))
			frame(c, 9, "ADDED", "c", 7)
			r.write(manager+"x", 10, "update", "configmaps", "c", 9, object("c", ""))
			frame(pods, 2000, "MODIFIED", "p", 10)
			frame(c, 2001, "MODIFIED", "c", 9)
			return r.write(manager+"x", 2010, "update", "configmaps", "c", 11, object("c", ""), sent(9))
		}, "owned:pods/p@10-10ms version:configmaps/c@9-9ms"},
		"what came too late for the write before": {func(r *run) *chain.Chain {
			w := r.watch(shared, "configmaps")
			frame(w, 8, "MODIFIED", "c", 7)
			r.write(manager+"x", 10, "update", "configmaps", "c", 9, object("c", ""), sent(7))
			frame(w, 9.5, "MODIFIED", "c", 8)
			return r.write(manager+"x", 15, "update", "configmaps", "c", 10, object("c", ""))
		}, "object:configmaps/c@8-5.5ms"},
		"retry": {func(r *run) *chain.Chain {
			w := r.watch(shared, "configmaps")
			frame(w, 8, "MODIFIED", "c", 7)
			r.write(manager+"x", 10, "update", "configmaps", "c", 0, "", sent(7), refused)
			return r.write(manager+"x", 15, "update", "configmaps", "c", 10, object("c", ""))
		}, "object:configmaps/c@7-7ms retry#2"},
		"reads alone": {func(r *run) *chain.Chain {
			r.read("kubectl/v1", "get", "c", 7)
			return r.write("kubectl/v1", 90_000, "patch", "configmaps", "c", 9, object("c", ""), sent(7))
		}, "version:get#1-1m29.999s"},
		"a list with the version": {func(r *run) *chain.Chain {
			r.read("x", "list", "", 8)
			return r.write("x", 3, "update", "configmaps", "c", 9, object("c", ""), sent(7))
		}, "version:list#1-2ms"},
		"a list before the version": {func(r *run) *chain.Chain {
			r.read("x", "list", "", 6)
			return r.write("x", 3, "update", "configmaps", "c", 9, object("c", ""), sent(7))
		}, "object:list#1-2ms"},
		"a dry run": {func(r *run) *chain.Chain {
			w := r.watch(shared, "configmaps")
			frame(w, 8, "MODIFIED", "c", 7)
			return r.write(manager+"x", 10, "update", "configmaps", "c", 9, "", refused, dryRun)
		}, "nothing"},
		"more than are named": {func(r *run) *chain.Chain {
			w := r.watch(shared, "pods")
			for i := range 6 {
				name := fmt.Sprint("p", i)
				r.write("k", 1, "create", "pods", name, int64(230+i), object(name, "ReplicaSet/web-1"))
				frame(w, float64(2+i), "ADDED", name, int64(230+i))
			}
			return r.write(manager+"rs", 12, "update", "replicasets.apps", "web-1", 251, object("web-1", ""))
		}, "owned:pods/p5@235-5ms owned:pods/p4@234-6ms owned:pods/p3@233-7ms owned:pods/p2@232-8ms +2"},
	} {
		if got := told(c.do(newRun())); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// A chain is kept; an event says which request committed it.
func TestReader_Of(t *testing.T) {
	r := newRun()
	w := r.watch(shared, "deployments.apps")
	r.write("k", 9, "create", "deployments.apps", "web", 225, object("web", ""))
	frame(w, 10, "ADDED", "web", 225)
	c := r.write(manager+"d", 12, "create", "replicasets.apps", "web-1", 226, object("web-1", "Deployment/web"))
	if e := c.Events[0]; e.By != 2 || e.ByTag != "k" || e.Client != "shared-informers" || e.Watch != w.ID {
		t.Errorf("the event is %+v", e)
	}
	if r.Of(3) != c || r.Of(2) != nil {
		t.Error("another chain is kept")
	}
}

// What was deleted is forgotten after many other deletions, if there is no other object of its name.
func TestReader_deleted(t *testing.T) {
	for again, want := range map[bool]string{false: "time:pods/p@5001-1ms", true: "sibling:pods/p@5001-1ms"} {
		r := newRun()
		w := r.watch(shared, "pods")
		remove := func(name string, revision int64) {
			r.write("k", 1, "delete", "pods", name, revision, "", func(f *flow.Flow) {
				f.Effects[0].Before = []byte(object(name, "ReplicaSet/web-1"))
			})
		}
		r.write("k", 1, "create", "pods", "p", 1, object("p", "ReplicaSet/web-1"))
		remove("p", 2)
		if again {
			r.write("k", 1, "create", "pods", "p", 3, object("p2", "ReplicaSet/web-1"))
		}
		for i := range 1100 {
			remove(fmt.Sprint("o", i), int64(10+i))
		}
		frame(w, 11, "DELETED", "p", 5001)
		got := told(r.write(manager+"rs", 12, "create", "pods", "q", 5002, object("q", "ReplicaSet/web-1")))
		if got != want {
			t.Errorf("created again: %v: %s, want %s", again, got, want)
		}
	}
}

// A chain that came with its flow is taken as it is.
func TestReader_Add_noted(t *testing.T) {
	r := newRun()
	noted := &flow.Chain{Write: 1, Events: []flow.ChainEvent{{Link: chain.Object, Revision: 5}}}
	edit := func(f *flow.Flow) { f.Chain = noted }
	c := r.write("x", 1, "update", "configmaps", "c", 9, object("c", ""), edit)
	if c != noted || r.Of(1) != noted {
		t.Errorf("it is %+v", c)
	}
}

// Watches that were opened before the reader began are asked for, and those that ended are read to their end.
func TestReader_watches(t *testing.T) {
	built := newRun()
	old, ended := built.watch(shared, "configmaps"), built.watch(shared, "secrets")
	frame(old, 1, "ADDED", "c", 7)
	frame(ended, 2, "ADDED", "s", 8)
	r := &run{Reader: chain.NewReader(func() []*flow.Watch { return []*flow.Watch{old, ended} }), log: built.log}
	r.add(&flow.Flow{Phase: flow.WatchClosed, Client: client(shared), Watch: ended})
	c := r.write(manager+"x", 3, "update", "configmaps", "c", 9, object("c", ""))
	if got := told(c); got != "object:configmaps/c@7-2ms" {
		t.Error(got)
	}
	c = r.write(manager+"x", 3, "update", "secrets", "s", 10, object("s", ""))
	if got := told(c); got != "object:secrets/s@8-1ms" {
		t.Error(got)
	}
}

// Frames of a busy watch are read before the watch forgets them, while others write.
func TestReader_busyWatch(t *testing.T) {
	r := newRun()
	w := r.watch(shared, "configmaps")
	r.write(manager+"x", 1, "update", "configmaps", "c", 9, object("c", ""))
	frame(w, 2, "MODIFIED", "c", 10)
	for i := range 2000 {
		name := fmt.Sprint("o", i)
		r.write("k", 3, "create", "configmaps", name, int64(11+i), object(name, ""))
		frame(w, 3, "ADDED", name, int64(11+i))
	}
	c := r.write(manager+"x", 4, "update", "configmaps", "c", 3000, object("c", ""))
	if got := told(c); got != "object:configmaps/c@10-2ms" {
		t.Error(got)
	}
}
