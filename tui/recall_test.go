package tui

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/flow/redact"
)

// fakeLog is the change log from before the demo's story: one change that compaction kept, and four since.
const fakeLog = `{"revision":4170,"compacted":4096,"changes":[
 {"revision":4170,"type":"U","resource":"secrets","namespace":"default","name":"token","at":"2026-11-21T11:58:00Z","beforeRevision":4168,"bytes":60},
 {"revision":4169,"type":"D","resource":"configmaps","namespace":"default","name":"old","at":"2026-11-21T11:57:00Z","beforeRevision":4165,"bytes":0},
 {"revision":4168,"type":"C","resource":"secrets","namespace":"default","name":"token","at":"2026-11-21T11:56:00Z","bytes":60},
 {"revision":4165,"type":"U","resource":"configmaps","namespace":"default","name":"old","at":"2026-11-21T11:55:00Z","outside":true,"beforeRevision":12,"bytes":40},
 {"revision":80,"type":"C","resource":"namespaces","name":"default","at":"2026-11-20T11:00:00Z","bytes":40}]}`

// fakeChange is one change of that log with its object.
func fakeChange(r *http.Request) string {
	if r.URL.Query().Has("terminating") {
		return `{"changes":[]}`
	}
	switch r.URL.Query().Get("revision") {
	case "":
		return fakeLog
	case "4170":
		return `{"changes":[{"revision":4170,"type":"U","beforeRevision":4168,"before":{"kind":"Secret","data":{"password":"b2xk"}},"after":{"kind":"Secret","data":{"password":"aHVudGVyMg==","more":"eA=="}}}]}`
	case "4169":
		return `{"changes":[{"revision":4169,"type":"D","beforeRevision":4165,"before":{"kind":"ConfigMap","metadata":{"name":"old"},"data":{"fish":"3"}}}]}`
	case "4150":
		return `{"changes":[{"revision":4150,"type":"U","beforeRevision":4149,"after":{"kind":"ConfigMap","metadata":{"name":"held","uid":"h","deletionTimestamp":"2026-11-21T11:54:00Z","finalizers":["example.io/x"]}}}]}`
	case "4165":
		return `{"changes":[{"revision":4165,"type":"U","beforeRevision":12,"after":{"kind":"ConfigMap","metadata":{"name":"old"},"data":{"fish":"3"}}}]}`
	}
	return `{"changes":[]}`
}

// recalledUI is a ui on the screen Versions that has read the past back.
func recalledUI(d *demo, w, h int, keys ...string) *ui {
	u, _ := testUI(d, "mono", w, h)
	u.recall()
	u.settle()
	u.keys("4")
	u.settle()
	for _, k := range keys {
		u.key(k)
		u.settle()
	}
	return u
}

// A UI that comes late shows the history of the store: what was committed before it stands before what it saw itself.
func TestVersions_Recalled(t *testing.T) {
	d := newDemo(flow.Limits{})
	u := recalledUI(d, 120, 36)
	mustSee(t, u, "configmaps/old", "secrets/token", "namespaces/default", "rv 4170 U secrets/token", "before the UI began")
	d.story()
	u.fold()
	var got []int64
	for _, c := range u.Time.Commits {
		got = append(got, c.Revision)
	}
	if fmt.Sprint(got) != "[80 4165 4168 4169 4170 4171 4172 4173 4174 4175 4176 4177]" {
		t.Errorf("the commits are %v", got)
	}
	if live := u.Time.Live(); live[0].Revision != 4171 {
		t.Errorf("the axis of time begins at %d", live[0].Revision)
	}
}

