package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"kubarium/analysis/deletion"
	"kubarium/flow"
	"kubarium/flow/object"
)

// A change is one write of an object in a story of deletions.
type change struct {
	who, verb, query string
	resource, ns     string
	name             string
	before, after    string // "" for none
}

// change publishes a write and returns its revision.
func (d *demo) change(c change) int64 {
	f := d.request(c.who, c.verb, strings.Split(c.resource, ".")[0], c.name, 200, 1.3)
	f.Target.Group, f.Target.Namespace, f.Query = "", c.ns, c.query
	d.rv++
	kind := flow.Updated
	switch "" {
	case c.before:
		kind = flow.Created
	case c.after:
		kind = flow.Deleted
	}
	e := flow.Effect{Commit: flow.Commit{Revision: d.rv, Type: kind, Resource: c.resource, Namespace: c.ns, Name: c.name, At: d.at}, Before: []byte(c.before), After: []byte(c.after)}
	if c.before == "" {
		e.Before = nil
	}
	if c.after == "" {
		e.After = nil
	}
	f.Effects, f.Revision = []flow.Effect{e}, d.rv
	d.log.Committed(e.Commit)
	d.log.Publish(f)
	return d.rv
}

// stored is the JSON of an object with these metadata beside its name.
func stored(kind, name, meta, rest string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":%q,"metadata":{"name":%q,"uid":"uid-%s"%s}%s}`, kind, name, name, meta, rest)
}

const (
	dying = `,"deletionTimestamp":"2026-11-21T11:59:42Z"`
	byDNS = `,"managedFields":[{"manager":"dns-ctl","operation":"Update","apiVersion":"v1","time":"2026-11-21T11:59:30Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:finalizers":{".":{},"v:\"example.io/dns\"":{}}}}}]`
)

// finalizers publishes the deletion of a pod that two finalizers hold, as far as steps says: 1 the DELETE, 2 the first
// finalizer's removal, 3 the last one's.
func (d *demo) finalizers(steps int) {
	held := func(meta string) string { return stored("Pod", "db-0", meta+byDNS, "") }
	both, one := `,"finalizers":["example.io/backup","example.io/dns"]`, `,"finalizers":["example.io/dns"]`
	d.change(change{who: "A", verb: "create", resource: "pods", ns: "default", name: "db-0", after: held(both)})
	for i, c := range []change{
		{who: "k1", verb: "delete", before: held(both), after: held(dying + both)},
		{who: "backup", verb: "patch", before: held(dying + both), after: held(dying + one)},
		{who: "dns", verb: "patch", before: held(dying + one)},
	} {
		if i >= steps {
			return
		}
		c.resource, c.ns, c.name = "pods", "default", "db-0"
		d.at = d.at.Add(time.Second)
		d.change(c)
	}
}

// cascade publishes the deletion of a namespace that one object holds, and of an owner in the foreground.
func (d *demo) cascade() {
	space := func(meta, phase string) string {
		return stored("Namespace", "shop", meta, `,"spec":{"finalizers":["kubernetes"]},"status":{"phase":"`+phase+`","conditions":[{"type":"NamespaceContentRemaining","status":"True","reason":"SomeResourcesRemain","message":"Some resources are remaining: configmaps. has 1 resource instances"}]}`)
	}
	d.change(change{who: "k2", verb: "delete", resource: "namespaces", name: "shop", before: space("", "Active"), after: space(dying, "Terminating")})
	for i := range 6 {
		name := fmt.Sprint("c", i)
		d.change(change{who: "namespaces", verb: "deletecollection", resource: "configmaps", ns: "shop", name: name, before: stored("ConfigMap", name, "", "")})
	}
	slow := `,"finalizers":["example.io/slow"]`
	d.change(change{who: "namespaces", verb: "deletecollection", resource: "configmaps", ns: "shop", name: "c6", before: stored("ConfigMap", "c6", slow, ""), after: stored("ConfigMap", "c6", slow+dying, "")})
	child := func(name, block string) string {
		return stored("ConfigMap", name, `,"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"parent","uid":"uid-parent","blockOwnerDeletion":`+block+`}]`, "")
	}
	for _, name := range []string{"one", "two"} {
		d.change(change{who: "A", verb: "create", resource: "configmaps", ns: "default", name: name, after: child(name, "true")})
	}
	d.change(change{who: "A", verb: "create", resource: "configmaps", ns: "default", name: "three", after: child("three", "false")})
	d.change(change{who: "k3", verb: "delete", query: "propagationPolicy=Foreground", resource: "configmaps", ns: "default", name: "parent",
		before: stored("ConfigMap", "parent", "", ""), after: stored("ConfigMap", "parent", dying+`,"finalizers":["foregroundDeletion"]`, "")})
	d.change(change{who: "garbage", verb: "delete", resource: "configmaps", ns: "default", name: "one", before: child("one", "true")})
}

