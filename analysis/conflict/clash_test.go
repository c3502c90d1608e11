package conflict_test

import (
	"fmt"
	"testing"

	"kubarium/analysis/conflict"
	"kubarium/analysis/lineage"
	"kubarium/flow"
)

// A history is a run of requests for one ConfigMap.
type history struct {
	flows []*flow.Flow
	rv    int64
	data  string // the object as it is
}

func (h *history) get(seq uint64) *flow.Flow { return h.flows[seq-1] }

func (h *history) request(who, verb string, status int) *flow.Flow {
	f := &flow.Flow{Seq: uint64(len(h.flows) + 1), Status: status, Client: flow.Client{Tag: who}, Method: "PUT",
		Target: flow.Target{Verb: verb, Resource: "configmaps", Namespace: "a", Name: "x"}}
	h.flows = append(h.flows, f)
	return f
}

// write changes the ConfigMap's data; "" deletes it.
func (h *history) write(who, verb, data string) *flow.Flow {
	f := h.request(who, verb, 200)
	h.rv++
	f.Revision = h.rv
	e := flow.Effect{Commit: flow.Commit{Revision: h.rv, Type: flow.Updated, Resource: "configmaps", Namespace: "a",
		Name: "x"}, Before: []byte(h.data), After: []byte(data)}
	if h.data == "" {
		e.Commit.Type, e.Before = flow.Created, nil
	}
	if data == "" {
		e.Commit.Type, e.After = flow.Deleted, nil
	}
	f.Effects, h.data = []flow.Effect{e}, data
	return f
}

// judge returns what each request clashed with, in a line each.
func (h *history) judge() (out []string) {
	before := lineage.New(h.get)
	for _, f := range h.flows {
		if c, ok := conflict.Judge(f, before); ok {
			s := fmt.Sprintf("#%d %s", f.Seq, c.Kind)
			for _, u := range c.Undone {
				s += fmt.Sprintf("; %s %v→%v of %s #%d", u.Path, u.Was, u.Now, u.By.Who, u.By.Seq)
			}
			out = append(out, s)
		}
		before.Note(f)
	}
	return out
}

func config(a, b string) string { return fmt.Sprintf(`{"data":{"a":%q,"b":%q}}`, a, b) }

// An update that does not name its resourceVersion and puts back what another client changed is a lost update; nothing
// else is.
func TestJudge_SilentOverwrite(t *testing.T) {
	for name, c := range map[string]struct {
		then func(h *history)
		want string
	}{
		"put back": {func(h *history) { h.write("k2", "update", config("1", "9")) },
			"[#3 silent overwrite; data.a 2→1 of k1 #2]"},
		"both fields": {func(h *history) {
			h.write("k1", "update", config("2", "2"))
			h.write("k2", "update", config("1", "1"))
		}, "[#4 silent overwrite; data.a 2→1 of k1 #2; data.b 2→1 of k1 #3]"},
		"after a status": {func(h *history) {
			h.write("k3", "patch", config("2", "5"))
			h.write("k2", "update", config("1", "5"))
		}, "[#4 silent overwrite; data.a 2→1 of k1 #2]"},
		"names its version": {func(h *history) { h.write("k2", "update", config("1", "9")).SentRevision = 2 }, "[]"},
		"a new value":       {func(h *history) { h.write("k2", "update", config("3", "1")) }, "[]"},
		"keeps the change":  {func(h *history) { h.write("k2", "update", config("2", "9")) }, "[]"},
		"a patch":           {func(h *history) { h.write("k2", "patch", config("1", "9")) }, "[]"},
		"an apply":          {func(h *history) { h.write("k2", "apply", config("1", "9")) }, "[]"},
		"the same client":   {func(h *history) { h.write("k1", "update", config("1", "9")) }, "[]"},
		"own write between": {func(h *history) {
			h.write("k2", "patch", config("2", "5"))
			h.write("k2", "update", config("1", "5"))
		}, "[]"},
		"a refused update": {func(h *history) { h.write("k2", "update", config("1", "9")).Status = 422 }, "[]"},
		"a create": {func(h *history) { h.write("k2", "delete", ""); h.write("k3", "create", config("1", "1")) },
			"[]"},
		"another object of name": {func(h *history) {
			h.write("k1", "delete", "")
			h.write("k3", "create", config("2", "1"))
			h.write("k2", "update", config("1", "1"))
		}, "[]"},
	} {
		h := &history{}
		h.write("k2", "create", config("1", "1"))
		h.write("k1", "update", config("2", "1")).SentRevision = 1
		c.then(h)
		if got := fmt.Sprint(h.judge()); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Each 409 goes by its kind, and one of which nothing is recorded is another one.
func TestJudge_Conflict(t *testing.T) {
	h := &history{}
	for _, kind := range []flow.ConflictKind{flow.AlreadyExists, flow.StaleRevision, flow.Precondition,
		flow.FieldOwnership} {
		f := h.request("k1", "update", 409)
		f.Conflict = &flow.Conflict{Kind: kind}
	}
	h.request("k1", "delete", 409)
	h.request("k1", "get", 200)
	h.request("k1", "get", 404)
	want := "[#1 already exists #2 stale resourceVersion #3 uid precondition #4 field manager conflict #5 other 409]"
	if got := fmt.Sprint(h.judge()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	f := h.request("k1", "create", 409)
	f.Conflict = &flow.Conflict{Kind: flow.AlreadyExists, Object: []byte(`{"metadata":{"name":"met"}}`)}
	if c, ok := conflict.Judge(f, lineage.New(h.get)); !ok || c.Met != "met" || c.HasOwners() {
		t.Errorf("%+v", c)
	}
	if c, _ := conflict.Judge(h.flows[3], lineage.New(h.get)); !c.HasOwners() {
		t.Error("a field manager conflict has no owners")
	}
}

// An apply with force is a clash if it took another manager's field, not if it only shares or creates.
func TestJudge_ForcedOver(t *testing.T) {
	const owned = `{"metadata":{"managedFields":[{"manager":"hpa","operation":"Update","fieldsV1":{"f:data":{"f:a":{}}}}]},"data":{"a":"1"}}`
	for name, c := range map[string]struct {
		before, query, body string
		want                bool
	}{
		"taken":    {owned, "fieldManager=m&force=true", config("2", "1"), true},
		"force=1":  {owned, "fieldManager=m&force=1", config("2", "1"), true},
		"shared":   {owned, "fieldManager=m&force=true", config("1", "1"), false},
		"no force": {owned, "fieldManager=m&force=false", config("2", "1"), false},
		"created":  {"", "fieldManager=m&force=true", config("2", "1"), false},
	} {
		h := &history{data: c.before}
		f := h.write("k1", "apply", config("2", "1"))
		f.Method, f.Query, f.RequestBody = "PATCH", c.query, flow.Keep([]byte(c.body))
		x, ok := conflict.Judge(f, lineage.New(h.get))
		if ok != c.want || ok && (x.Kind != conflict.ForcedOver || !x.HasOwners()) {
			t.Errorf("%s: %v %+v", name, ok, x)
		}
	}
}
