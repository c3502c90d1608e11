package tui

import (
	"strings"
	"testing"

	"kubarium/tui/client"
	"kubarium/tui/objects"
	"kubarium/tui/page"
)

// The tab Owners of a Deployment shows the tree of its parts: which client made each, how much later, and where a Pod runs.
func TestObject_Tree(t *testing.T) {
	u, _, d := objectsUI(t, 120, 48)
	by := func(kind, name string) string {
		return `,"ownerReferences":[{"apiVersion":"apps/v1","kind":"` + kind + `","name":"` + name + `","uid":"uid-` + name + `","controller":true}]`
	}
	d.change(change{who: "k1", verb: "create", resource: "deployments.apps", ns: "default", name: "web", after: stored("Deployment", "web", "", "")})
	d.change(change{who: "deployment-controller", verb: "create", resource: "replicasets.apps", ns: "default", name: "web-5d", after: stored("ReplicaSet", "web-5d", by("Deployment", "web"), "")})
	pod := stored("Pod", "web-5d-a", by("ReplicaSet", "web-5d"), "")
	d.change(change{who: "replicaset-controller", verb: "create", resource: "pods", ns: "default", name: "web-5d-a", after: pod})
	bound := stored("Pod", "web-5d-a", by("ReplicaSet", "web-5d"), `,"spec":{"nodeName":"node-1"}`)
	d.change(change{who: "kube-scheduler", verb: "create", resource: "pods", ns: "default", name: "web-5d-a", before: pod, after: bound})
	runs := stored("Pod", "web-5d-a", by("ReplicaSet", "web-5d"), `,"spec":{"nodeName":"node-1"},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}`)
	d.change(change{who: "kubelet-node-1", verb: "update", resource: "pods", ns: "default", name: "web-5d-a", before: bound, after: runs})
	u.fold()
	open := func(resource, name string) {
		u.Show(page.Traffic)
		u.Subject = page.Subject{Resource: resource, Key: client.Key{Namespace: "default", Name: name}}
		u.objects().OpenAt(objects.TabOwners)
		u.Show(page.Objects)
		u.settle()
		u.settle()
	}
	open("deployments.apps", "web")
	mustSee(t, u, "which client made each part", "k1 #", "└ replicasets/web-5d", "└ pods/web-5d-a  Running", "+137 ms  deployment-controller #", "+274 ms  replicaset-controller #",
		"+411 ms  bound to node-1 by kube-scheduler #", "+548 ms  ready, by kubelet-node-1 #")
	d.change(change{who: "replicaset-controller", verb: "delete", resource: "pods", ns: "default", name: "web-5d-a", before: runs})
	u.fold()
	mustSee(t, u, "pods/web-5d-a  gone, by replicaset-controller #")
	open("secrets", "token")
	if strings.Contains(u.screenText(), "which client made") {
		t.Errorf("a Secret has a tree:\n%s", u.screenText())
	}
}
