package program_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/server/options"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/server/authz"
)

// mustAudit starts a Kubarium with that policy, for users known by their tokens, and returns what reads the events of a request
// by its Audit-Id. They are there when the request is answered, but for its last.
func mustAudit(t *testing.T) (p *program.Program, events func(id string) []auditv1.Event) {
	t.Helper()
	dir := t.TempDir()
	o := options.NewAuditOptions()
	o.PolicyFile, o.LogOptions.Path = filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "log")
	programtest.WriteFile(t, o.PolicyFile, programtest.AuditPolicy)
	tokens := filepath.Join(dir, "tokens")
	programtest.WriteFile(t, tokens, "a,alice,u1,\"system:masters\"\nb,bob,u2\n")
	p = programtest.MustStartConfig(t, program.Config{
		Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Modes: authz.Modes{authz.ModeRBAC},
		Authn: program.Authentication{TokenFile: tokens}, Audit: program.Audit{AuditOptions: o},
	})
	return p, func(id string) (found []auditv1.Event) {
		t.Helper()
		f, err := os.Open(o.LogOptions.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for lines := bufio.NewReader(f); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return found
			}
			var e auditv1.Event
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if string(e.AuditID) == id {
				found = append(found, e)
			}
		}
	}
}

// brief is all of an event that a line can tell: stage, verb, who, code, message, and the JSON of what went in and out.
func brief(e auditv1.Event) string {
	s := fmt.Sprintf("%s %s %s", e.Stage, e.Verb, e.User.Username)
	if e.ImpersonatedUser != nil {
		s += " as " + e.ImpersonatedUser.Username
	}
	if e.ObjectRef != nil {
		s += " " + e.ObjectRef.Resource + "/" + e.ObjectRef.Name
	}
	if e.ResponseStatus != nil {
		s += fmt.Sprintf(" %d %s", e.ResponseStatus.Code, e.ResponseStatus.Message)
	}
	if e.RequestObject != nil {
		s += " in " + string(e.RequestObject.Raw)
	}
	if e.ResponseObject != nil {
		s += " out " + string(e.ResponseObject.Raw)
	}
	return s
}

