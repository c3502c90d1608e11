package tui

import (
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/flow/redact"
	"kubarium/tui/client"
	"kubarium/tui/objects"
	"kubarium/tui/page"
)

// openedObject is a ui that shows an object on the screen Objects, at a tab.
func openedObject(t *testing.T, s page.Subject, tab objects.ObjectTab) *ui {
	t.Helper()
	u, _, _ := objectsUI(t, 120, 48)
	u.Subject = s
	u.objects().OpenAt(tab)
	u.Show(page.Objects)
	u.settle()
	u.settle()
	return u
}

// The tab Rows shows the row that is stored, and those of the change log; what is secret stays hidden.
func TestObject_Rows(t *testing.T) {
	u := openedObject(t, page.Subject{Resource: "deployments.apps", Key: client.Key{Namespace: "default", Name: "web"}}, objects.TabRows)
	mustSee(t, u, "table objects", "default/web", "4177, its resourceVersion", `"replicas": 8`, "table changes", "2 rows", "1 by SQL")
	if sql := u.objects().RowSQL(u.objects().Object.Of, client.Key{Namespace: "default", Name: "web"}); !strings.Contains(sql, `/data/kubarium.db "SELECT revision, value FROM objects WHERE resource = 'deployments.apps' AND key = 'default/web'"`) {
		t.Errorf("the command is %s", sql)
	}
	u = openedObject(t, page.Subject{Resource: "secrets", Key: client.Key{Namespace: "default", Name: "token"}}, objects.TabRows)
	mustSee(t, u, redact.Hidden)
	if strings.Contains(u.screenText(), "aHVudGVyMg") {
		t.Errorf("a secret is shown:\n%s", u.screenText())
	}
}

// The tab Watched by lists the watches that the object's changes concern, and what each was last sent of it.
func TestObject_WatchedBy(t *testing.T) {
	web := page.Subject{Resource: "deployments.apps", Key: client.Key{Namespace: "default", Name: "web"}}
	u := openedObject(t, web, objects.TabWatched)
	mustSee(t, u, "inf", "its namespace", "M rv 4172, after 3.0 ms")
	if strings.Contains(u.screenText(), "pods ") {
		t.Errorf("a watch of pods is listed:\n%s", u.screenText())
	}
	named := u.Log.OpenWatch(flow.WatchInfo{Client: flow.Client{Tag: "k7"}, Target: flow.Target{Group: "apps", Resource: "deployments", Namespace: "default", Name: "web"}, Query: "labelSelector=a%3Db", Start: 4177})
	other := u.Log.OpenWatch(flow.WatchInfo{Client: flow.Client{Tag: "k8"}, Target: flow.Target{Group: "apps", Resource: "deployments", Namespace: "shop"}, Start: 4177})
	defer named.Close(noon, "")
	defer other.Close(noon, "")
	u.fold()
	mustSee(t, u, "k7", "nothing yet", "it alone, a=b", "only")
	if strings.Contains(u.screenText(), "k8") {
		t.Errorf("a watch of another namespace is listed:\n%s", u.screenText())
	}
	u = openedObject(t, page.Subject{Resource: "secrets", Key: client.Key{Namespace: "default", Name: "token"}}, objects.TabWatched)
	mustSee(t, u, "No client watches this object.", "get secrets token -n default -w")
}
