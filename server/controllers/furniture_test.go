package controllers_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	clusterRolesPath = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
	flowSchemasPath  = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
	networkingPath   = "/apis/networking.k8s.io/v1"
)

// furniture is how many objects each collection is to have.
func furniture(t *testing.T) map[string]int {
	t.Helper()
	want := map[string]int{}
	err := filepath.WalkDir("furniture", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		collection := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), "furniture"), ".jsonl")
		want[collection] = bytes.Count(text, []byte("\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func (c cluster) list(t *testing.T, path string) metav1.PartialObjectMetadataList {
	t.Helper()
	var list metav1.PartialObjectMetadataList
	c.mustGet(t, path, &list)
	return list
}

// A new cluster has what kube-apiserver would have created, and a second start adds nothing to it.
func TestRun_Furniture(t *testing.T) {
	db := filepath.Join(t.TempDir(), "kubarium.db")
	c := mustStartOn(t, db)
	want := furniture(t)
	if want[clusterRolesPath] < 70 {
		t.Fatalf("%d ClusterRoles to be seeded", want[clusterRolesPath])
	}
	for path, n := range want {
		eventually(t, path, func() bool { return len(c.list(t, path).Items) == n })
	}
	eventually(t, "controllers are done", func() bool { return c.roleRules(t, "admin") > 0 && c.dangling(t) == 0 && c.ready(t) })
	eventually(t, "quiet", func() bool { return c.quiet(t) })
	c.close()

	c = mustStartOn(t, db)
	if !c.quiet(t) {
		t.Error("a second start changes something")
	}
}

// quiet tells whether nothing changes for a while, which is longer than controllers gather changes.
func (c cluster) quiet(t *testing.T) bool {
	t.Helper()
	before := c.list(t, clusterRolesPath).ResourceVersion
	time.Sleep(400 * time.Millisecond)
	return c.list(t, clusterRolesPath).ResourceVersion == before
}

func (c cluster) roleRules(t *testing.T, name string) int {
	t.Helper()
	var role rbacv1.ClusterRole
	c.mustGet(t, clusterRolesPath+"/"+name, &role)
	return len(role.Rules)
}

// dangling counts FlowSchemas that do not tell that their level is there.
func (c cluster) dangling(t *testing.T) int {
	t.Helper()
	var schemas flowcontrolv1.FlowSchemaList
	c.mustGet(t, flowSchemasPath, &schemas)
	n := 0
	for _, s := range schemas.Items {
		if len(s.Status.Conditions) != 1 || s.Status.Conditions[0].Status != flowcontrolv1.ConditionFalse {
			n++
		}
	}
	return n
}

func (c cluster) ready(t *testing.T) bool {
	t.Helper()
	var cidr networkingv1.ServiceCIDR
	c.mustGet(t, networkingPath+"/servicecidrs/kubernetes", &cidr)
	return apimeta.IsStatusConditionTrue(cidr.Status.Conditions, networkingv1.ServiceCIDRConditionReady)
}

// What a ClusterRole aggregates follows the roles that it selects.
func TestRun_Aggregation(t *testing.T) {
	c := mustStart(t)
	c.mustCreate(t, clusterRolesPath, `{"metadata":{"name":"all"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"to":"all"}}]}}`)
	for _, verb := range []string{"get", "list"} {
		c.mustCreate(t, clusterRolesPath, `{"metadata":{"name":"`+verb+`","labels":{"to":"all"}},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["`+verb+`"]}]}`)
	}
	eventually(t, "both rules", func() bool { return c.roleRules(t, "all") == 2 })
	c.call(t, "DELETE", clusterRolesPath+"/get", "")
	eventually(t, "one rule", func() bool { return c.roleRules(t, "all") == 1 })
}

// A FlowSchema whose level is not there says so, until the level is created.
func TestRun_Dangling(t *testing.T) {
	c := mustStart(t)
	eventually(t, "the furniture", func() bool {
		return len(c.list(t, flowSchemasPath).Items) == furniture(t)[flowSchemasPath] && c.dangling(t) == 0
	})
	c.mustCreate(t, flowSchemasPath, `{"metadata":{"name":"mine"},"spec":{"priorityLevelConfiguration":{"name":"mine"},"matchingPrecedence":5000}}`)
	reason := func() string {
		var s flowcontrolv1.FlowSchema
		c.mustGet(t, flowSchemasPath+"/mine", &s)
		if len(s.Status.Conditions) == 0 {
			return ""
		}
		return s.Status.Conditions[0].Reason
	}
	eventually(t, "no level", func() bool { return reason() == "NotFound" })
	c.mustCreate(t, "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
		`{"metadata":{"name":"mine"},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":1,"limitResponse":{"type":"Reject"}}}}`)
	eventually(t, "a level", func() bool { return reason() == "Found" })
}

// A Service's address is an IPAddress as long as the Service lives.
func TestRun_Addresses(t *testing.T) {
	c := mustStart(t)
	eventually(t, "the address of the API server", func() bool { return c.code(t, networkingPath+"/ipaddresses/10.96.0.1") == 200 })
	c.mustCreate(t, "/api/v1/namespaces/default/services", `{"metadata":{"name":"web"},"spec":{"clusterIP":"10.96.7.7","ports":[{"port":80}]}}`)
	eventually(t, "its address", func() bool { return c.code(t, networkingPath+"/ipaddresses/10.96.7.7") == 200 })
	c.call(t, "DELETE", "/api/v1/namespaces/default/services/web", "")
	eventually(t, "its address goes", func() bool { return c.code(t, networkingPath+"/ipaddresses/10.96.7.7") == 404 })
	if code := c.code(t, networkingPath+"/ipaddresses/10.96.0.1"); code != 200 {
		t.Errorf("the API server's address: %d", code)
	}
}
