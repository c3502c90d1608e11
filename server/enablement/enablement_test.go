package enablement_test

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/enablement"
	"kubarium/server/kinds"
)

// resources are what a server has in these tests.
var resources = []schema.GroupVersionResource{
	{Version: "v1", Resource: "namespaces"}, {Version: "v1", Resource: "pods"},
	{Group: "apps", Version: "v1", Resource: "daemonsets"}, {Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "batch", Version: "v1", Resource: "jobs"},
}

// What is said of resources goes before what is said of versions, and that before what is said of all.
func TestConfig_Withheld(t *testing.T) {
	for said, want := range map[string]string{
		"":                                       "",
		"apps/v1=true":                           "",
		"apps/v1=false":                          "daemonsets deployments",
		"apps/v1":                                "",
		"apps/v1/daemonsets=false":               "daemonsets",
		"apps/v1=false,apps/v1/daemonsets=true":  "deployments",
		"api/all=false,v1=true":                  "daemonsets deployments jobs",
		"api/all=false,v1=true,batch/v1=true":    "daemonsets deployments",
		"api/ga=false, api/v1=true":              "daemonsets deployments jobs",
		"/v1/pods=false":                         "pods",
		"api/beta=false,policy/v1beta1=false":    "",
		"api/legacy=true,networking.k8s.io/v1=0": "",
	} {
		var c enablement.Config
		if err := c.Set(said); err != nil {
			t.Fatal(err)
		}
		off, warning, err := c.Withheld(resources, kinds.Scheme)
		var names []string
		for _, r := range off {
			names = append(names, r.Resource)
		}
		if got := strings.Join(names, " "); err != nil || warning != "" || got != want {
			t.Errorf("%s: %q, not %q; %q, %v", said, got, want, warning, err)
		}
	}
}

// What cannot be is refused in kube-apiserver's words, and what Kubernetes has and we have not in our own.
func TestConfig_Withheld_refused(t *testing.T) {
	for said, want := range map[string]string{
		"api/all=false":                 "invalid runtime-config with only api/all=false",
		"foo/v1=true,bar/v2=false":      "unknown api groups bar/v2,foo/v1",
		"apps/v9=true":                  "group version apps/v9 that has not been registered",
		"api/all=maybe":                 "invalid value api/all=maybe",
		"apps/v1=maybe":                 `invalid value of apps/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax`,
		"apps=true":                     "runtime-config invalid key apps",
		"a/b/c/d=true":                  "runtime-config invalid key a/b/c/d",
		"apps/v1/DaemonSets=false":      `invalid key apps/v1/DaemonSets: group/version/resource and resource is always lowercase plural, not "DaemonSets"`,
		"policy/v1beta1=true":           "versions of Kubernetes that Kubarium does not serve: policy/v1beta1",
		"storage.k8s.io/v1beta1/a=true": "versions of Kubernetes that Kubarium does not serve: storage.k8s.io/v1beta1",
		"v1=false":                      "v1 cannot be switched off: add v1=true",
		"api/all=false,batch/v1=true":   "v1 cannot be switched off: add v1=true",
	} {
		var c enablement.Config
		if err := c.Set(said); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Withheld(resources, kinds.Scheme); err == nil || err.Error() != want {
			t.Errorf("%s: %v", said, err)
		}
	}
	var c enablement.Config
	c.Set("api/beta=true,api/alpha=true")
	off, warning, err := c.Withheld(slices.Clone(resources), kinds.Scheme)
	if want := "--runtime-config api/beta=true,api/alpha=true adds nothing: Kubarium serves no beta and no alpha versions"; warning != want || err != nil || off != nil {
		t.Errorf("%q, %v, %v", warning, err, off)
	}
}

// What asks for versions that are not there is dropped and told, and all else stays: to be served, or to be refused by Withheld.
func TestConfig_Prune(t *testing.T) {
	for said, want := range map[string][2]string{
		"":                             {"", ""},
		"apps/v1=true,batch/v1":        {"apps/v1=true,batch/v1=", ""},
		"api/all=true,api/beta=true":   {"", "api/all=true,api/beta=true"},
		"api/all=false,v1=true":        {"api/all=false,v1=true", ""},
		"api/alpha=false,api/ga=true":  {"api/alpha=false,api/ga=true", ""},
		"apps/v9=true,foo/v1/bars":     {"", "apps/v9=true,foo/v1/bars="},
		"apps/v9=false,foo/v1=false":   {"", ""},
		"apps/v1/deployments=false":    {"apps/v1/deployments=false", ""},
		"api/v1/pods=false,/v1=true":   {"/v1=true,api/v1/pods=false", ""},
		"apps=true,foo/v1=perhaps,a=b": {"a=b,apps=true,foo/v1=perhaps", ""},
	} {
		var c enablement.Config
		if err := c.Set(said); err != nil {
			t.Fatal(err)
		}
		dropped := strings.Join(c.Prune(resources), ",")
		if c.String() != want[0] || dropped != want[1] {
			t.Errorf("%q: keeps %q and drops %q, want %q", said, c.String(), dropped, want)
		}
	}
}
