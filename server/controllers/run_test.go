package controllers_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/controllers"
)

const (
	clusterRolesPath = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
	accountPath      = "/api/v1/namespaces/default/serviceaccounts/default"
	bundlePath       = "/api/v1/namespaces/default/configmaps/kube-root-ca.crt"
	pendingPod       = `{"metadata":{"name":"web"%s},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`
)

// works says what each controller does, by its name, in a cluster that runs it alone: what must come about, and what
// does not as long as the others are off.
var works = map[string]func(t *testing.T, c cluster) func() bool{
	"serviceaccount-controller": func(t *testing.T, c cluster) func() bool {
		return func() bool { return c.code(t, accountPath) == 200 }
	},
	"root-ca-certificate-publisher-controller": func(t *testing.T, c cluster) func() bool {
		return func() bool { return c.code(t, bundlePath) == 200 }
	},
	"clusterrole-aggregation-controller": func(t *testing.T, c cluster) func() bool {
		c.mustCreate(t, clusterRolesPath, `{"metadata":{"name":"all"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"to":"all"}}]}}`)
		c.mustCreate(t, clusterRolesPath, `{"metadata":{"name":"one","labels":{"to":"all"}},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}`)
		return func() bool { return c.roleRules(t, "all") == 1 }
	},
	"pod-garbage-collector-controller": func(t *testing.T, c cluster) func() bool {
		c.mustCreate(t, "/api/v1/namespaces/default/pods", strings.Replace(pendingPod, "%s", "", 1))
		c.call(t, "DELETE", "/api/v1/namespaces/default/pods/web", "")
		return func() bool { return c.code(t, "/api/v1/namespaces/default/pods/web") == 404 }
	},
	"namespace-controller": func(t *testing.T, c cluster) func() bool {
		c.mustCreate(t, "/api/v1/namespaces", `{"metadata":{"name":"shop"}}`)
		c.mustCreate(t, "/api/v1/namespaces/shop/configmaps", `{"metadata":{"name":"last"}}`)
		c.call(t, "DELETE", "/api/v1/namespaces/shop", "")
		return func() bool { return c.code(t, "/api/v1/namespaces/shop") == 404 }
	},
	"resourcequota-controller": func(t *testing.T, c cluster) func() bool {
		const quotas = "/api/v1/namespaces/default/resourcequotas"
		c.mustCreate(t, quotas, `{"metadata":{"name":"few"},"spec":{"hard":{"secrets":"2"}}}`)
		return func() bool {
			var q corev1.ResourceQuota
			c.mustGet(t, quotas+"/few", &q)
			return len(q.Status.Used) == 1
		}
	},
	"garbage-collector-controller": func(t *testing.T, c cluster) func() bool {
		c.mustCreate(t, configMapsPath, `{"metadata":{"name":"child","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"gone","uid":"none"}]}}`)
		return func() bool { return c.code(t, configMapsPath+"/child") == 404 }
	},
}

// Each controller runs by its name, alone.
func TestRun_Alone(t *testing.T) {
	for name := range works {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l controllers.List
			if err := l.Set(name); err != nil {
				t.Fatal(err)
			}
			c := mustStartWith(t, l)
			done := map[string]func() bool{}
			for other, work := range works {
				done[other] = work(t, c)
			}
			eventually(t, name, done[name])
			time.Sleep(200 * time.Millisecond) // in which the others would have done their work, mostly
			for other, so := range done {
				if other != name && so() {
					t.Errorf("%s runs too", other)
				}
			}
		})
	}
}

// What each namespace has comes again when it is deleted.
func TestRun_Again(t *testing.T) {
	c := mustStart(t)
	for _, path := range []string{accountPath, bundlePath} {
		var was, is metav1.PartialObjectMetadata
		eventually(t, path, func() bool { return c.code(t, path) == 200 })
		c.mustGet(t, path, &was)
		c.call(t, "DELETE", path, "")
		eventually(t, path+" again", func() bool {
			code, text := c.call(t, "GET", path, "")
			return code == 200 && json.Unmarshal(text, &is) == nil && is.UID != was.UID
		})
	}
}

