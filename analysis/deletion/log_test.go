package deletion_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubarium/analysis/deletion"
	"kubarium/flow"
	"kubarium/flow/object"
)

// A history adds requests to a Log, a second after each other.
type history struct {
	*deletion.Log
	rv int64
}

func newHistory() *history { return &history{Log: deletion.NewLog()} }

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// write is a request that changed an object; "" is none before, or after.
func (h *history) write(who, verb, resource, namespace, name, before, after string) bool {
	h.rv++
	c := flow.Commit{Revision: h.rv, Type: flow.Updated, Resource: resource, Namespace: namespace, Name: name,
		At: noon.Add(time.Duration(h.rv) * time.Second)}
	e := flow.Effect{Commit: c}
	if before != "" {
		e.Before = []byte(before)
	}
	switch {
	case after == "":
		e.Commit.Type = flow.Deleted
	default:
		e.After = []byte(after)
	}
	return h.Note(&flow.Flow{Seq: uint64(h.rv), Status: 200, Client: flow.Client{Tag: who},
		Target: flow.Target{Verb: verb}, Effects: []flow.Effect{e}})
}

// meta is an object with such metadata.
func meta(fields ...string) string { return `{"metadata":{` + strings.Join(fields, ",") + `}}` }

const dying = `"deletionTimestamp":"2026-11-21T12:00:00Z"`

func uid(s string) string { return fmt.Sprintf(`"uid":%q`, s) }
func finalizers(names ...string) string {
	return fmt.Sprintf(`"finalizers":["%s"]`, strings.Join(names, `","`))
}
func owner(uid string, blk bool) string {
	return fmt.Sprintf(`"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"o","uid":%q,"blockOwnerDeletion":%v}]`,
		uid, blk)
}
func namespace(spec, fields string) string {
	return fmt.Sprintf(`{"kind":"Namespace","metadata":{%s},"spec":{"finalizers":[%s]}}`, fields, spec)
}

// An object without finalizers goes in one phase.
func TestLog_onePhase(t *testing.T) {
	h := newHistory()
	if h.write("k1", "update", "configmaps", "a", "x", meta(), meta()) {
		t.Error("an update is a deletion")
	}
	if h.write("k1", "update", "configmaps", "a", "x", meta(), `{"metadata":{},"data":{`+dying+`}}`) {
		t.Error("a key of a ConfigMap is a deletion")
	}
	if !h.write("k1", "delete", "configmaps", "a", "x", meta(uid("u")), "") {
		t.Error("a delete is none")
	}
	x := h.All[0]
	if len(h.All) != 1 || x.TwoPhase() || !x.Ended() || h.Open() != 0 || x.UID != "u" || x.Began.Who != "k1" ||
		x.Began != x.Gone || x.Took(noon) != 0 || len(x.Holds) != 0 {
		t.Errorf("%+v", x)
	}
}

// An object with finalizers goes in two: each finalizer is removed by a client at some time, one may join on the way,
// and the last removal is the end.
func TestLog_twoPhases(t *testing.T) {
	h := newHistory()
	h.write("k1", "delete", "configmaps", "a", "x", meta(finalizers("f/a", "f/b")), meta(dying, finalizers("f/a", "f/b")))
	x := h.All[0]
	if h.Open() != 1 || x.Held() != 2 || x.Ended() || x.Late || !x.TwoPhase() ||
		x.Took(noon.Add(11*time.Second)) != 10*time.Second {
		t.Errorf("%+v", x)
	}
	h.write("c1", "patch", "configmaps", "a", "x", meta(dying, finalizers("f/a", "f/b")),
		meta(dying, finalizers("f/b", "f/late")))
	h.write("c2", "patch", "configmaps", "a", "x", meta(dying, finalizers("f/b", "f/late")),
		meta(dying, finalizers("f/late")))
	if h.Open() != 1 || x.Held() != 1 {
		t.Errorf("%+v", x)
	}
	h.write("c3", "update", "configmaps", "a", "x", meta(dying, finalizers("f/late")), "")
	var got []string
	for _, f := range x.Holds {
		got = append(got, fmt.Sprintf("%s by %s at %d", f.Name, f.Removed.Who, f.Removed.Revision))
	}
	if s := strings.Join(got, ", "); s != "f/a by c1 at 2, f/b by c2 at 3, f/late by c3 at 4" {
		t.Error(s)
	}
	if len(h.All) != 1 || h.Open() != 0 || x.Gone.Who != "c3" || x.Gone.Verb != "update" || x.Took(noon) != 3*time.Second {
		t.Errorf("%+v", x)
	}
	h.write("k1", "delete", "configmaps", "a", "x", meta(), "")
	if len(h.All) != 2 || h.All[1].ID != 2 {
		t.Error("the next object of that name has no deletion of its own")
	}
}