// What comes twice, from the log of flows and from the store, is shown once, in whichever order it comes.
func TestVersions_RecalledOnce(t *testing.T) {
	for _, first := range []string{"log", "store"} {
		d := newDemo(flow.Limits{})
		d.rv = 4167
		u, _ := testUI(d, "mono", 120, 36)
		if first == "store" {
			u.recall()
			u.settle()
		}
		for range 3 { // 4168 to 4170
			d.write("A", "update", flow.Updated, "web", 2)
		}
		u.fold()
		if first == "log" {
			u.recall()
			u.settle()
		}
		var got []int64
		for _, c := range u.Time.Commits {
			got = append(got, c.Revision)
		}
		if fmt.Sprint(got) != "[80 4165 4168 4169 4170]" {
			t.Errorf("first the %s: the commits are %v", first, got)
		}
	}
}

// What a version from before changed is read back when the cursor rests on it, with what is secret masked.
func TestVersions_RecalledChange(t *testing.T) {
	u := recalledUI(newDemo(flow.Limits{}), 120, 48)
	mustSee(t, u, "what it changed, read back by the UI itself", "+   more: "+redact.Hidden)
	if strings.Contains(u.screenText(), "aHVudGVyMg") {
		t.Errorf("a secret is shown:\n%s", u.screenText())
	}
	api := u.API.Transport.(*fakeAPI)
	api.asked = nil
	u.toggleUnmask()
	u.settle()
	mustSee(t, u, "aHVudGVyMg")
	u.keys("h")
	u.settle()
	mustSee(t, u, "-   fish:")
	u.keys("h", "h")
	u.settle()
	mustSee(t, u, "the version before it is compacted", "from outside, with SQL")
	u.keys("h")
	u.settle()
	mustSee(t, u, "Its change is compacted")
	u.keys("l", "h")
	u.settle()
	if slices.Sort(api.asked); len(api.asked) != 4 || len(slices.Compact(api.asked)) != 4 {
		t.Errorf("each change is not asked for once: %q", api.asked)
	}
}

// The record of the UI's own question for a change of a Secret hides its answer as well.
func TestRedact_RecalledSecret(t *testing.T) {
	f := &flow.Flow{Path: "/debug/changes", Query: "resource=secrets&revision=9", ResponseBody: flow.Keep([]byte(`{"changes":[{"after":{"data":{"password":"aHVudGVyMg=="}}}]}`))}
	if body := string(redact.Flow(f).ResponseBody.Kept); strings.Contains(body, "aHVudGVyMg") {
		t.Errorf("the record shows %s", body)
	}
}

// A server that does not tell its history leaves the axis to what the UI sees, and that is said.
func TestVersions_NotRecalled(t *testing.T) {
	d := newDemo(flow.Limits{})
	u, _ := testUI(d, "mono", 120, 36)
	u.API.Transport = &fakeAPI{err: errors.New("connection refused")}
	u.recall()
	u.settle()
	u.keys("4")
	mustSee(t, u, "Nothing was committed since the UI started", "could not be read back: Get")
}

// What was terminating before the UI began is on the screen Deletes from the beginning, and followed from there on.
func TestDeletes_Recalled(t *testing.T) {
	d := newDemo(flow.Limits{})
	u, _ := testUI(d, "mono", 120, 36)
	log := flow.ChangeLog{Changes: []flow.LoggedChange{
		{Revision: 4150, Type: "U", Resource: "configmaps", Namespace: "default", Name: "held", At: d.at},
		{Revision: 4149, Type: "C", Resource: "configmaps", Namespace: "default", Name: "held", At: d.at},
	}}
	u.deletes().Recall(log)
	u.settle()
	u.keys("6")
	mustSee(t, u, "before ◌ configmaps/held", "held by 1 of 1 finalizer", "it was terminating already when the UI began", "rv 4150", "6 Deletes◌1")
	d.change(change{who: "ctl", verb: "patch", resource: "configmaps", ns: "default", name: "held", before: stored("ConfigMap", "held", dying+`,"finalizers":["example.io/x"]`, "")})
	u.fold()
	mustSee(t, u, "removed by ctl at rv 4171", "PHASE 2 ✓ removed")
	if n := len(u.deletes().All); n != 1 {
		t.Errorf("%d deletions", n)
	}
}