func (c cluster) roleRules(t *testing.T, name string) int {
	t.Helper()
	var role rbacv1.ClusterRole
	c.mustGet(t, clusterRolesPath+"/"+name, &role)
	return len(role.Rules)
}

// What a ClusterRole aggregates follows the roles that it selects.
func TestRun_Aggregation(t *testing.T) {
	c := mustStart(t)
	eventually(t, "what kube-apiserver's own role admin may", func() bool {
		code, _ := c.call(t, "GET", clusterRolesPath+"/admin", "")
		return code == 200 && c.roleRules(t, "admin") > 0
	})
	c.mustCreate(t, clusterRolesPath, `{"metadata":{"name":"all"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"to":"all"}}]}}`)
	for _, verb := range []string{"get", "list"} {
		c.mustCreate(t, clusterRolesPath, `{"metadata":{"name":"`+verb+`","labels":{"to":"all"}},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["`+verb+`"]}]}`)
	}
	eventually(t, "both rules", func() bool { return c.roleRules(t, "all") == 2 })
	c.call(t, "DELETE", clusterRolesPath+"/get", "")
	eventually(t, "one rule", func() bool { return c.roleRules(t, "all") == 1 })
}

// A namespace loses its pods first, and its status says what it waits for.
func TestRun_NamespaceConditions(t *testing.T) {
	c := mustStart(t)
	c.mustCreate(t, "/api/v1/namespaces", `{"metadata":{"name":"shop"}}`)
	const pods, maps = "/api/v1/namespaces/shop/pods", "/api/v1/namespaces/shop/configmaps"
	c.mustCreate(t, pods, strings.Replace(pendingPod, "%s", `,"finalizers":["example.com/hold"]`, 1))
	c.mustCreate(t, maps, `{"metadata":{"name":"free"}}`)
	c.mustCreate(t, maps, `{"metadata":{"name":"held","finalizers":["example.com/hold"]}}`)
	c.call(t, "DELETE", "/api/v1/namespaces/shop", "")

	says := func(want ...string) func() bool {
		return func() bool {
			var ns corev1.Namespace
			c.mustGet(t, "/api/v1/namespaces/shop", &ns)
			var got []string
			for _, cond := range ns.Status.Conditions {
				got = append(got, string(cond.Type)+" "+string(cond.Status)+" "+cond.Reason+": "+cond.Message)
			}
			slices.Sort(got)
			return slices.Equal(got, want)
		}
	}
	// The counts are reported once the pods are gone, as in kube-controller-manager.
	eventually(t, "the pod holds the rest", says(
		"NamespaceContentRemaining False ContentRemoved: All content successfully removed",
		"NamespaceDeletionContentFailure False ContentDeleted: All content successfully deleted, may be waiting on finalization",
		"NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources successfully discovered",
		"NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube types successfully parsed",
		"NamespaceFinalizersRemaining False ContentHasNoFinalizers: All content-preserving finalizers finished",
	))
	if code := c.code(t, maps+"/free"); code != 200 {
		t.Errorf("a ConfigMap while there is a pod: %d", code)
	}
	patch := func(path string) { c.call(t, "PATCH", path, `{"metadata":{"finalizers":null}}`) }
	patch(pods + "/web")
	eventually(t, "the object without finalizers goes", func() bool { return c.code(t, maps+"/free") == 404 })
	eventually(t, "the other ConfigMap remains", says(
		"NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances",
		"NamespaceDeletionContentFailure False ContentDeleted: All content successfully deleted, may be waiting on finalization",
		"NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources successfully discovered",
		"NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube types successfully parsed",
		"NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
	))
	patch(maps + "/held")
	eventually(t, "the namespace goes", func() bool { return c.code(t, "/api/v1/namespaces/shop") == 404 })
}