// definition publishes the deletion of a definition of which one object is left.
func (d *demo) definition() {
	const cleanup = `,"finalizers":["customresourcecleanup.apiextensions.k8s.io"]`
	const name, slow = "widgets.example.io", `,"finalizers":["example.io/slow"]`
	d.change(change{who: "k2", verb: "delete", resource: object.Definitions, name: name, before: stored("CustomResourceDefinition", name, cleanup, ""), after: stored("CustomResourceDefinition", name, cleanup+dying, "")})
	for i := range 6 {
		w := fmt.Sprint("w", i)
		d.change(change{who: "definitions", verb: "delete", resource: name, ns: "default", name: w, before: stored("Widget", w, "", "")})
	}
	d.change(change{who: "definitions", verb: "delete", resource: name, ns: "default", name: "w6", before: stored("Widget", "w6", slow, ""), after: stored("Widget", "w6", slow+dying, "")})
}

func init() {
	steps := func(n int) func(d *demo) { return func(d *demo) { d.finalizers(n) } }
	cascade := func(d *demo) { d.cascade() }
	pageViews = append(pageViews,
		pageView{"deletes-empty", steps(0), []string{"6"}},
		pageView{"deletes-begun", steps(1), []string{"6"}},
		pageView{"deletes-middle", steps(2), []string{"6"}},
		pageView{"deletes-copy", steps(2), []string{"6", "y"}},
		pageView{"deletes-gone", steps(3), []string{"6", "tab", "j"}},
		pageView{"deletes-once", func(d *demo) {
			d.change(change{who: "k1", verb: "delete", resource: "configmaps", ns: "default", name: "c", before: stored("ConfigMap", "c", "", "")})
		}, []string{"6"}},
		pageView{"deletes-foreground", cascade, []string{"6"}},
		pageView{"deletes-definition", func(d *demo) { d.definition() }, []string{"6"}},
		pageView{"deletes-namespace", cascade, []string{"6", "g"}},
	)
}

// A deletion is followed from the DELETE to the write that takes the row away, with who removed which finalizer.
func TestDeletes_Phases(t *testing.T) {
	for steps, want := range map[int]string{
		1: "held by 2 of 2 finalizers",
		2: "held by 1 of 2 finalizers",
		3: "gone after 2.3 s",
	} {
		d := newDemo(flow.Limits{})
		d.finalizers(steps)
		u, _ := testUI(d, "mono", 120, 36)
		u.keys("6")
		frame := ansi.Strip(u.view())
		_, state := u.deletes().State(u.deletes().Selected())
		if !strings.HasPrefix(state, want) {
			t.Errorf("after %d steps: %s, want %s", steps, state, want)
		}
		if badge := u.deletes().Tab().Badge; (badge == "◌1") != (steps < 3) {
			t.Errorf("after %d steps: badge %q", steps, badge)
		}
		if steps > 1 && !strings.Contains(frame, "removed by backup at rv 4173 after 1.1 s") {
			t.Errorf("after %d steps it is not said who removed the finalizer:\n%s", steps, frame)
		}
		if steps < 3 && !strings.Contains(frame, "last written by dns-ctl") {
			t.Errorf("after %d steps it is not said who wrote the finalizer:\n%s", steps, frame)
		}
	}
}