// Commits end deletions whose last request is not known, comes afterwards, or did not say its revision.
func TestLog_Committed(t *testing.T) {
	end := func(rv int64) flow.Commit {
		return flow.Commit{Revision: rv, Type: flow.Deleted, Resource: "configmaps", Namespace: "a", Name: "x", At: noon.Add(time.Minute)}
	}
	begun := func() (*history, *deletion.Deletion) {
		h := newHistory()
		h.write("k1", "delete", "configmaps", "a", "x", meta(uid("u"), finalizers("f/a")), meta(uid("u"), dying, finalizers("f/a")))
		return h, h.All[0]
	}
	h, x := begun()
	if h.Committed(flow.Commit{Revision: 2, Type: flow.Updated, Resource: "configmaps", Namespace: "a", Name: "x"}) || h.Committed(end(1)) {
		t.Error("an update or an earlier commit ends it")
	}
	if !h.Committed(end(2)) || h.Committed(end(2)) || h.Open() != 0 || x.Held() != 0 || x.Gone.Revision != 2 || x.Gone.Seq != 0 {
		t.Errorf("by a commit alone: %+v", x)
	}
	h.write("c1", "patch", "configmaps", "a", "x", meta(uid("u"), dying, finalizers("f/a")), "")
	if len(h.All) != 1 || x.Gone.Who != "c1" || x.Gone.Revision != 2 || x.Holds[0].Removed.Who != "c1" {
		t.Errorf("with its request: %+v", x)
	}
	h.write("k1", "delete", "configmaps", "a", "x", meta(uid("v")), "")
	if len(h.All) != 2 {
		t.Error("the next object of that name has no deletion of its own")
	}

	h, x = begun()
	h.rv = -1 // the next one has revision 0
	h.write("c1", "patch", "configmaps", "a", "x", meta(uid("u"), dying, finalizers("f/a")), "")
	soon, late := end(3), end(9)
	soon.At, late.At = noon, noon.Add(time.Hour)
	if h.Committed(late) {
		t.Error("a deletion an hour later is the same one")
	}
	if h.Open() != 0 || x.Gone.Who != "c1" || !h.Committed(soon) || x.Gone.Revision != 3 || x.Began.Revision != 1 || x.Holds[0].Removed != x.Gone {
		t.Errorf("without a revision: %+v", x)
	}
}

// A grace period ends when the deletionTimestamp says.
func TestLog_grace(t *testing.T) {
	h := newHistory()
	h.write("k1", "delete", "pods", "a", "p", meta(),
		meta(`"deletionTimestamp":"2026-11-21T12:00:30Z"`, `"deletionGracePeriodSeconds":30`))
	if x := h.All[0]; x.Grace != 30 || !x.Ends.Equal(noon.Add(30*time.Second)) || x.Held() != 0 || x.Ended() {
		t.Errorf("%+v", x)
	}
}

