package glass_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"kubarium/app/glass"
	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/flow/object"
)

// mustStart puts the glass in front of a server.
func mustStart(t *testing.T, c glass.Config) (*glass.Glass, *http.Client) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", "")
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	g, err := glass.Start(t.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g, mustClient(t, g.Kubeconfig)
}

// mustClient is a client by a kubeconfig that unpacks nothing.
func mustClient(t *testing.T, kubeconfig string) *http.Client {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.DisableCompression = true
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func targetOf(url string) glass.Target {
	return glass.Target{Context: "dev", User: "admin", Config: &rest.Config{Host: url}}
}

// ask sends a request, and returns the answer read whole.
func ask(t *testing.T, c *http.Client, method, url, body string, header ...string) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, text
}

const (
	protobuf = "application/vnd.kubernetes.protobuf"
	merge    = "application/merge-patch+json"
	apply    = "application/apply-patch+yaml"
	asTable  = "application/json;as=Table;v=v1;g=meta.k8s.io"
)

// What the glass reads off the wire is what the server itself recorded of the same requests.
func TestGlass_facts(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	g, client := mustStart(t, glass.Config{Target: targetOf(p.URL)})
	cm := g.URL + "/api/v1/namespaces/default/configmaps"
	big := strings.Repeat("x", 200<<10)
	for _, accept := range []string{"application/json", protobuf} {
		name := "a" + fmt.Sprint(len(accept))
		as := []string{"Accept", accept, "Content-Type", "application/json"}
		with := func(contentType string) []string { return []string{"Accept", accept, "Content-Type", contentType} }
		ask(t, client, "POST", cm, `{"metadata":{"name":"`+name+`"},"data":{"k":"1"}}`, as...)
		ask(t, client, "POST", cm, `{"metadata":{"name":"`+name+`"}}`, as...) // 409 AlreadyExists
		_, first := ask(t, client, "GET", cm+"/"+name, "", "Accept", "application/json")
		ask(t, client, "PATCH", cm+"/"+name, `{"data":{"k":"2"}}`, with(merge)...)
		ask(t, client, "PATCH", cm+"/"+name, `{"data":{"k":"2"}}`, with(merge)...) // changes nothing
		ask(t, client, "PUT", cm+"/"+name, string(first), as...)                   // 409 Conflict
		ask(t, client, "PATCH", cm+"/"+name+"?fieldManager=m", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+name+`"},"data":{"k":"3"}}`, with(apply)...)
		ask(t, client, "PATCH", cm+"/"+name+"?fieldManager=m&force=true", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+name+`","finalizers":["a.io/b"]},"data":{"k":"3"}}`, with(apply)...)
		ask(t, client, "PATCH", cm+"/"+name+"?dryRun=All", `{"data":{"k":"4"}}`, with(merge)...)
		ask(t, client, "DELETE", cm+"/"+name, "", as...) // waits for the finalizer
		ask(t, client, "PATCH", cm+"/"+name, `{"metadata":{"finalizers":null}}`, with(merge)...)
		ask(t, client, "POST", cm, `{"metadata":{"name":"big`+name+`"},"data":{"k":"`+big+`"}}`, as...)
		ask(t, client, "GET", cm, "", "Accept", accept, "Accept-Encoding", "gzip")
		ask(t, client, "GET", cm+"?limit=1", "", as...)
		ask(t, client, "GET", cm+"?limit=1", "", "Accept", asTable)
		ask(t, client, "GET", cm+"?resourceVersion=1&resourceVersionMatch=Exact", "", as...) // 410
		ask(t, client, "GET", cm+"/none", "", as...)
		ask(t, client, "GET", g.URL+"/version", "", as...)
		ns := g.URL + "/api/v1/namespaces"
		ask(t, client, "POST", ns, `{"metadata":{"name":"n`+name+`"}}`, as...)
		ask(t, client, "DELETE", ns+"/n"+name, "", as...) // waits for the finalizer in its spec
		ask(t, client, "PUT", ns+"/n"+name+"/finalize", `{"metadata":{"name":"n`+name+`"},"spec":{"finalizers":[]}}`, as...)
	}
	theirs := map[string]*flow.Flow{}
	programtest.Eventually(t, "the server's flows", func() bool {
		flows, _ := p.Log.Since(0, 0)
		for _, f := range flows {
			theirs[f.ResponseHeader.Get("Audit-Id")] = f
		}
		return len(theirs) > 38
	})
	seen, _ := g.Log.Since(0, 0)
	if len(seen) != 42 {
		t.Fatalf("%d requests were seen", len(seen))
	}
	for _, f := range seen {
		want := theirs[f.ResponseHeader.Get("Audit-Id")]
		if want == nil {
			t.Errorf("%s %s: the server has no such request", f.Method, f.Path)
			continue
		}
		if got, want := facts(f), facts(want); got != want {
			t.Errorf("%s %s?%s:\n got %s\nwant %s", f.Method, f.Path, f.Query, got, want)
		}
		if !f.Behind() || len(f.Stations) != 4 || f.Client.User != "admin" {
			t.Errorf("%s %s: stations %v, user %q", f.Method, f.Path, f.Stations, f.Client.User)
		}
		if got := f.RequestHeader.Get("Authorization"); !strings.HasPrefix(got, "Bearer ") || strings.Contains(fmt.Sprint(want.RequestHeader), got) {
			t.Errorf("the key of the run went on to the server, or is not recorded: %q", got)
		}
	}
}

