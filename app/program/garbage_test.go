package program_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/controllers"
)

// mustOwned creates a ConfigMap with owners, and returns its uid.
func mustOwned(t testing.TB, ns, name, finalizer string, owners ...string) string {
	t.Helper()
	finalizers := "[]"
	if finalizer != "" {
		finalizers = `["` + finalizer + `"]`
	}
	text := programtest.MustCall(t, 201, "POST", ns+"/configmaps", programtest.JSONType, fmt.Sprintf(
		`{"metadata":{"name":%q,"finalizers":%s,"ownerReferences":[%s]}}`, name, finalizers, strings.Join(owners, ",")))
	var cm struct{ Metadata struct{ UID string } }
	if err := json.Unmarshal([]byte(text), &cm); err != nil {
		t.Fatal(err)
	}
	return cm.Metadata.UID
}

// ref is an owner reference to a ConfigMap.
func ref(name, uid string, blocks bool) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","name":%q,"uid":%q,"blockOwnerDeletion":%v}`, name, uid, blocks)
}

func gone(t testing.TB, url string) func() bool {
	return func() bool {
		code, _ := programtest.Call(t, "GET", url, "", "")
		return code == 404
	}
}

func mustGarden(t testing.TB, run controllers.List) string {
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Controllers: run})
	return p.URL + "/api/v1/namespaces/default"
}

// Dependents follow their owner, and theirs follow them; what has another owner that stays only loses the reference.
func TestGarbage_background(t *testing.T) {
	ns := mustGarden(t, controllers.All())
	stays := mustOwned(t, ns, "stays", "")
	root := mustOwned(t, ns, "root", "")
	for i := range 5 {
		child := mustOwned(t, ns, fmt.Sprintf("child%d", i), "", ref("root", root, true))
		for j := range 5 {
			mustOwned(t, ns, fmt.Sprintf("leaf%d-%d", i, j), "", ref(fmt.Sprintf("child%d", i), child, false))
		}
	}
	mustOwned(t, ns, "shared", "", ref("root", root, false), ref("stays", stays, false))
	programtest.MustCall(t, 200, "DELETE", ns+"/configmaps/root", "", "")
	programtest.Eventually(t, "the cascade", func() bool {
		text := programtest.MustCall(t, 200, "GET", ns+"/configmaps", "", "")
		return !strings.Contains(text, `"child`) && !strings.Contains(text, `"leaf`)
	})
	programtest.Eventually(t, "the lost reference", func() bool {
		text := programtest.MustCall(t, 200, "GET", ns+"/configmaps/shared", "", "")
		return !strings.Contains(text, root) && strings.Contains(text, stays)
	})
}

// In the foreground the owner waits for the dependents that block it, and goes last.
func TestGarbage_foreground(t *testing.T) {
	ns := mustGarden(t, controllers.All())
	root := mustOwned(t, ns, "root", "")
	mustOwned(t, ns, "held", "example.com/hold", ref("root", root, true))
	mustOwned(t, ns, "free", "", ref("root", root, false))
	programtest.MustCall(t, 200, "DELETE", ns+"/configmaps/root?propagationPolicy=Foreground", "", "")
	programtest.Eventually(t, "the free dependent", gone(t, ns+"/configmaps/free"))
	if text := programtest.MustCall(t, 200, "GET", ns+"/configmaps/root", "", ""); !strings.Contains(text, "foregroundDeletion") {
		t.Fatal(text)
	}
	programtest.MustCall(t, 200, "PATCH", ns+"/configmaps/held", programtest.MergeType, `{"metadata":{"finalizers":null}}`)
	programtest.Eventually(t, "the owner", gone(t, ns+"/configmaps/root"))
}

// Orphans stay and lose their owner.
func TestGarbage_orphan(t *testing.T) {
	ns := mustGarden(t, controllers.All())
	root := mustOwned(t, ns, "root", "")
	mustOwned(t, ns, "child", "", ref("root", root, true))
	programtest.MustCall(t, 200, "DELETE", ns+"/configmaps/root?propagationPolicy=Orphan", "", "")
	programtest.Eventually(t, "the owner", gone(t, ns+"/configmaps/root"))
	if text := programtest.MustCall(t, 200, "GET", ns+"/configmaps/child", "", ""); strings.Contains(text, "ownerReferences") {
		t.Fatal(text)
	}
}

// An owner that never was, or whose uid is another's, is no owner; one in another namespace is not found in this one.
func TestGarbage_absentOwner(t *testing.T) {
	ns := mustGarden(t, controllers.All())
	mustOwned(t, ns, "never", "", ref("nobody", "11111111-2222-3333-4444-555555555555", false))
	programtest.Eventually(t, "the dependent of nobody", gone(t, ns+"/configmaps/never"))
	mustOwned(t, ns, "root", "")
	mustOwned(t, ns, "stranger", "", ref("root", "11111111-2222-3333-4444-555555555555", false))
	programtest.Eventually(t, "the dependent of another uid", gone(t, ns+"/configmaps/stranger"))
	other := strings.Replace(ns, "default", "kube-public", 1)
	elsewhere := mustOwned(t, other, "elsewhere", "")
	mustOwned(t, ns, "crossing", "", ref("elsewhere", elsewhere, false))
	programtest.Eventually(t, "the dependent of another namespace", gone(t, ns+"/configmaps/crossing"))
	programtest.MustCall(t, 200, "GET", other+"/configmaps/elsewhere", "", "")
}

// Without controllers nobody collects.
func TestGarbage_off(t *testing.T) {
	ns := mustGarden(t, controllers.List{})
	mustOwned(t, ns, "never", "", ref("nobody", "11111111-2222-3333-4444-555555555555", false))
	mustOwned(t, ns, "root", "")
	programtest.MustCall(t, 200, "DELETE", ns+"/configmaps/root?propagationPolicy=Orphan", "", "")
	for _, name := range []string{"never", "root"} {
		programtest.MustCall(t, 200, "GET", ns+"/configmaps/"+name, "", "")
	}
}
