package ownership_test

import (
	"fmt"
	"strings"
	"testing"

	"kubarium/analysis/ownership"
	"kubarium/flow"
	"kubarium/flow/object"
)

// entry is one of an object's managed fields.
func entry(manager, operation, subresource, fields string) string {
	return fmt.Sprintf(`{"manager":%q,"operation":%q,"subresource":%q,"apiVersion":"apps/v1","time":"2026-11-21T11:59:30Z","fieldsType":"FieldsV1","fieldsV1":%s}`, manager, operation, subresource, fields)
}

// stored is an object with such managed fields.
func stored(entries ...string) any {
	return object.Parse(fmt.Appendf(nil, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"app":"web","old":"1"},"managedFields":[%s]},
		"spec":{"replicas":5,"c":[{"name":"web","image":"1"}]},"status":{"ready":1}}`, strings.Join(entries, ",")))
}

const (
	replicas = `{"f:spec":{"f:replicas":{}}}`
	labels   = `{"f:metadata":{"f:labels":{"f:app":{},"f:old":{}}}}`
	image    = `{"f:spec":{"f:c":{"k:{\"name\":\"web\"}":{".":{},"f:name":{},"f:image":{}}}}}`
	ready    = `{"f:status":{"f:ready":{}}}`
)

var signs = map[ownership.Demand]string{ownership.Clashes: "clashes", ownership.GivesUp: "gives up",
	ownership.Shares: "shares", ownership.Sets: "sets", ownership.Ignores: "ignores"}

// lines are the rows of a matrix: what the request does to the field, its value with force, and who owns it then.
func lines(m *ownership.Matrix) string {
	var out []string
	for i := range m.Rows {
		r := &m.Rows[i]
		var after []string
		owns, mine := m.OwnsAfter(r)
		for j, has := range owns {
			if has && !m.Mine(j) {
				after = append(after, m.Owners[j].Name)
			}
		}
		if mine {
			after = append(after, "me")
		}
		out = append(out, fmt.Sprintf("%s %s, then %s of %s", signs[r.What], r.Path, object.Text(m.ValueAfter(r)),
			strings.Join(after, "+")))
	}
	return strings.Join(out, "; ")
}

// The matrix says of each field what an apply does to it, and what force would make of it.
func TestMakeMatrix(t *testing.T) {
	hpa, me := entry("hpa", "Update", "", replicas), entry("me", "Apply", "", labels)
	for name, c := range map[string]struct {
		stored any
		body   string
		want   string
	}{
		"another value": {stored(hpa), `{"spec":{"replicas":3}}`, "clashes spec.replicas, then 3 of me"},
		"two of others": {stored(hpa, entry("argo", "Apply", "", replicas)), `{"spec":{"replicas":3}}`,
			"clashes spec.replicas, then 3 of me"},
		"the value": {stored(hpa), `{"spec":{"replicas":5}}`, "shares spec.replicas, then 5 of hpa+me"},
		"not named": {stored(hpa), `{"metadata":{"name":"web"}}`, "ignores spec.replicas, then 5 of hpa"},
		"own, changed": {stored(me), `{"metadata":{"labels":{"app":"x","old":"1"}}}`,
			"sets metadata.labels.app, then x of me; sets metadata.labels.old, then 1 of me"},
		"given up": {stored(me), `{"metadata":{"labels":{"app":"web"}}}`,
			"gives up metadata.labels.old, then null of ; sets metadata.labels.app, then web of me"},
		"given up, not gone": {stored(me, entry("argo", "Apply", "", `{"f:metadata":{"f:labels":{"f:old":{}}}}`)),
			`{"metadata":{"labels":{"app":"web"}}}`,
			"gives up metadata.labels.old, then 1 of argo; sets metadata.labels.app, then web of me"},
		"new": {stored(), `{"metadata":{"name":"web","labels":{"tier":"x"}}}`, "sets metadata.labels.tier, then x of me"},
		"item": {stored(entry("argo", "Apply", "", image)), `{"spec":{"c":[{"name":"web","image":"2","tty":true}]}}`,
			"clashes spec.c[web].image, then 2 of me; shares spec.c[web].name, then web of argo+me; sets spec.c[web].tty, " +
				"then true of me"},
		"own update": {stored(entry("me", "Update", "", replicas)), `{"spec":{"replicas":3}}`,
			"clashes spec.replicas, then 3 of me"},
		"own of the status": {stored(entry("me", "Apply", "status", ready)), `{"spec":{}}`,
			"sets spec, then {} of me; ignores status.ready, then 1 of me"},
		"unreadable fields": {stored(entry("hpa", "Update", "", `{"x":1}`)), `{"spec":{"replicas":3}}`,
			"sets spec.replicas, then 3 of me"},
		"unreadable request": {stored(hpa), `{"spec":`, "ignores spec.replicas, then 5 of hpa"},
	} {
		m := ownership.MakeMatrix(&flow.Flow{Query: "fieldManager=me", RequestBody: flow.Keep([]byte(c.body))}, c.stored)
		if got := lines(m); got != c.want {
			t.Errorf("%s:\n %s, want\n %s", name, got, c.want)
		}
		n := 0
		for _, k := range m.Counts {
			n += k
		}
		if n != len(m.Rows) || m.Manager != "me" || m.Force {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// The owner whose field is contested comes first, and each row keeps to the order.
func TestMakeMatrix_order(t *testing.T) {
	m := ownership.MakeMatrix(&flow.Flow{Query: "fieldManager=me&force=true",
		RequestBody: flow.Keep([]byte(`{"spec":{"replicas":3},"metadata":{"labels":{"app":"web"}}}`))},
		stored(entry("a", "Update", "status", ready), entry("b", "Apply", "", labels), entry("hpa", "Update", "", replicas)))
	var names []string
	for _, o := range m.Owners {
		names = append(names, o.Name)
	}
	if got := fmt.Sprint(names, m.Rows[0].Path, m.Rows[0].Owns,
		m.Force); got != "[hpa b a]spec.replicas[true false false] true" {
		t.Error(got)
	}
}

// Booleans of a query are read as the API server reads them.
func TestForced(t *testing.T) {
	for query, want := range map[string]bool{"": false, "force": true, "force=": true, "force=true": true, "force=1": true,
		"force=yes":   true,
		"force=false": false, "force=False": false, "force=0": false, "fieldManager=force": false, "a=%zz&force=true": true} {
		if ownership.Forced(query) != want {
			t.Errorf("%q: %v", query, !want)
		}
	}
}

// An owner is read with all that its entry says; one whose fields do not read is left out.
func TestOf(t *testing.T) {
	owners := ownership.Of(stored(entry("hpa", "Update", "scale", replicas), entry("bad", "Update", "", `{"x":1}`)))
	if len(owners) != 1 {
		t.Fatalf("%+v", owners)
	}
	o := owners[0]
	if got := fmt.Sprintf("%s %s %s %s %s %v", o.Name, o.Operation, o.APIVersion, o.Subresource, o.Time,
		o.Set); got != "hpa Update apps/v1 scale 2026-11-21T11:59:30Z .spec.replicas" {
		t.Error(got)
	}
	if ownership.Of(nil) != nil || ownership.Of(object.Parse([]byte(`{"metadata":{"managedFields":7}}`))) != nil {
		t.Error("owners of nothing")
	}
}