// facts are what both records of a request must have in common.
func facts(f *flow.Flow) string {
	var effects []string
	for _, e := range f.Effects {
		if e.Commit.Type == flow.Deleted { // an answer does not say its revision
			e.Commit.Revision = 0
		}
		effects = append(effects, fmt.Sprintf("%c %d %s/%s/%s %v→%v", e.Commit.Type, e.Commit.Revision, e.Commit.Resource, e.Commit.Namespace, e.Commit.Name, data(e.Before), data(e.After)))
	}
	sent := f.SentRevision
	if f.Method == "PATCH" { // the server notes that of the object that the patch made
		sent = 0
	}
	text := fmt.Sprintf("%v %d %q %q rv %d, sent %d, effects %v", f.Target, f.Status, f.Reason, f.Message, f.Revision, sent, effects)
	if c := f.Conflict; c != nil {
		text += fmt.Sprintf(" conflict %s sent %d stored %d object %v causes %v", c.Kind, c.Sent, c.Stored, data(c.Object), c.Causes)
	}
	if p := f.Page; p != nil {
		text += fmt.Sprintf(" page of %d: %d items, limit %d, %d remain, %q then %q, expired %t", p.Snapshot, p.Items, p.Limit, p.Remaining, p.Token, p.Next, p.Expired)
	}
	if u := f.Unavailable; u != nil {
		text += fmt.Sprintf(" unavailable %+v", *u)
	}
	return text
}

func data(b []byte) any { return object.In(object.Parse(b), "data", "k") }

