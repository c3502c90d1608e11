package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"kubarium/flow"
)

// list is a list of pods in a flow, at a revision.
func list(revision int64, items string) *flow.Flow {
	f := &flow.Flow{Status: 200, Path: "/api/v1/pods", Revision: revision, Client: flow.Client{Tag: "go1"}}
	f.Target = flow.Target{Verb: "list", Resource: "pods"}
	body := fmt.Sprintf(`{"metadata":{"resourceVersion":"%d"},"items":[%s]}`, revision, items)
	f.ResponseBody = flow.Keep([]byte(body))
	return f
}

// get is a read of one pod.
func get(revision int64, body string) *flow.Flow {
	f := list(revision, body)
	f.Target.Verb, f.Target.Name, f.Path = "get", "web", "/api/v1/namespaces/default/pods/web"
	return f
}

// with is a flow that differs.
func with(f *flow.Flow, differ func(f *flow.Flow)) *flow.Flow {
	differ(f)
	return f
}

// A read is a repeat if the client's last one of the same path and query was answered with the same.
func TestLog_repeats(t *testing.T) {
	query := func(q string) func(*flow.Flow) { return func(f *flow.Flow) { f.Query = q } }
	by := func(tag, user string) func(*flow.Flow) {
		return func(f *flow.Flow) { f.Client.Tag, f.Client.User = tag, user }
	}
	large := strings.Repeat("x", flow.MaxBody)
	for name, c := range map[string]struct {
		flows []*flow.Flow
		want  string // a letter each: y for a repeat
	}{
		"one object":         {[]*flow.Flow{get(12, "a"), get(12, "a"), get(12, "a")}, "nyy"},
		"another version":    {[]*flow.Flow{get(12, "a"), get(13, "a"), get(13, "a"), get(12, "a")}, "nnyn"},
		"another form":       {[]*flow.Flow{get(12, "a"), get(12, "ab"), get(12, "ab")}, "nny"},
		"list, nothing new":  {[]*flow.Flow{list(12, "a"), list(12, "a"), list(12, "a")}, "nyy"},
		"list, other writes": {[]*flow.Flow{list(12, "a"), list(14, "a"), list(15, "a"), list(88, "a")}, "nnyy"},
		"list, new item":     {[]*flow.Flow{list(12, "a"), list(13, "a"), list(14, "b"), list(15, "b")}, "nnny"},
		"list, longer":       {[]*flow.Flow{list(12, "a"), list(12, "a"), list(13, "a,b"), list(14, "a,b")}, "nynn"},
		"list at rest":       {[]*flow.Flow{list(12, "a"), list(13, "a"), list(13, "a"), list(14, "a")}, "nnyy"},
		"cut, same revision": {[]*flow.Flow{list(12, large), list(12, large)}, "ny"},
		"cut":                {[]*flow.Flow{list(12, large), list(13, large), list(14, large)}, "nnn"},
		"not of Kubernetes":  {[]*flow.Flow{get(0, "ok"), get(0, "ok"), get(0, "ok"), get(0, "no")}, "nnyn"},
		"another query":      {[]*flow.Flow{list(12, "a"), with(list(12, "a"), query("limit=5")), list(12, "a")}, "nny"},
		"another client":     {[]*flow.Flow{list(12, "a"), with(list(12, "a"), by("go2", "")), list(12, "a")}, "nny"},
		"another user":       {[]*flow.Flow{list(12, "a"), with(list(12, "a"), by("go1", "bob"))}, "nn"},
		"refused":            {[]*flow.Flow{get(12, "a"), with(get(12, "a"), func(f *flow.Flow) { f.Status = 403 })}, "nn"},
		"a write": {[]*flow.Flow{get(12, "a"), with(get(12, "a"),
			func(f *flow.Flow) { f.Target.Verb = "update" })}, "nn"},
		"touched by a rule": {[]*flow.Flow{get(12, "a"), with(get(12, "a"),
			func(f *flow.Flow) { f.Faults = []flow.FaultMark{{}} })}, "nn"},
		"Kubarium's own": {[]*flow.Flow{get(12, "a"), with(get(12, "a"),
			func(f *flow.Flow) { f.Client.UserAgent = flow.UIAgent })}, "nn"},
	} {
		for _, adopt := range []bool{false, true} {
			l, got := flow.NewLog(flow.Limits{}), ""
			for i, f := range c.flows {
				again := *f
				if again.Seq = uint64(i + 1); !adopt {
					l.Publish(&again)
				} else if !l.Adopt(&again) {
					t.Fatal(i)
				}
				got += map[bool]string{true: "y", false: "n"}[flow.Repeated(&again)]
			}
			if got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		}
	}
}

// Many questions are forgotten, and take no more memory.
func TestLog_repeats_forgets(t *testing.T) {
	l := flow.NewLog(flow.Limits{Flows: 100})
	poll := func(n int) (repeats int) {
		for i := range n {
			f := get(12, "a")
			f.Path = fmt.Sprint("/", i)
			l.Publish(f)
			if flow.Repeated(f) {
				repeats++
			}
		}
		return repeats
	}
	poll(200)
	if n := poll(200); n < 190 {
		t.Errorf("%d of 200 repeats are known", n)
	}
	poll(20_000)
	before := heap()
	poll(200_000)
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("%d bytes more for 200,000 questions", grown)
	}
	if n := poll(200); n > 20 {
		t.Errorf("%d of 200 repeats are known after 200,000 others", n)
	}
}
