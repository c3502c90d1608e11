package app

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/yaml"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/authz"
)

// The roles that a run proves allow the same run again under RBAC, and nothing else; what was granted beyond them is named.
func TestRole(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", Sync: "off", History: time.Minute}
	c.Modes = authz.Modes{authz.ModeRBAC}
	p := programtest.MustStartConfig(t, c)
	const maps, rbac = "/api/v1/namespaces/default/configmaps", "/apis/rbac.authorization.k8s.io/v1"
	ask := func(method, path, body, user string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, p.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User-Agent", "keeper/v1")
		req.Header.Set("Content-Type", "application/json")
		if strings.Contains(path, "force=true") {
			req.Header.Set("Content-Type", "application/apply-patch+yaml")
		}
		if user != "" {
			req.Header.Set("Impersonate-User", user)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode
	}
	run := func(user string) (codes []int) {
		for _, r := range []struct{ method, path, body string }{
			{"POST", maps, `{"metadata":{"name":"a"}}`}, {"GET", maps + "/a", ""},
			{"PATCH", maps + "/b?fieldManager=k&force=true", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}"},
			{"GET", "/api/v1/nodes", ""}, {"DELETE", maps + "/a", ""}, {"DELETE", maps + "/b", ""},
		} {
			codes = append(codes, ask(r.method, r.path, r.body, user))
		}
		return codes
	}
	want := run("")
	dir := t.TempDir()
	file, granted := filepath.Join(dir, "run.jsonl"), filepath.Join(dir, "role.yaml")
	resp, err := http.Get(p.URL + "/debug/flows?limit=10000")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || os.WriteFile(file, text, 0o600) != nil || os.WriteFile(granted, []byte("kind: ClusterRole\n"+
		"rules: [{apiGroups: [''], resources: [configmaps, secrets], verbs: [get, watch]}]\n"), 0o600) != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := Main([]string{"role", file, "--client", "ua:keeper", "--granted", granted}, nil, &out, &errs); code != 0 {
		t.Fatal(code, errs.String())
	}
	if !strings.HasSuffix(out.String(), "used by no request: 2\n#   get, watch of secrets\n#   watch of configmaps\n") {
		t.Errorf("%s", out.String())
	}

	if codes := run("keeper"); codes[0] != http.StatusForbidden {
		t.Fatalf("without roles: %v", codes)
	}
	const subject = `"subjects":[{"kind":"User","name":"keeper","apiGroup":"rbac.authorization.k8s.io"}]`
	for document := range strings.SplitSeq(out.String(), "---\n") {
		o, err := yaml.ToJSON([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		in, kind := "", "ClusterRole"
		if strings.Contains(document, "kind: Role\n") {
			in, kind = "/namespaces/default", "Role"
		}
		binding := `{"metadata":{"name":"proven"},"roleRef":{"kind":"` + kind + `","name":"proven","apiGroup":"rbac.authorization.k8s.io"},` + subject + `}`
		if a, b := ask("POST", rbac+in+"/"+strings.ToLower(kind)+"s", string(o), ""), ask("POST", rbac+in+"/"+strings.ToLower(kind)+"bindings", binding, ""); a != 201 || b != 201 {
			t.Fatalf("%s: %d %d", kind, a, b)
		}
	}
	programtest.Eventually(t, "both bindings have effect", func() bool {
		return ask("GET", "/api/v1/nodes", "", "keeper") == 200 && ask("GET", maps+"/a", "", "keeper") == 404
	})
	got := run("keeper")
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("request %d: %d, and %d before", i, got[i], want[i])
		}
	}
	if code := ask("GET", "/api/v1/secrets", "", "keeper"); code != http.StatusForbidden {
		t.Errorf("secrets are listed: %d", code)
	}
}

// A run that cannot be read, and one in which nobody asked, gives one line.
func TestRole_Refused(t *testing.T) {
	dir := t.TempDir()
	empty, text := filepath.Join(dir, "empty.jsonl"), filepath.Join(dir, "text.yaml")
	if os.WriteFile(empty, []byte(`{"seq":1,"method":"GET","path":"/version"}`+"\n"), 0o600) != nil || os.WriteFile(text, []byte("kind: ConfigMap\n"), 0o600) != nil {
		t.Fatal("no files")
	}
	for says, args := range map[string][]string{
		"no such file":      {filepath.Join(dir, "none")},
		"--client: ":        {empty, "--client", "nothing:x"},
		"has no Role and":   {empty, "--granted", text},
		"no request of the": {empty},
	} {
		var out, errs bytes.Buffer
		code := Main(append([]string{"role"}, args...), nil, &out, &errs)
		if code == 0 || !strings.Contains(errs.String(), says) || strings.Count(errs.String(), "\n") != 1 || out.Len() > 0 {
			t.Errorf("%v: %d %q %q", args, code, errs.String(), out.String())
		}
	}
}
