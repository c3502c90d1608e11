package app_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kubarium/app"
	"kubarium/app/program/programtest"
)

// mustHold runs kubarium apitest until the test ends, and returns where its requests go.
func mustHold(t testing.TB, args ...string) (url string, end func()) {
	t.Helper()
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- app.Main(append([]string{"apitest", "--until-eof"}, args...), in, out, &errs)
		out.Close()
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "kubarium: apitest ")
	if err != nil || !ok {
		t.Fatalf("%q %v %s", line, err, errs.String())
	}
	ended := false
	end = func() {
		if ended {
			return
		}
		ended = true
		stdin.Close()
		if c := <-code; c != 0 || errs.Len() > 0 {
			t.Errorf("exit code %d: %s", c, errs.String())
		}
	}
	t.Cleanup(end)
	return url, end
}

type heldUser struct{ Name, ClientCertificate, ClientKey string }

type heldServer struct {
	ID, URL, CA, Privileged string
	User                    heldUser
}

func mustMake(t testing.TB, url, body string) (s heldServer) {
	t.Helper()
	if err := json.Unmarshal([]byte(programtest.MustCall(t, 200, "POST", url+"/servers", programtest.JSONType, body)), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// as is a client of the server's HTTPS.
func (s heldServer) as(t *testing.T, u heldUser) *http.Client {
	t.Helper()
	pair, err := tls.X509KeyPair([]byte(u.ClientCertificate), []byte(u.ClientKey))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(s.CA)) {
		t.Fatal("no certificate")
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}}}
}

// The contract of docs/apitest.md: servers are made, used, listed and ended by HTTP requests.
func TestAPITest(t *testing.T) {
	url, end := mustHold(t)
	one, two := mustMake(t, url, ``), mustMake(t, url, `{"args":["--authorization-mode=AlwaysAllow"]}`)
	if one.ID == two.ID || one.URL == two.URL {
		t.Errorf("%+v %+v", one, two)
	}
	var alice heldUser
	if err := json.Unmarshal([]byte(programtest.MustCall(t, 200, "POST", url+"/servers/"+one.ID+"/users", programtest.JSONType, `{"name":"alice","groups":["dev"]}`)), &alice); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*http.Client{"200": one.as(t, one.User), "403": one.as(t, alice)} {
		resp, err := c.Get(one.URL + "/api/v1/nodes")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if !strings.HasPrefix(resp.Status, name) {
			t.Errorf("%s, want %s", resp.Status, name)
		}
	}
	list := programtest.MustCall(t, 200, "GET", url+"/servers", "", "")
	if !strings.Contains(list, one.URL) || !strings.Contains(list, two.Privileged) || strings.Contains(list, "PRIVATE KEY") {
		t.Error(list)
	}
	programtest.MustCall(t, 204, "DELETE", url+"/servers/"+one.ID, "", "")
	programtest.MustCall(t, 404, "DELETE", url+"/servers/"+one.ID, "", "")
	if resp, err := http.Get(one.Privileged + "/readyz"); err == nil {
		t.Errorf("a server that has ended answers %s", resp.Status)
	}
	programtest.MustCall(t, 200, "GET", two.Privileged+"/readyz", "", "")
	end()
	if resp, err := http.Get(two.Privileged + "/readyz"); err == nil {
		t.Errorf("a server of a process that has ended answers %s", resp.Status)
	}
}

