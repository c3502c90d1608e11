package program_test

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
)

// The roles that are written before the port answers, where RBAC decides, are those that are else made over HTTP; and a start on a
// database that has them writes none again.
func TestProgram_seededRoles(t *testing.T) {
	overHTTP := programtest.MustStart(t, "normal")
	c := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: 5 * time.Minute, Sync: "off", Modes: []string{"RBAC"}}
	seeded, err := program.Start(t.Context(), c, programtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	roles := func(p *program.Program, resource string) map[string]any {
		return withoutTimes(t, programtest.MustCall(t, 200, "GET", p.URL+"/apis/rbac.authorization.k8s.io/v1/"+resource, "", ""))
	}
	resources := []string{"clusterroles", "clusterrolebindings", "roles", "rolebindings"}
	before := map[string]map[string]any{}
	for _, resource := range resources {
		before[resource] = roles(seeded, resource)
		if want := roles(overHTTP, resource); len(want) < 5 || !reflect.DeepEqual(before[resource], want) {
			t.Errorf("%s: %d are not the %d made over HTTP", resource, len(before[resource]), len(want))
		}
	}
	programtest.AwaitBootstrap(t, seeded)
	flows, _ := seeded.Log.Since(0, 0)
	for _, f := range flows {
		if strings.Contains(f.Path, "rbac.authorization.k8s.io") && f.Method != "GET" {
			t.Errorf("%s %s after the roles were there", f.Method, f.Path)
		}
	}
	programtest.MustCall(t, 200, "DELETE", seeded.URL+"/apis/rbac.authorization.k8s.io/v1/clusterroles/view", "", "")
	if err := seeded.Close(); err != nil {
		t.Fatal(err)
	}
	again := programtest.MustStartConfig(t, c)
	for _, resource := range resources {
		if !reflect.DeepEqual(roles(again, resource), before[resource]) {
			t.Errorf("%s are others after a start", resource)
		}
	}
}

// withoutTimes are the items of a list by their names, without what differs from one making to the next.
func withoutTimes(t *testing.T, text string) map[string]any {
	t.Helper()
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	for _, item := range list.Items {
		m := item["metadata"].(map[string]any)
		for _, key := range []string{"uid", "resourceVersion", "creationTimestamp"} {
			delete(m, key)
		}
		for _, entry := range m["managedFields"].([]any) {
			delete(entry.(map[string]any), "time")
		}
		namespace, _ := m["namespace"].(string)
		all[namespace+"/"+m["name"].(string)] = item
	}
	return all
}