// A deletion in the foreground waits for the dependents that block it, as long as they are there and name their owner.
func TestLog_WaitsFor(t *testing.T) {
	h := newHistory()
	h.write("c", "create", "pods", "a", "p2", "", meta(owner("u", true)))
	h.write("c", "create", "pods", "a", "p1", "", meta(owner("u", true)))
	h.write("c", "create", "pods", "a", "q", "", meta(owner("u", false)))
	h.write("c", "create", "pods", "a", "z", "", meta(owner("other", true)))
	h.write("k1", "delete", "replicasets.apps", "a", "r", meta(uid("u")),
		meta(uid("u"), dying, finalizers("foregroundDeletion")))
	x := h.All[0]
	if x.Propagation.Policy != "Foreground" {
		t.Errorf("%+v", x.Propagation)
	}
	names := func() string {
		blocking, others := h.WaitsFor(x)
		return fmt.Sprint(blocking, others)
	}
	if got := names(); got != "[{pods a p1} {pods a p2}] [{pods a q}]" {
		t.Error(got)
	}
	h.write("c", "delete", "pods", "a", "p1", meta(owner("u", true)), "")
	h.write("c", "patch", "pods", "a", "q", meta(owner("u", false)), meta(owner("u", true)))
	h.write("c", "patch", "pods", "a", "p2", meta(owner("u", true)), meta())
	if got := names(); got != "[{pods a q}] []" {
		t.Error(got)
	}
}

// An object that is deleted with its owner, its namespace or its definition is below that; one that was deleted before
// is not because of it.
func TestLog_Tree(t *testing.T) {
	h := newHistory()
	h.write("k1", "delete", "configmaps", "n", "before", meta(), "")
	h.write("k1", "delete", "namespaces", "", "n", namespace(`"kubernetes"`, uid("n")),
		namespace(`"kubernetes"`, uid("n")+","+dying))
	h.write("nsc", "delete", "deployments.apps", "n", "d", meta(uid("d")), "")
	h.write("gc", "delete", "replicasets.apps", "n", "r", meta(uid("r"), owner("d", true)), "")
	for i := range 6 {
		h.write("nsc", "delete", "secrets", "n", fmt.Sprint("s", i), meta(), "")
	}
	h.write("nsc", "delete", "configmaps", "n", "held", meta(finalizers("f/a")), meta(dying, finalizers("f/a")))
	h.write("nsc", "update", "namespaces", "", "n", namespace(`"kubernetes"`, uid("n")+","+dying), "")
	h.write("k1", "delete", "configmaps", "n", "after", meta(), "")
	h.write("k1", "delete", object.Definitions, "", "widgets.example.io", meta(finalizers("c")),
		meta(dying, finalizers("c")))
	h.write("crd", "deletecollection", "widgets.example.io", "a", "w", meta(), "")
	draw := func(wanted func(*deletion.Deletion) bool) string {
		var out []string
		for _, r := range h.Tree(wanted) {
			s := strings.Repeat(">", r.Depth) + r.Ref.Name
			if r.More > 0 {
				s += fmt.Sprintf("+%d", r.More)
			}
			out = append(out, s)
		}
		return strings.Join(out, " ")
	}
	if got := draw(func(*deletion.Deletion) bool {
		return true
	}); got != "before n >held >d >>r >s0+5 after widgets.example.io >w" {
		t.Error(got)
	}
	if got := draw(func(x *deletion.Deletion) bool { return x.Ref.Name == "r" }); got != "n >held >d >>r >s0+5" {
		t.Error(got)
	}
	byName := map[string]*deletion.Deletion{}
	for _, x := range h.All {
		byName[x.Ref.Name] = x
	}
	if h.Cause(byName["r"]) != byName["d"] || h.Cause(byName["held"]) != byName["n"] || h.Cause(byName["n"]) != nil ||
		h.Cause(byName["w"]) != byName["widgets.example.io"] {
		t.Error("another cause")
	}
	if below := h.Below(byName["n"]); len(below) != 8 || below[0] != byName["d"] || below[7] != byName["held"] {
		t.Errorf("%d below it", len(below))
	}
	if hold := byName["n"].Holds[0]; hold.Name != "kubernetes" || !hold.Spec || hold.Removed.Who != "nsc" {
		t.Errorf("%+v", hold)
	}
}

