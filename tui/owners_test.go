package tui

import (
	"strings"
	"testing"

	"kubarium/tui/client"
	"kubarium/tui/objects"
	"kubarium/tui/page"
)

// The tab Owners shows whose an object is, and what names its uid as owner; an object that was owned by one of the same
// name is not among that.
func TestObject_Owners(t *testing.T) {
	u := openedObject(t, page.Subject{Resource: "deployments.apps", Key: client.Key{Namespace: "default", Name: "web"}}, objects.TabOwners)
	mustSee(t, u, "Widget/boss", "└ Deployment/web", "└ Deployment/mine", "controller")
	if strings.Contains(u.screenText(), "Deployment/other") {
		t.Error("what an older object of the name owned is shown")
	}
	u = openedObject(t, page.Subject{Resource: "secrets", Key: client.Key{Namespace: "default", Name: "token"}}, objects.TabOwners)
	mustSee(t, u, "It has no ownerReferences", "└ Secret/token")
	if strings.Contains(u.screenText(), "/mine") {
		t.Error("what another object owns is shown")
	}
}