// Frames of watches have their types, versions and objects, in JSON, in Protobuf and as Tables; what changed is on the
// timeline once, whoever has seen it.
func TestGlass_watch(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	g, client := mustStart(t, glass.Config{Target: targetOf(p.URL)})
	cm := "/api/v1/namespaces/default/configmaps"
	programtest.MustCall(t, 201, "POST", p.URL+cm, programtest.JSONType, `{"metadata":{"name":"before"}}`)
	_, text := ask(t, client, "GET", g.URL+cm, "")
	start := fmt.Sprint(object.Number(object.TextIn(object.Parse(text), "metadata", "resourceVersion")))
	ctx, cancel := context.WithCancel(t.Context())
	for _, accept := range []string{"application/json", protobuf + ";stream=watch", asTable} {
		r, _ := http.NewRequestWithContext(ctx, "GET", g.URL+cm+"?watch=1&resourceVersion="+start, nil)
		r.Header.Set("Accept", accept)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}()
	}
	await := func(n int) {
		programtest.Eventually(t, "frames and commits", func() bool {
			commits, _ := g.Log.Commits(0)
			for _, w := range g.Log.Watches(0) {
				if len(w.Frames()) != n {
					return false
				}
			}
			return len(commits) == n
		})
	}
	programtest.MustCall(t, 201, "POST", p.URL+cm, programtest.JSONType, `{"metadata":{"name":"a"},"data":{"k":"1"}}`)
	await(1) // the timeline waits no longer than a moment for earlier changes
	ask(t, client, "PATCH", g.URL+cm+"/a", `{"data":{"k":"2"}}`, "Content-Type", merge)
	ask(t, client, "DELETE", g.URL+cm+"/a", "")
	await(3)
	for _, w := range g.Log.Watches(0) {
		var got []string
		for i, f := range w.Frames() {
			got = append(got, fmt.Sprint(f.Type, " ", f.Name))
			if f.Revision <= w.Start || i > 0 && f.Revision <= w.Frames()[i-1].Revision || f.Size == 0 {
				t.Errorf("%s: frame %+v", w.Media, f)
			}
		}
		if want := []string{"ADDED a", "MODIFIED a", "DELETED a"}; !slices.Equal(got, want) {
			t.Errorf("%s: %v", w.Media, got)
		}
	}
	commits, _ := g.Log.Commits(0)
	want, _ := p.Log.Commits(0)
	for i, c := range commits {
		own := want[slices.IndexFunc(want, func(w flow.Commit) bool { return w.Revision == c.Revision })]
		if own.Type != c.Type || own.Name != c.Name || own.Namespace != c.Namespace || own.Resource != c.Resource {
			t.Errorf("commit %d is %+v, not %+v", i, c, own)
		}
	}
	cancel()
	programtest.Eventually(t, "the ends of the watches", func() bool {
		flows, _ := g.Log.Since(0, 0)
		n := 0
		for _, f := range flows {
			if f.Phase == flow.WatchClosed {
				n++
			}
		}
		return n == 3
	})
	reach, screen := &http.Client{Transport: g.Reach()}, []string{"User-Agent", flow.UIAgent + "/objects"}
	_, text = ask(t, reach, "GET", g.URL+"/debug/changes?resource=configmaps&namespace=default&name=a", "", screen...)
	var log struct{ Changes []struct{ Type string } }
	if err := json.Unmarshal(text, &log); err != nil || len(log.Changes) != 3 || log.Changes[0].Type != "D" || log.Changes[2].Type != "C" {
		t.Errorf("the changes are %s", text)
	}
	resp, text := ask(t, reach, "GET", g.URL+cm+"/before", "", screen...)
	if resp.StatusCode != 200 || object.TextIn(object.Parse(text), "kind") != "ConfigMap" {
		t.Errorf("an object that was listed: %s", text)
	}
	if resp, _ := ask(t, reach, "GET", g.URL+cm+"/a", "", screen...); resp.StatusCode != 404 {
		t.Errorf("an object that was deleted: %d", resp.StatusCode)
	}
	if resp, _ := ask(t, reach, "DELETE", g.URL+cm+"/before", "", screen...); resp.StatusCode != 403 {
		t.Errorf("the screen may write: %d", resp.StatusCode)
	}
	asked, _ := p.Log.Since(0, 0)
	for _, f := range asked {
		if strings.HasPrefix(f.Client.UserAgent, flow.UIAgent) {
			t.Errorf("the screen asked the server for %s", f.Path)
		}
	}
	if resp, _ := ask(t, reach, "DELETE", g.URL+cm+"/before", "", "User-Agent", flow.ActionAgent); resp.StatusCode != 200 {
		t.Errorf("its reader may not write: %d", resp.StatusCode)
	}
}

// Answers are those without the glass, byte for byte but for the date and the audit id.
func TestGlass_bytes(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	g, client := mustStart(t, glass.Config{Target: targetOf(p.URL)})
	plain := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	for i := range 30 {
		programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/default/configmaps", programtest.JSONType, fmt.Sprintf(`{"metadata":{"name":"c%d"},"data":{"k":%q}}`, i, strings.Repeat("k", 9000)))
	}
	for _, path := range []string{
		"/", "/api", "/apis", "/version", "/healthz", "/livez?verbose", "/openapi/v3", "/openapi/v2", "/none", "/api/v1/namespaces?limit=1", "/api/v1//namespaces",
		"/api/v1/namespaces/default/configmaps", "/api/v1/namespaces/default/configmaps/c1", "/api/v1/namespaces/default/configmaps/c%2F1", "/api/v1/namespaces/%zz",
		"/apis/apps/v1/deployments?labelSelector=a%3Db", "/api/v1/namespaces?resourceVersion=x;y", "/api/v1/namespaces/default/pods/a/log", "/api/v1/namespaces/",
	} {
		for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
			for _, header := range [][]string{nil, {"Accept", protobuf}, {"Accept", asTable}, {"Accept-Encoding", "gzip"}, {"Accept", "text/html", "Origin", "http://a.example"}} {
				if strings.Contains(path, "%zz") {
					continue // net/http does not send it
				}
				want, wantText := ask(t, plain, method, p.URL+path, "", header...)
				got, text := ask(t, client, method, g.URL+path, "", header...)
				for try := 0; try < 10 && !bytes.Equal(unpacked(text), unpacked(wantText)); try++ { // a Table has ages, and a busy machine is slow
					want, wantText = ask(t, plain, method, p.URL+path, "", header...)
					got, text = ask(t, client, method, g.URL+path, "", header...)
				}
				for _, h := range []http.Header{want.Header, got.Header} {
					h.Del("Date")
					h.Del("Audit-Id")
				}
				if got.StatusCode != want.StatusCode || fmt.Sprint(got.Header) != fmt.Sprint(want.Header) || !bytes.Equal(unpacked(text), unpacked(wantText)) || len(text) != len(wantText) {
					t.Errorf("%s %s %v:\n got %d %v %d B\nwant %d %v %d B", method, path, header, got.StatusCode, got.Header, len(text), want.StatusCode, want.Header, len(wantText))
				}
			}
		}
	}
}

