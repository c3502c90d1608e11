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
		if l.Enabled(namespace) != c.namespace || l.Enabled(garbage) != c.garbage || l.String() != c.text {
			t.Errorf("%q: namespaces %v, garbage %v, %q", c.flags, l.Enabled(namespace), l.Enabled(garbage), &l)
		}
	}
	for _, wrong := range []string{"nobody", "-nobody", "*,deployment", "Namespace", "--namespace"} {
		var l controllers.List
		err := l.Set(wrong)
		if err == nil || !strings.Contains(err.Error(), "is not in the list of known controllers") || !strings.Contains(err.Error(), garbage) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// Each controller is known by the names that kube-controller-manager gives it.
func TestList_Names(t *testing.T) {
	want := "clusterrole-aggregation-controller garbage-collector-controller namespace-controller pod-garbage-collector-controller " +
		"resourcequota-controller root-ca-certificate-publisher-controller serviceaccount-controller"
	if got := strings.Join(controllers.Names(), " "); got != want {
		t.Errorf("%s", got)
	}
	var l controllers.List
	if err := l.Set("garbagecollector,namespace,serviceaccount,root-ca-cert-publisher,clusterrole-aggregation,podgc,resourcequota"); err != nil {
		t.Fatal(err)
	}
	for _, name := range controllers.Names() {
		if !l.Enabled(name) {
			t.Errorf("%s has no older name", name)
		}
	}
}
