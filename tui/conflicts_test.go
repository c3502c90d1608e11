package tui

import (
	"fmt"
	"strings"
	"testing"

	"kubarium/flow"
)

// owned is a Deployment whose fields have two owners: kubectl set its replicas, platform applied the rest.
const owned = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default","uid":"8f2c","creationTimestamp":"2026-11-21T11:59:00Z",` +
	`"labels":{"app":"web","old":"1","team":"shop"},"managedFields":[` +
	`{"manager":"kubectl","operation":"Update","apiVersion":"apps/v1","time":"2026-11-21T11:59:30Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}},` +
	`{"manager":"platform","operation":"Apply","apiVersion":"apps/v1","time":"2026-11-21T11:59:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:app":{},"f:team":{}}},` +
	`"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:name":{},"f:image":{}}}}}}}},` +
	`{"manager":"argocd","operation":"Apply","apiVersion":"apps/v1","time":"2026-11-21T11:59:10Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:app":{},"f:old":{}}}}}]},` +
	`"spec":{"replicas":5,"template":{"spec":{"containers":[{"name":"web","image":"web:1.1"}]}}}}`

// wanted is what argocd applies over it.
const wanted = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {app: web, tier: front}}\nspec:\n  replicas: 3\n" +
	"  template: {spec: {containers: [{name: web, image: 'web:1.1'}]}}\n"

// apply is an apply of wanted by argocd.
func (d *demo) apply(force bool, status int) *flow.Flow {
	f := d.request("k5", "apply", "deployments", "web", status, 1.9)
	f.Query = fmt.Sprintf("fieldManager=argocd&force=%v", force)
	f.RequestHeader.Set("Content-Type", "application/apply-patch+yaml")
	f.RequestBody = flow.Keep([]byte(wanted))
	return f
}

// clashes publishes one write of each kind that meets another.
func (d *demo) clashes() {
	d.write("A", "create", flow.Created, "web", 2)
	d.write("A", "update", flow.Updated, "web", 3)
	exists := d.request("k6", "create", "deployments", "", 409, 0.9)
	exists.Reason, exists.Message = "AlreadyExists", `deployments.apps "web" already exists`
	exists.RequestBody = flow.Keep([]byte(fmt.Sprintf(deployment, 1, 4)))
	exists.Conflict = &flow.Conflict{Kind: flow.AlreadyExists, Stored: d.rv, Object: []byte(fmt.Sprintf(deployment, 3, 0))}
	d.log.Publish(exists)
	d.log.Publish(d.refused())
	uid := d.request("c1", "delete", "deployments", "web", 409, 0.8)
	uid.Reason = "Conflict"
	uid.Conflict = &flow.Conflict{Kind: flow.Precondition, Stored: d.rv, Object: []byte(owned), SentUID: "11aa", StoredUID: "8f2c"}
	d.log.Publish(uid)
	apply := d.apply(false, 409)
	apply.Reason = "Conflict"
	apply.Conflict = &flow.Conflict{Kind: flow.FieldOwnership, Stored: d.rv, Object: []byte(owned), Causes: []flow.Cause{{Field: ".spec.replicas", Message: `conflict with "kubectl" using apps/v1`}}}
	d.log.Publish(apply)
	d.overwrite()
	forced := d.apply(true, 200)
	d.rv++
	forced.Revision = d.rv
	forced.Effects = []flow.Effect{{Commit: flow.Commit{Revision: d.rv, Type: flow.Updated, Resource: "deployments.apps", Namespace: "default", Name: "web", At: d.at}, Before: []byte(owned), After: []byte(owned)}}
	d.log.Committed(forced.Effects[0].Commit)
	d.log.Publish(forced)
}

// overwrite puts back without a resourceVersion what A has changed.
func (d *demo) overwrite() {
	f := d.request("c2", "update", "deployments", "web", 200, 2.2)
	d.rv++
	f.Revision = d.rv
	c := flow.Commit{Revision: d.rv, Type: flow.Updated, Resource: "deployments.apps", Namespace: "default", Name: "web", At: d.at}
	f.Effects = []flow.Effect{{Commit: c, Before: []byte(fmt.Sprintf(deployment, 3, 0)), After: []byte(fmt.Sprintf(deployment, 2, 0))}}
	f.RequestBody = flow.Keep(f.Effects[0].After)
	d.log.Committed(c)
	d.log.Publish(f)
}

func init() {
	clash := func(d *demo) { d.clashes() }
	pageViews = append(pageViews,
		pageView{"conflicts-empty", func(*demo) {}, []string{"5"}},
		pageView{"conflicts-first", func(d *demo) { d.story() }, []string{"5"}},
		pageView{"conflicts-unread", clash, nil},
		pageView{"conflicts-exists", clash, []string{"5", "g"}},
		pageView{"conflicts-stale", clash, []string{"5", "g", "j"}},
		pageView{"conflicts-uid", clash, []string{"5", "g", "j", "j"}},
		pageView{"conflicts-apply", clash, []string{"5", "g", "j", "j", "j", "z", "tab"}},
		pageView{"conflicts-force", clash, []string{"5", "g", "j", "j", "j", "F", "tab"}},
		pageView{"conflicts-overwrite", clash, []string{"5", "g", "j", "j", "j", "j"}},
		pageView{"conflicts-forced", clash, []string{"5"}},
	)
}

// Every kind of clash is listed under its name, and nothing else is.
func TestConflicts_Kinds(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.clashes()
	u, _ := testUI(d, "mono", 120, 36)
	var got []string
	for _, c := range u.conflicts().Rows {
		got = append(got, c.Kind)
	}
	want := "already exists, stale resourceVersion, uid precondition, field manager conflict, silent overwrite, forced over"
	if strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if badge := u.conflicts().Tab().Badge; badge != "!4" {
		t.Errorf("badge %q", badge)
	}
	u.keys("5")
	u.view()
	if badge := u.conflicts().Tab().Badge; badge != "" {
		t.Errorf("badge %q after a look", badge)
	}
}

// A write that names its resourceVersion, sets a new value, or follows its own client's write undoes nothing silently.
func TestConflicts_NotSilent(t *testing.T) {
	for name, change := range map[string]func(f *flow.Flow){
		"names its version": func(f *flow.Flow) { f.SentRevision = f.Revision - 1 },
		"a new value":       func(f *flow.Flow) { f.Effects[0].After = []byte(fmt.Sprintf(deployment, 9, 0)) },
		"the same client":   func(f *flow.Flow) { f.Client.Tag = "A" },
	} {
		d := newDemo(flow.Limits{})
		d.write("A", "create", flow.Created, "web", 2)
		d.write("A", "update", flow.Updated, "web", 3)
		plain := newDemo(flow.Limits{})
		plain.at, plain.rv = d.at, d.rv
		plain.overwrite()
		flows, _ := plain.log.Since(0, 0)
		f := *flows[0]
		f.Effects = append([]flow.Effect(nil), f.Effects...)
		change(&f)
		d.log.Publish(&f)
		u, _ := testUI(d, "mono", 120, 36)
		if n := len(u.conflicts().Rows); n > 0 {
			t.Errorf("%s: %s", name, u.conflicts().Rows[0].Kind)
		}
	}
}
