package tui

import (
	"strings"
	"testing"

	"kubarium/tui/client"
)

// The tab Owners shows whose an object is, and what names its uid as owner; an object that was owned by one of the same
// name is not among that.
func TestObject_Owners(t *testing.T) {
	u := openedObject(t, subject{"deployments.apps", client.Key{Namespace: "default", Name: "web"}}, tabOwners)
	mustSee(t, u, "Widget/boss", "└ Deployment/web", "└ Deployment/mine", "controller")
	if strings.Contains(u.screenText(), "Deployment/other") {
		t.Error("what an older object of the name owned is shown")
	}
	u = openedObject(t, subject{"secrets", client.Key{Namespace: "default", Name: "token"}}, tabOwners)
	mustSee(t, u, "Nobody owns it", "└ Secret/token")
	if strings.Contains(u.screenText(), "/mine") {
		t.Error("what another object owns is shown")
	}
}