// What is asked wrongly is told in one line, and no server is left behind.
func TestAPITest_Errors(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	url, end := mustHold(t)
	for _, c := range []struct {
		method, path, body, want string
		code                     int
	}{
		{"POST", "/servers", `{`, "the body must be", 400}, {"POST", "/servers", `{"arg":[]}`, "unknown field", 400}, {"POST", "/servers", `{"args":["--none"]}`, "unknown flag", 400},
		{"POST", "/servers", `{"args":["--db","x"]}`, "--db cannot be set", 400}, {"POST", "/servers", `{"args":["--history=0s"]}`, "--history", 400},
		{"POST", "/servers", `{"definitions":["kind: Pod"]}`, "definition 1 is not", 400}, {"POST", "/servers", `{"definitions":["{"]}`, "definition 1", 400},
		{"POST", "/servers", `{"definitions":["{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a}}"]}`, "define a: ", 400},
		{"POST", "/servers/7/users", `{"name":"a"}`, `no such server: "7"`, 404}, {"DELETE", "/servers/x", ``, `no such server: "x"`, 404},
		{"PUT", "/servers", ``, "Method Not Allowed", 405}, {"GET", "/none", ``, "404 page not found", 404},
	} {
		if got := programtest.MustCall(t, c.code, c.method, url+c.path, programtest.JSONType, c.body); !strings.Contains(got, c.want) || strings.Count(got, "\n") != 1 {
			t.Errorf("%s %s %s: %q", c.method, c.path, c.body, got)
		}
	}
	s := mustMake(t, url, "{}")
	if got := programtest.MustCall(t, 400, "POST", url+"/servers/"+s.ID+"/users", programtest.JSONType, `{"groups":["a"]}`); !strings.Contains(got, "has a name") {
		t.Error(got)
	}
	if list := programtest.MustCall(t, 200, "GET", url+"/servers", "", ""); strings.Count(list, `"id"`) != 1 {
		t.Error(list)
	}
	end()
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	for _, args := range [][]string{{"--listen", "0.0.0.0:0"}, {"--listen", "x"}, {"--feature-gates", "None=true"}, {"x"}} {
		if code, _, errs := run(append([]string{"apitest"}, args...)...); code != 2 || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: %d %q", args, code, errs)
		}
	}
}

// What begins as a copy of another server's start is a cluster of its own: its uids, its CA, its address.
func TestAPITest_Template(t *testing.T) {
	url, _ := mustHold(t)
	seen := map[string]string{}
	for range 3 {
		s := mustMake(t, url, `{}`)
		var auth struct{ Data map[string]string }
		var slice struct {
			Ports []struct{ Port int }
		}
		get := func(path string, into any) {
			if err := json.Unmarshal([]byte(programtest.MustCall(t, 200, "GET", s.Privileged+path, "", "")), into); err != nil {
				t.Fatal(err)
			}
		}
		const trust = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"
		programtest.Eventually(t, trust, func() bool { code, _ := programtest.Call(t, "GET", s.Privileged+trust, "", ""); return code == 200 })
		get(trust, &auth)
		if auth.Data["client-ca-file"] != s.CA {
			t.Error("the CA of another server is told")
		}
		get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes", &slice)
		if !strings.HasSuffix(s.URL, fmt.Sprintf(":%d", slice.Ports[0].Port)) {
			t.Errorf("%s is told as %+v", s.URL, slice)
		}
		for _, path := range []string{"/api/v1/namespaces/kube-system", "/apis/rbac.authorization.k8s.io/v1/clusterroles/view", "/api/v1/namespaces/default/services/kubernetes"} {
			var o struct{ Metadata struct{ UID string } }
			get(path, &o)
			if before := seen[o.Metadata.UID]; before != "" || o.Metadata.UID == "" {
				t.Errorf("%s has the uid %q of %s", path, o.Metadata.UID, before)
			}
			seen[o.Metadata.UID] = path
		}
	}
}

// A process that ends while servers start leaves nothing behind, and says nothing.
func TestAPITest_EndsEarly(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	url, end := mustHold(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if resp, err := http.Post(url+"/servers", programtest.JSONType, strings.NewReader("{}")); err == nil {
				resp.Body.Close()
			}
		})
	}
	programtest.Eventually(t, "a server starts", func() bool {
		starting, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "kubarium-apitest-*", "*", "*.db"))
		return err != nil || len(starting) > 0
	})
	end()
	all.Wait()
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A page in a browser can neither make servers nor end them.
func TestAPITest_Foreign(t *testing.T) {
	url, _ := mustHold(t)
	for name, value := range map[string]string{"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "cross-site", "Host": "evil.example.com"} {
		req, err := http.NewRequest("POST", url+"/servers", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
}

// BenchmarkAPITest_Start makes servers one after the other, all but the first from the template, and leaves them running.
func BenchmarkAPITest_Start(b *testing.B) {
	url, _ := mustHold(b)
	mustMake(b, url, "{}")
	for b.Loop() {
		mustMake(b, url, "{}")
	}
}
