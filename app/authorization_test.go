package app_test

import (
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/authz"
)

// In mode RBAC reviews are answered by the roles and bindings that are stored, those of the start and later ones, and those that
// are taken away count no more.
func TestAuthorizationMode(t *testing.T) {
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Modes: authz.Modes{authz.ModeRBAC}})
	const (
		rbac    = "/apis/rbac.authorization.k8s.io/v1"
		reviews = "/apis/authorization.k8s.io/v1"
		mayJoe  = `{"spec":{"user":"joe","resourceAttributes":{"verb":"get","resource":"pods","namespace":"default"}}}`
	)
	// await asks until the authorizer has heard of a change.
	await := func(path, review, want string) {
		t.Helper()
		var got string
		for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
			if got = programtest.MustCall(t, 201, "POST", p.URL+reviews+path, programtest.JSONType, review); strings.Contains(got, want) {
				return
			}
		}
		t.Fatalf("%s %s: %s; want %s", path, review, got, want)
	}
	await("/subjectaccessreviews", `{"spec":{"user":"system:kube-scheduler","resourceAttributes":{"verb":"create","resource":"pods","subresource":"binding"}}}`,
		`"status":{"allowed":true,"reason":"RBAC: allowed by ClusterRoleBinding \"system:kube-scheduler\" of ClusterRole \"system:kube-scheduler\" to User \"system:kube-scheduler\""}`)
	await("/subjectaccessreviews", mayJoe, `"status":{"allowed":false}`)
	await("/selfsubjectaccessreviews", `{"spec":{"resourceAttributes":{"verb":"*","resource":"*"}}}`, `"status":{"allowed":true}`)
	await("/selfsubjectrulesreviews", `{"spec":{"namespace":"default"}}`, `"resources":["selfsubjectreviews"]`)

	programtest.MustCall(t, 201, "POST", p.URL+rbac+"/clusterroles", programtest.JSONType, `{"metadata":{"name":"pods"},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}`)
	programtest.MustCall(t, 201, "POST", p.URL+rbac+"/namespaces/default/rolebindings", programtest.JSONType,
		`{"metadata":{"name":"joe"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"pods"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"joe"}]}`)
	await("/subjectaccessreviews", mayJoe, `"status":{"allowed":true,"reason":"RBAC: allowed by RoleBinding \"joe/default\" of ClusterRole \"pods\" to User \"joe\""}`)
	local := strings.Replace(mayJoe, `"spec"`, `"metadata":{"namespace":"default"},"spec"`, 1)
	await("/namespaces/default/localsubjectaccessreviews", local, `"allowed":true`)
	programtest.MustCall(t, 200, "DELETE", p.URL+rbac+"/clusterroles/pods", "", "")
	await("/subjectaccessreviews", mayJoe, `"status":{"allowed":false,"reason":"rbac: RBAC: clusterrole.rbac.authorization.k8s.io \"pods\" not found"}`)
}

// Where the UI starts the server, roles decide unless the flag says otherwise; who asks without credentials may do everything.
func TestAuthorizationMode_UI(t *testing.T) {
	sessionFolder(t)
	const mayJoe = `{"spec":{"user":"joe","resourceAttributes":{"verb":"get","resource":"pods","namespace":"default"}}}`
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{nil, `"allowed":false`},
		{[]string{"--authorization-mode", "AlwaysAllow"}, `"allowed":true`},
	} {
		ui := startPlain(t, append([]string{"--db", ":memory:", "--listen", "127.0.0.1:0"}, c.flags...)...)
		ui.await(" Type help")
		_, url, _ := strings.Cut(ui.text(), "Kubarium serves ")
		url, _, _ = strings.Cut(url, ". ")
		if got := programtest.MustCall(t, 201, "POST", url+"/apis/authorization.k8s.io/v1/subjectaccessreviews", "application/json", mayJoe); !strings.Contains(got, c.want) {
			t.Errorf("%q: %s", c.flags, got)
		}
		ui.leave()
	}
}