// A deletion that no request here has ended is over with its commit, in the present and at a moment of the past.
func TestDeletes_Commit(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.finalizers(1)
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("6")
	d.rv++
	d.log.Committed(flow.Commit{Revision: d.rv, Type: flow.Deleted, Resource: "pods", Namespace: "default", Name: "db-0", At: d.at.Add(time.Minute)})
	d.change(change{who: "A", verb: "create", resource: "pods", ns: "default", name: "db-1", after: stored("Pod", "db-1", "", "")})
	u.fold()
	check := func(when string) {
		t.Helper()
		if frame := ansi.Strip(u.view()); u.deletes().Open() != 0 || !strings.Contains(frame, fmt.Sprintf("gone at rv %d by a request that is not known here", d.rv-1)) {
			t.Errorf("%s it is not gone:\n%s", when, frame)
		}
	}
	check("live")
	goingTo(t, u, d.rv-1)
	u.keys("6")
	check("then")
}

// What was deleted because of its namespace or its owner stands below that, many of one resource in one line.
func TestDeletes_Tree(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.cascade()
	u, _ := testUI(d, "mono", 120, 36)
	var got []string
	for _, r := range u.deletes().Rows {
		got = append(got, fmt.Sprintf("%d %s +%d", r.Depth, r.Ref.Name, r.More))
	}
	want := "0 shop +0, 1 c6 +0, 1 c0 +5, 0 parent +0, 1 one +0"
	if strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	blocking, others := u.deletes().WaitsFor(u.deletes().Rows[3].Deletion)
	if fmt.Sprint(blocking) != "[{configmaps default two}]" || fmt.Sprint(others) != "[{configmaps default three}]" {
		t.Errorf("waits for %v, not for %v", blocking, others)
	}
}

// What was deleted because the definition of its resource was stands below that.
func TestDeletes_Definition(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.definition()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("6")
	mustSee(t, u, "until no object of widgets.example.io is left", "below it: widgets.example.io 6 of 7 gone")
	u.keys("j")
	mustSee(t, u, "because the definition of its resource is terminating")
	if n := len(u.deletes().Rows); n != 3 || u.deletes().Rows[1].Depth != 1 {
		t.Errorf("%d rows", n)
	}
}

// The copied patch takes out the finalizer that it names, and only where it still stands.
func TestDeletes_ReleasePatch(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.finalizers(2)
	u, _ := testUI(d, "mono", 120, 36)
	x := u.deletes().Selected()
	want := `kubectl patch pods db-0 -n default --type=json -p '[{"op":"test","path":"/metadata/finalizers/0","value":"example.io/dns"},{"op":"remove","path":"/metadata/finalizers/0"}]'`
	for i := range x.Holds {
		if h := &x.Holds[i]; h.Name == "example.io/dns" {
			if got := u.deletes().ReleasePatch(x, h); got != strings.Replace(want, "kubectl", "kubectl"+u.ServerFlag(), 1) {
				t.Errorf("%s\nwant %s", got, want)
			}
		}
	}
}

// What has ended is forgotten after a while, what has not is kept.
func TestDeletes_Bounded(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.finalizers(1)
	for i := range deletion.MaxEnded + 50 {
		name := fmt.Sprint("c", i)
		d.change(change{who: "k1", verb: "delete", resource: "configmaps", ns: "default", name: name, before: stored("ConfigMap", name, "", "")})
	}
	u, _ := testUI(d, "mono", 120, 36)
	if n := len(u.deletes().All); n != deletion.MaxEnded+1 || u.deletes().All[0].Ref.Name != "db-0" {
		t.Errorf("%d kept, first %v", n, u.deletes().All[0].Ref)
	}
}
