package tui

import (
	"strings"
	"testing"

	"kubarium/flow"
)

// versionsUI is a ui on the screen Versions of the demo's story.
func versionsUI(w, h int, keys ...string) (*ui, *demo) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", w, h)
	u.view()
	u.keys(append([]string{"4"}, keys...)...)
	return u, d
}

// Going from version to version moves the selection of all screens to the request that made it.
func TestVersions_SharesSelection(t *testing.T) {
	u, _ := versionsUI(120, 36, "j", "h", "h")
	if c := u.versions().Chosen(); c == nil || c.Revision != 4175 {
		t.Fatalf("%+v is chosen", c)
	}
	if u.Sel == nil || u.Sel.Revision != 4175 || u.Subject.Name != "web" {
		t.Errorf("the selected request is of rv %d, the object %+v", u.Sel.Revision, u.Subject)
	}
	u.keys("1")
	if u.Follow || u.traffic().Rows[u.traffic().Cursor()] != u.Sel {
		t.Error("Traffic has another request under its cursor")
	}
	u.keys("4", "o")
	u.settle()
	if s := u.objects().ShownSubject(); s.Name != "web" || u.At != 2 {
		t.Errorf("o shows %+v at depth %d", s, u.At)
	}
	mustSee(t, u, "from rv 4174 to rv 4175")
}

// What a number means is told as the server would answer it now.
func TestVersions_Meanings(t *testing.T) {
	u, d := versionsUI(160, 48, "j", "h")
	mustSee(t, u, "409 Conflict: the object is at rv 4177 now", "1 change of deployments so far", "what it changed")
	u.keys("G")
	mustSee(t, u, "stored: it is the newest version of the object")
	u.keys("h", "h")
	d.log.SetHead(d.rv, 4177)
	u.fold()
	mustSee(t, u, "410 Expired: it is older", "an ERROR event, 410 Expired", "▒")
	d.write("A", "delete", flow.Deleted, "web", 9)
	u.fold()
	mustSee(t, u, "404: the object was removed at rv 4178")
}

// While the newest is followed, a new commit is chosen as it comes; a chosen version stays.
func TestVersions_Follows(t *testing.T) {
	u, d := versionsUI(120, 36)
	d.write("A", "create", flow.Created, "api", 1)
	u.fold()
	if c := u.versions().Chosen(); c.Revision != 4178 {
		t.Errorf("rv %d is chosen", c.Revision)
	}
	u.keys("h")
	d.write("A", "create", flow.Created, "late", 1)
	u.fold()
	if c := u.versions().Chosen(); c.Revision != 4177 {
		t.Errorf("rv %d is chosen", c.Revision)
	}
}

// The filter of requests narrows the lanes.
func TestVersions_Filter(t *testing.T) {
	u, d := versionsUI(120, 36)
	d.write("A", "create", flow.Created, "api", 1)
	u.fold()
	u.applyFilter("name:api")
	u.settle()
	if n := len(u.versions().Lanes); n != 2 || u.versions().Lanes[1].Of.Name != "api" {
		t.Errorf("%d lanes", n)
	}
	u.applyFilter("name:nobody")
	u.settle()
	mustSee(t, u, "0 of 8 versions pass the filter")
}

// Each lane shows where its object is, and each letter what made the version.
func TestVersions_Letters(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.write("A", "create", flow.Created, "web", 1)
	d.write("A", "apply", flow.Updated, "web", 2)
	d.write("A", "delete", flow.Updated, "web", 3)
	d.log.Committed(flow.Commit{Revision: 4174, Type: flow.Updated, Resource: "deployments.apps", Namespace: "default", Name: "web", Outside: true, At: d.at})
	d.rv = 4174
	d.write("A", "delete", flow.Deleted, "web", 3)
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("4")
	if lane := laneText(u, "deployments.apps/web"); !strings.Contains(lane, "CATXD┃") {
		t.Errorf("the lane is %q", lane)
	}
}

func laneText(u *ui, name string) string {
	for _, l := range strings.Split(u.screenText(), "\n") {
		if strings.Contains(l, name) && strings.Contains(l, "┃") {
			return l
		}
	}
	return ""
}

// In plain mode the changes, and what a number means, are told in words.
func TestPlain_Versions(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 80, 24)
	var out strings.Builder
	p := &plain{u: u, out: &out}
	for command, want := range map[string]string{
		"versions":      "resourceVersion 4177: deployments.apps/web updated.",
		"versions api":  "Nothing of that was committed",
		"version 4176":  "409 Conflict: the object is at rv 4177 now",
		"version 12":    "versions lists them",
		"versions web ": "The head is resourceVersion 4177",
	} {
		out.Reset()
		if p.command(command); !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s", command, out.String())
		}
	}
}