// An object that was terminating before anything was seen is followed from where it is, once, before deletions that
// began later.
func TestLog_Adopt(t *testing.T) {
	h := newHistory()
	h.rv = 50
	h.write("k1", "delete", "configmaps", "a", "new", meta(), "")
	c := flow.Commit{Revision: 40, Type: flow.Updated, Resource: "configmaps", Namespace: "a", Name: "old"}
	held := []byte(meta(uid("u"), dying, finalizers("f/a")))
	if !h.Adopt(c, held) || h.Adopt(c, held) || h.Adopt(c, []byte(meta())) || h.Adopt(flow.Commit{}, nil) {
		t.Error("adopted more than once, or what is not terminating")
	}
	x := h.All[0]
	if len(h.All) != 2 || h.Open() != 1 || x.Ref.Name != "old" || !x.Late || x.Held() != 1 || x.Began.Seq != 0 ||
		!x.Began.At.Equal(noon) {
		t.Errorf("%+v", x)
	}
	h.write("c1", "patch", "configmaps", "a", "old", string(held), "")
	if len(h.All) != 2 || !x.Ended() || x.Holds[0].Removed.Who != "c1" {
		t.Errorf("%+v", x)
	}
}

// A write of an object that is terminating is seen late, without a word on who deleted it.
func TestLog_late(t *testing.T) {
	h := newHistory()
	h.write("c1", "update", "configmaps", "a", "x", meta(dying, finalizers("f/a")), meta(dying, finalizers("f/a")))
	if x := h.All[0]; !x.Late || x.Propagation.Policy != "" || x.Held() != 1 {
		t.Errorf("%+v", x)
	}
}

// Flows are published when they end: a DELETE may arrive after the write that ended its deletion, and one release of
// two before the other.
func TestLog_order(t *testing.T) {
	both, last := meta(dying, finalizers("a", "b")), meta(dying, finalizers("b"))
	h := newHistory()
	h.rv = 9
	h.write("op", "update", "configmaps", "a", "x", last, "") // 10
	h.rv = 8
	h.write("op", "update", "configmaps", "a", "x", both, last) // 9
	h.rv = 7
	h.write("k1", "delete", "configmaps", "a", "x", meta(finalizers("a", "b")), both) // 8
	if len(h.All) != 1 || h.Open() != 0 {
		t.Fatalf("%d deletions, %d of them open", len(h.All), h.Open())
	}
	x := h.All[0]
	if x.Began.Revision != 8 || x.Began.Who != "k1" || x.Late || x.Gone.Revision != 10 || x.Held() != 0 ||
		len(x.Holds) != 2 {
		t.Errorf("%+v", x)
	}
	h.rv = 10
	h.write("k1", "create", "configmaps", "a", "x", "", meta(finalizers("a")))
	h.write("k1", "delete", "configmaps", "a", "x", meta(finalizers("a")), meta(dying, finalizers("a")))
	if len(h.All) != 2 || h.Open() != 1 || h.All[1].Held() != 1 {
		t.Errorf("the next object of that name: %d deletions, %d of them open", len(h.All), h.Open())
	}
}

