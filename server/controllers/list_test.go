package controllers_test

import (
	"strings"
	"testing"

	"kubarium/server/controllers"
)

// A list is read as kube-controller-manager reads its own: the first entry that names a controller decides, then "*".
func TestList(t *testing.T) {
	const namespace, garbage = "namespace-controller", "garbage-collector-controller"
	for _, c := range []struct {
		flags              []string // each the value of a flag that is given
		namespace, garbage bool
		text               string
	}{
		{nil, true, true, "*"},
		{[]string{"*"}, true, true, "*"},
		{[]string{"true"}, true, true, "*"},
		{[]string{"false"}, false, false, "false"},
		{[]string{""}, false, false, "false"},
		{[]string{"namespace-controller"}, true, false, "namespace-controller"},
		{[]string{"namespace"}, true, false, "namespace-controller"},
		{[]string{"*,-namespace"}, false, true, "*,-namespace-controller"},
		{[]string{"-namespace, *"}, false, true, "-namespace-controller,*"},
		{[]string{"-namespace"}, false, false, "-namespace-controller"},
		{[]string{"namespace,-namespace,*"}, true, true, "namespace-controller,-namespace-controller,*"},
		{[]string{"*", "-garbagecollector"}, true, false, "*,-garbage-collector-controller"},
	} {
		l := controllers.All()
		for _, f := range c.flags {
			if err := l.Set(f); err != nil {
				t.Fatalf("%q: %v", f, err)
			}
		}
		if l.Enabled(namespace, false) != c.namespace || l.Enabled(garbage, true) != c.garbage || l.String() != c.text {
			t.Errorf("%q: namespaces %v, garbage %v, %q", c.flags, l.Enabled(namespace, false), l.Enabled(garbage, true), &l)
		}
	}
	for _, wrong := range []string{"nobody", "-nobody", "*,deployments", "Namespace", "--namespace"} {
		var l controllers.List
		err := l.Set(wrong)
		if err == nil || !strings.Contains(err.Error(), "is not in the list of known controllers") || !strings.Contains(err.Error(), garbage) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// Each controller is known by the names that kube-controller-manager gives it.
func TestList_Names(t *testing.T) {
	want := "clusterrole-aggregation-controller cronjob-controller daemonset-controller deployment-controller disruption-controller " +
		"endpoints-controller endpointslice-controller endpointslice-mirroring-controller ephemeral-volume-controller " +
		"garbage-collector-controller job-controller kube-scheduler namespace-controller node-lifecycle-controller " +
		"persistentvolume-binder-controller persistentvolume-protection-controller persistentvolumeclaim-protection-controller " +
		"pod-garbage-collector-controller replicaset-controller replicationcontroller-controller resourcequota-controller " +
		"root-ca-certificate-publisher-controller serviceaccount-controller statefulset-controller taint-eviction-controller " +
		"ttl-after-finished-controller volumeattributesclass-protection-controller"
	if got := strings.Join(controllers.Names(), " "); got != want {
		t.Errorf("%s", got)
	}
	var l controllers.List
	if err := l.Set("garbagecollector,namespace,serviceaccount,root-ca-cert-publisher,clusterrole-aggregation,podgc,resourcequota,deployment,job,endpoint"); err != nil {
		t.Fatal(err)
	}
	for _, name := range controllers.Names() {
		if want := strings.Contains(l.String(), name); l.Enabled(name, false) != want || l.Enabled(name, true) != want {
			t.Errorf("%s: %v", name, l.Enabled(name, false))
		}
	}
}

// "*" means the controllers of workloads and the scheduler only where there are nodes; a name means one in any case.
func TestList_Nodes(t *testing.T) {
	for _, c := range []struct {
		flag                   string
		alone, nodes, all, any bool // the deployment controller without nodes, and with; any controller without nodes, and with
	}{
		{"*", false, true, true, true},
		{"false", false, false, false, false},
		{"deployment", true, true, true, true},
		{"kube-scheduler,-deployment", false, false, true, true},
		{"*,-deployment-controller", false, false, true, true},
		{"*,deployment", true, true, true, true},
	} {
		var l controllers.List
		if err := l.Set(c.flag); err != nil {
			t.Fatal(err)
		}
		const name = "deployment-controller"
		if l.Enabled(name, false) != c.alone || l.Enabled(name, true) != c.nodes || l.Any(false) != c.all || l.Any(true) != c.any {
			t.Errorf("%q: %v %v %v %v", c.flag, l.Enabled(name, false), l.Enabled(name, true), l.Any(false), l.Any(true))
		}
	}
}
