package tui

import (
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/body"
)

// tableUI shows the tab Response of a request, as a Table.
func tableUI(d *demo) (*ui, *fakeAPI) {
	u, _ := testUI(d, "mono", 120, 40)
	api := &fakeAPI{}
	u.API.Transport = api
	u.keys("enter", "]", "]")
	for u.traffic().Inspector.Format != body.Rows {
		u.keys("b")
	}
	u.settle()
	return u, api
}

// The Table of an answer is asked for once, of the same objects at the same revision.
func TestInspector_Table(t *testing.T) {
	for verb, want := range map[string]string{
		"get":  "/apis/apps/v1/namespaces/default/deployments?fieldSelector=metadata.name%3Dweb&limit=500&resourceVersion=4170&resourceVersionMatch=Exact",
		"list": "/apis/apps/v1/namespaces/default/deployments?labelSelector=a%3Db&limit=20&resourceVersion=4170&resourceVersionMatch=Exact",
	} {
		d := newDemo(flow.Limits{})
		f := d.request("k1", verb, "deployments", map[string]string{"get": "web"}[verb], 200, 1)
		f.ResponseBody = flow.Keep([]byte(`{"kind":"Deployment"}`))
		f.RequestBody = f.ResponseBody
		if verb == "list" {
			f.Query = "limit=20&labelSelector=a%3Db"
		}
		d.log.Publish(f)
		u, api := tableUI(d)
		mustSee(t, u, "NAME  READY  AGE", "web   0/2", "Read now, as of then")
		u.keys("[", "]")
		u.settle()
		if got := strings.Join(api.asked, " "); got != want {
			t.Errorf("%s: asked for\n%s, want\n%s", verb, got, want)
		}
		u.keys("[")
		mustSee(t, u, "a format of answers")
	}
}

// A Table that was sent is shown as it is; where there is none, that is said. The server is asked for neither.
func TestInspector_TableNotAsked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *flow.Flow)
		want   string
	}{
		"sent":    {func(f *flow.Flow) { f.ResponseBody = flow.Keep([]byte(fakeDeployments)) }, "The client asked for a Table"},
		"refused": {func(f *flow.Flow) { f.Status = 404 }, "There is no Table of this: the answer is a"},
		"dry run": {func(f *flow.Flow) { f.Target.Verb, f.Query = "update", "dryRun=All" }, "what was answered is"},
	} {
		d := newDemo(flow.Limits{})
		f := d.request("k1", "get", "deployments", "web", 200, 1)
		f.ResponseBody = flow.Keep([]byte(`{"kind":"Status"}`))
		c.change(f)
		d.log.Publish(f)
		u, api := tableUI(d)
		mustSee(t, u, c.want)
		if len(api.asked) > 0 {
			t.Errorf("%s: asked for %s", name, api.asked)
		}
	}
}