// Each request that the policy names is in the audit log, once for each stage, with what its level asks for. What
// begins with "!" must not be in it.
func TestAudit(t *testing.T) {
	p, events := mustAudit(t)
	const core = "/api/v1/namespaces/default/"
	for i, c := range []struct {
		token, method, path, contentType, body string
		header                                 string
		code                                   int
		want                                   []string // of each event, what it has, parted by " … "
	}{
		{"a", "POST", core + "configmaps", programtest.JSONType, `{"metadata":{"name":"c"},"data":{"k":"v"}}`, "", 201, []string{
			"RequestReceived create alice configmaps/",
			`ResponseComplete create alice configmaps/c 201  in {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c"},"data":{"k":"v"}} out {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","namespace":"default","uid":" … !managedFields`}},
		{"a", "PATCH", core + "configmaps/c", programtest.MergeType, `{"data":{"k":null}}`, "", 200, []string{"RequestReceived", `ResponseComplete patch alice configmaps/c 200  in {"data":{"k":null}} out {"kind":"ConfigMap" … !"k":"v"`}},
		{"a", "PATCH", core + "configmaps/d?fieldManager=m", "application/apply-patch+yaml", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: d}", "", 201, []string{
			"RequestReceived", `ResponseComplete patch alice configmaps/d 201  in {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d"}} out {`}},
		{"a", "GET", core + "configmaps?limit=1", "", "", "", 200, []string{"RequestReceived list alice configmaps/", `ResponseComplete list alice configmaps/ 200  out {"kind":"ConfigMapList","apiVersion":"v1","metadata":{`}},
		{"a", "GET", core + "configmaps/c", "", "", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io", 200, []string{"RequestReceived", `out {"kind":"Table","apiVersion":"meta.k8s.io/v1"`}},
		{"a", "GET", core + "configmaps/none", "", "", "", 404, []string{"RequestReceived", `404 configmaps "none" not found out {"kind":"Status"`}},
		{"a", "DELETE", core + "configmaps/c", programtest.JSONType, `{"propagationPolicy":"Background"}`, "", 200, []string{
			"RequestReceived", `ResponseComplete delete alice configmaps/c 200  in {"kind":"DeleteOptions","apiVersion":"meta.k8s.io/__internal","propagationPolicy":"Background"} out {"kind":"Status"`}},
		{"a", "POST", core + "configmaps", programtest.JSONType, `{"metadata":`, "", 400, []string{"RequestReceived", "ResponseComplete create alice configmaps/ 400  … !in {"}},
		{"a", "GET", core + "configmaps?watch=1&timeoutSeconds=1", "", "", "", 200, []string{"RequestReceived watch", "ResponseStarted watch alice configmaps/ 200", "ResponseComplete watch alice configmaps/ 200"}},
		{"a", "POST", core + "secrets", programtest.JSONType, `{"metadata":{"name":"s"}}`, "", 201, []string{"RequestReceived", `ResponseComplete create alice secrets/s 201  in {"kind":"Secret" … !out {`}},
		{"a", "POST", core + "services", programtest.JSONType, `{"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}}`, "", 201, []string{"ResponseComplete create alice services/s 201 … !in {"}},
		{"a", "GET", "/version", "", "", "", 200, nil},
		{"a", "GET", "/nosuch", "", "", "", 404, []string{"RequestReceived get alice", "ResponseComplete get alice 404"}},
		{"a", "GET", core + "pods", "", "", "Impersonate-User: carol", 403, []string{"RequestReceived list alice pods/", `ResponseComplete list alice as carol pods/ 403 pods is forbidden: User "carol"`}},
		{"b", "GET", core + "pods", "", "", "Impersonate-User: carol", 403, []string{"RequestReceived list bob pods/", `ResponseComplete list bob pods/ 403 pods is forbidden: User "bob" cannot impersonate-on:user-info:list`}},
		{"b", "GET", core + "pods", "", "", "", 403, []string{"RequestReceived list bob pods/", `ResponseComplete list bob pods/ 403 pods is forbidden: User "bob"`}},
		{"x", "GET", core + "pods", "", "", "", 401, []string{"ResponseStarted list  pods/ 401 Unauthorized"}},
		{"a", "GET", core + "pods?timeout=soon", "", "", "", 400, []string{"ResponseStarted list  pods/ 400 invalid timeout specified in the request URL"}},
		{"", "GET", core + "pods", "", "", "", 200, []string{"RequestReceived list system:admin pods/", "ResponseComplete list system:admin pods/ 200"}},
	} {
		r, err := http.NewRequest(c.method, p.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprint("request-", i)
		r.Header.Set("Audit-Id", id)
		if c.token != "" {
			r.Header.Set("Authorization", "Bearer "+c.token)
		}
		if c.contentType != "" {
			r.Header.Set("Content-Type", c.contentType)
		}
		if name, value, ok := strings.Cut(c.header, ": "); ok {
			r.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != c.code || resp.Header.Get("Audit-Id") != id {
			t.Errorf("%s %s: %d, Audit-Id %q", c.method, c.path, resp.StatusCode, resp.Header.Get("Audit-Id"))
		}
		var got []string
		programtest.Eventually(t, fmt.Sprintf("the events of %s %s", c.method, c.path), func() bool {
			got = nil
			for _, e := range events(id) {
				got = append(got, brief(e))
			}
			return len(got) >= len(c.want)
		})
		if len(got) != len(c.want) {
			t.Errorf("%s %s: %d events: %q", c.method, c.path, len(got), got)
			continue
		}
		for n, want := range c.want {
			for part := range strings.SplitSeq(want, " … ") {
				none, isNone := strings.CutPrefix(part, "!")
				if strings.Contains(got[n], none) == isNone {
					t.Errorf("%s %s: event %s; want %s", c.method, c.path, got[n], part)
				}
			}
		}
	}
}

// What plugins and the authorizer say of a request is in its event, and what plugins say is on its flow, audited or not.
func TestAudit_annotations(t *testing.T) {
	p, events := mustAudit(t)
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces", programtest.JSONType, `{"metadata":{"name":"ps","labels":{"pod-security.kubernetes.io/audit":"baseline"}}}`)
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/ps/serviceaccounts", programtest.JSONType, `{"metadata":{"name":"default"}}`)
	const breaks = "pod-security.kubernetes.io/audit-violations"
	create := func(p *program.Program) http.Header {
		t.Helper()
		resp, err := http.Post(p.URL+"/api/v1/namespaces/ps/pods", programtest.JSONType,
			strings.NewReader(`{"metadata":{"name":"a"},"spec":{"hostNetwork":true,"containers":[{"name":"c","image":"i"}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 201 {
			t.Fatal(resp.Status)
		}
		return resp.Header
	}
	id := create(p).Get("Audit-Id")
	var all []auditv1.Event
	programtest.Eventually(t, "the events", func() bool { all = events(id); return len(all) == 2 })
	last := all[1].Annotations
	if last["authorization.k8s.io/decision"] != "allow" || !strings.Contains(last[breaks], "host namespaces (hostNetwork=true)") {
		t.Errorf("annotations %v", last)
	}
	plain, _ := mustGuard(t)
	programtest.MustCall(t, 201, "POST", plain.URL+"/api/v1/namespaces", programtest.JSONType, `{"metadata":{"name":"ps","labels":{"pod-security.kubernetes.io/audit":"baseline"}}}`)
	programtest.Eventually(t, "the account", func() bool {
		code, _ := programtest.Call(t, "GET", plain.URL+"/api/v1/namespaces/ps/serviceaccounts/default", "", "")
		return code == 200
	})
	create(plain)
	for _, p := range []*program.Program{p, plain} {
		var got *flow.Flow
		programtest.Eventually(t, "the flow", func() bool {
			flows, _ := p.Log.Since(0, 0)
			i := slices.IndexFunc(flows, func(f *flow.Flow) bool { return f.Method == "POST" && strings.HasSuffix(f.Path, "/ps/pods") })
			if i >= 0 {
				got = flows[i]
			}
			return got != nil
		})
		if !strings.Contains(got.Annotations[breaks], "hostNetwork=true") {
			t.Errorf("the flow says %v", got.Annotations)
		}
	}
}