func unpacked(b []byte) []byte {
	if r, err := gzip.NewReader(bytes.NewReader(b)); err == nil {
		b, _ = io.ReadAll(r)
	}
	return b
}

// Nobody gets through without a key of this run or a token of their own, which the server judges; and the file with
// the key is for its owner alone, until the end.
func TestGlass_key(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	g, _ := mustStart(t, glass.Config{Target: targetOf(p.URL)})
	if s, err := os.Stat(g.Kubeconfig); err != nil || s.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", s.Mode(), err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", g.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.BearerToken = ""
	bare, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	resp, text := ask(t, bare, "GET", g.URL+"/api/v1/namespaces", "")
	if resp.StatusCode != 401 || object.TextIn(object.Parse(text), "kind") != "Status" {
		t.Errorf("without a key: %d %s", resp.StatusCode, text)
	}
	if resp, _ := ask(t, bare, "GET", g.URL+"/debug/recording", ""); resp.StatusCode != 401 {
		t.Errorf("the record without a key: %d", resp.StatusCode)
	}
	token := "Bearer a.eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQ6YTpiIn0.c" // {"sub":"system:serviceaccount:a:b"}
	ask(t, bare, "GET", g.URL+"/api/v1/namespaces", "", "Authorization", token)
	flows, _ := g.Log.Since(0, 0)
	if last := flows[len(flows)-1]; last.Client.User != "system:serviceaccount:a:b" {
		t.Errorf("a client with a token of its own is %q", last.Client.User)
	}
	programtest.Eventually(t, "its token on the server", func() bool {
		theirs, _ := p.Log.Since(0, 0)
		return slices.ContainsFunc(theirs, func(f *flow.Flow) bool { return f.RequestHeader.Get("Authorization") == token })
	})
	ask(t, mustClient(t, g.CommandKubeconfig), "GET", g.URL+"/version", "")
	flows, _ = g.Log.Since(0, 0)
	if last := flows[len(flows)-1]; last.Client.Via != flow.ViaRun {
		t.Errorf("the command's requests are %+v", last.Client)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(g.Kubeconfig); !os.IsNotExist(err) {
		t.Errorf("the kubeconfig is left: %v", err)
	}
}

// An upgraded connection carries bytes both ways until an end closes it.
func TestGlass_upgrade(t *testing.T) {
	server := startUpgrading(t)
	g, _ := mustStart(t, glass.Config{Target: targetOf(server)})
	config, err := clientcmd.BuildConfigFromFlags("", g.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(config.CAData)
	conn, err := tls.Dial("tcp", strings.TrimPrefix(g.URL, "https://"), &tls.Config{RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /api/v1/namespaces/a/pods/b/exec?command=c HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n", config.BearerToken)
	var head [256]byte
	n, err := conn.Read(head[:])
	if err != nil || !strings.HasPrefix(string(head[:n]), "HTTP/1.1 101 ") {
		t.Fatalf("%q %v", head[:n], err)
	}
	for _, said := range []string{"hello", "again"} {
		fmt.Fprint(conn, said)
		back := make([]byte, len(said))
		if _, err := io.ReadFull(conn, back); err != nil || string(back) != said {
			t.Fatalf("%q %v", back, err)
		}
	}
	conn.Close()
	programtest.Eventually(t, "the flow", func() bool {
		flows, _ := g.Log.Since(0, 0)
		return len(flows) == 1 && flows[0].Status == 101 && flows[0].Target.Subresource == "exec"
	})
}

// What is not to be kept is handed on and not shown.
func TestGlass_keep(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	g, client := mustStart(t, glass.Config{Target: targetOf(p.URL), Keep: func(f *flow.Flow) bool { return f.Target.Namespace == "default" }})
	ask(t, client, "GET", g.URL+"/api/v1/namespaces", "")
	ask(t, client, "GET", g.URL+"/api/v1/pods?watch=1&timeoutSeconds=1", "")
	ask(t, client, "GET", g.URL+"/api/v1/namespaces/default/pods", "")
	flows, _ := g.Log.Since(0, 0)
	if len(flows) != 1 || flows[0].Path != "/api/v1/namespaces/default/pods" || len(g.Log.Watches(time.Minute)) != 0 || len(g.Log.Underway()) != 0 {
		t.Errorf("%d requests and %d watches were kept", len(flows), len(g.Log.Watches(time.Minute)))
	}
}