// Through a glass two DELETEs may be answered with the end of one object, at a revision that an event says later; and
// the one that began its deletion after both.
func TestLog_twoEnds(t *testing.T) {
	was, going := meta(uid("u")), meta(uid("u"), dying)
	end := func(h *history, seq uint64) {
		h.Note(&flow.Flow{Seq: seq, Status: 200, Client: flow.Client{Tag: "kubelet"}, Target: flow.Target{Verb: "delete"}, Effects: []flow.Effect{{
			Commit: flow.Commit{Type: flow.Deleted, Resource: "pods", Namespace: "a", Name: "x", At: noon.Add(9 * time.Second)}, Before: []byte(going),
		}}})
	}
	begin := func(h *history) { h.rv = 7; h.write("k1", "delete", "pods", "a", "x", was, going) } // 8
	for name, beginsLate := range map[string]bool{"in order": false, "its begin late": true} {
		h := newHistory()
		if !beginsLate {
			begin(h)
		}
		end(h, 20)
		end(h, 21)
		if beginsLate {
			begin(h)
		}
		h.Committed(flow.Commit{Revision: 9, Type: flow.Deleted, Resource: "pods", Namespace: "a", Name: "x", At: noon.Add(9 * time.Second)})
		if len(h.All) != 1 || h.Open() != 0 {
			t.Fatalf("%s: %d deletions, %d open", name, len(h.All), h.Open())
		}
		x := h.All[0]
		if x.Began.Revision != 8 || x.Began.Who != "k1" || x.Gone.Revision != 9 || x.Gone.Seq != 20 {
			t.Errorf("%s: %+v", name, x)
		}
		h.rv = 19 // a restored snapshot has the object again
		h.write("k1", "delete", "pods", "a", "x", was, going)
		if len(h.All) != 2 || h.Open() != 1 {
			t.Errorf("%s: deleted again after a restore: %d deletions, %d open", name, len(h.All), h.Open())
		}
	}
}

// Trim forgets the oldest that ended, not what is terminating and not the one to keep.
func TestLog_Trim(t *testing.T) {
	h := newHistory()
	h.write("k1", "delete", "configmaps", "a", "held", meta(finalizers("f/a")), meta(dying, finalizers("f/a")))
	for i := range deletion.MaxEnded + 10 {
		h.write("k1", "delete", "configmaps", "a", fmt.Sprint(i), meta(), "")
	}
	h.Trim(3)
	if len(h.All) != deletion.MaxEnded+1 || h.All[0].Ref.Name != "held" || h.All[1].ID != 3 || h.All[2].ID != 13 {
		t.Errorf("%d: %d %d", len(h.All), h.All[1].ID, h.All[2].ID)
	}
	h.Trim(0)
	if len(h.All) != deletion.MaxEnded+1 {
		t.Error("trimmed below its bound")
	}
}

// A finalizer of the metadata has a patch that takes it out if it is still there, and its last writer.
func TestDeletion_ReleasePatch(t *testing.T) {
	h := newHistory()
	managed := `"managedFields":[{"manager":"old","operation":"Update","time":"2026-11-21T11:00:00Z","fieldsV1":{"f:metadata":{"f:finalizers":{"v:\"f/b\"":{}}}}},` +
		`{"manager":"new","operation":"Update","time":"2026-11-21T11:30:00Z","fieldsV1":{"f:metadata":{"f:finalizers":{"v:\"f/b\"":{}}}}}]`
	h.write("k1", "delete", "configmaps", "a", "x", meta(finalizers("f/a", "f/b")),
		meta(dying, finalizers("f/a", "f/b"), managed))
	x := h.All[0]
	if got, want := x.ReleasePatch(x.Holds[1]),
		`[{"op":"test","path":"/metadata/finalizers/1","value":"f/b"},{"op":"remove","path":"/metadata/finalizers/1"}]`; got != want {
		t.Error(got)
	}
	if x.ReleasePatch(deletion.Hold{Name: "gone"}) != "" || x.ReleasePatch(deletion.Hold{Name: "f/b", Spec: true}) != "" {
		t.Error("a patch for what is not there")
	}
	if x.WriterOf(x.Holds[1]) != "new" || x.WriterOf(x.Holds[0]) != "" {
		t.Error(x.WriterOf(x.Holds[1]), x.WriterOf(x.Holds[0]))
	}
}

// The Log, after it has the flows, says what holds up a deletion.
func ExampleLog() {
	h := newHistory()
	h.write("kubectl", "delete", "widgets.example.io", "a", "w", meta(finalizers("example.io/cleanup")),
		meta(dying, finalizers("example.io/cleanup")))
	for _, x := range h.All {
		for _, f := range x.Holds {
			fmt.Printf("%s/%s waits for %s since %v\n", x.Ref.Resource, x.Ref.Name, f.Name, x.Took(noon.Add(time.Minute)))
		}
	}
	// Output: widgets.example.io/w waits for example.io/cleanup since 59s
}
