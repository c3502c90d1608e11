package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apiserver/pkg/server/options"

	"kubarium/app"
	"kubarium/server/controllers"
)

// A forked is the answer of /debug/fork.
type forked struct {
	ID                int
	URL, Secure, File string
	Revision          int64
}

func mustFork(t testing.TB, p *app.Program, asked string) (f forked) {
	t.Helper()
	if err := json.Unmarshal([]byte(mustCall(t, 200, "POST", p.URL+"/debug/fork", jsonType, asked)), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

const forkedMaps = "/api/v1/namespaces/default/configmaps"

// versionOf is the resourceVersion and the uid of a ConfigMap.
func versionOf(t testing.TB, server, name string) string {
	t.Helper()
	var o struct {
		Metadata struct{ ResourceVersion, UID string }
	}
	if err := json.Unmarshal([]byte(mustCall(t, 200, "GET", server+forkedMaps+"/"+name, "", "")), &o); err != nil {
		t.Fatal(err)
	}
	return o.Metadata.ResourceVersion + " " + o.Metadata.UID
}

// Forks begin with the state of a revision and of a snapshot, with the same uids and resourceVersions; then they and the server that
// they come from are apart, and they end with it. Their files stay, and can be served again.
func TestProgram_Fork(t *testing.T) {
	dir := t.TempDir()
	c := app.Config{Listen: "127.0.0.1:0", DB: filepath.Join(dir, "k.db"), History: time.Minute, Sync: "normal", Controllers: controllers.All()}
	p, err := app.Start(t.Context(), c, discard())
	if err != nil {
		t.Fatal(err)
	}
	closed := false
	defer func() {
		if !closed {
			p.Close()
		}
	}()
	awaitBootstrap(t, p)
	mustConfigMap(t, p, "a")
	mustSave(t, p, "s")
	was := versionOf(t, p.URL, "a")
	mustCall(t, 200, "PATCH", p.URL+forkedMaps+"/a", mergeType, `{"data":{"k":"v"}}`)
	mustCall(t, 200, "POST", p.URL+"/debug/compact", "", "") // the snapshot's revision is unreadable now
	mustConfigMap(t, p, "b")
	now := versionOf(t, p.URL, "b")
	at, _, _ := strings.Cut(now, " ")
	mustConfigMap(t, p, "c")

	old, recent := mustFork(t, p, `{"snapshot":"s","file":"old.db"}`), mustFork(t, p, `{"revision":`+at+`}`)
	if old.File != filepath.Join(dir, "old.db") || recent.File != filepath.Join(dir, "k-"+at+".db") || fmt.Sprint(recent.Revision) != at {
		t.Errorf("%+v %+v", old, recent)
	}
	if have := versionOf(t, old.URL, "a"); have != was {
		t.Errorf("a is %s in the fork, was %s", have, was)
	}
	if have := versionOf(t, recent.URL, "b"); have != now {
		t.Errorf("b is %s in the fork, was %s", have, now)
	}
	mustCall(t, 404, "GET", old.URL+forkedMaps+"/b", "", "")
	mustCall(t, 404, "GET", recent.URL+forkedMaps+"/c", "", "")
	mustCall(t, 410, "GET", recent.URL+forkedMaps+"?resourceVersionMatch=Exact&resourceVersion=1", "", "")
	for i, server := range []string{p.URL, old.URL, recent.URL} {
		mustCall(t, 201, "POST", server+forkedMaps, jsonType, fmt.Sprintf(`{"metadata":{"name":"own%d"}}`, i))
		mustCall(t, 200, "DELETE", server+forkedMaps+"/a", "", "")
	}
	for i, server := range []string{p.URL, old.URL, recent.URL} {
		if text := mustCall(t, 200, "GET", server+forkedMaps, "", ""); strings.Count(text, `"name":"own`) != 1 || !strings.Contains(text, fmt.Sprintf(`"name":"own%d"`, i)) {
			t.Errorf("server %d has %s", i, text)
		}
	}
	mustCall(t, 200, "POST", old.URL+"/debug/restore", "", "")
	if text := mustCall(t, 200, "GET", p.URL+"/debug/fork", "", ""); strings.Count(text, `"id":`) != 2 {
		t.Error(text)
	}
	if text := mustCall(t, 409, "POST", p.URL+"/debug/fork", jsonType, `{"file":"old.db"}`); !strings.Contains(text, "there is a file of that name already: old.db") {
		t.Error(text)
	}
	mustCall(t, 200, "DELETE", p.URL+"/debug/fork?id=1", "", "")
	closed = true
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for _, f := range []forked{old, recent} {
		if code, _, _ := run("snapshot", "list", "--server", f.URL); code == 0 {
			t.Errorf("fork %d goes on", f.ID)
		}
	}
	c.DB = recent.File
	again := mustStartConfig(t, c)
	if have := versionOf(t, again.URL, "b"); have != now {
		t.Errorf("served again, b is %s, was %s", have, now)
	}
}

// A fork's file is a name beside its parent's database, and nothing else.
func TestProgram_Fork_file(t *testing.T) {
	p := mustStart(t, "normal")
	for _, name := range []string{"../x.db", "/tmp/x.db", "a/b.db", "..", ".", ".x", "x.db-wal", "x.lock", "x.pki", "x.db-shm", "x y.db", "x\x00.db", strings.Repeat("x", 250)} {
		asked, err := json.Marshal(map[string]string{"file": name})
		if err != nil {
			t.Fatal(err)
		}
		if text := mustCall(t, 400, "POST", p.URL+"/debug/fork", jsonType, string(asked)); !strings.Contains(text, "file is the name of a new database beside this one") {
			t.Errorf("%q: %s", name, text)
		}
	}
	dir := filepath.Dir(p.DB)
	if err := os.WriteFile(filepath.Join(dir, "taken.db-wal"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mustCall(t, 409, "POST", p.URL+"/debug/fork", jsonType, `{"file":"taken.db"}`)
	mustCall(t, 409, "POST", p.URL+"/debug/fork", jsonType, `{"file":"`+filepath.Base(p.DB)+`"}`)
	first, second := mustFork(t, p, `{}`), mustFork(t, p, `{"revision":0}`)
	if first.File == second.File || filepath.Dir(second.File) != dir {
		t.Errorf("%s %s", first.File, second.File)
	}
}

// A temporary database has temporary forks. HTTPS is there where the first server has it, and knows the same clients.
func TestProgram_Fork_temporary(t *testing.T) {
	c := app.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Secure: app.Secure{Listen: "127.0.0.1:0"}}
	p := mustStartConfig(t, c)
	mustConfigMap(t, p, "a")
	if text := mustCall(t, 400, "POST", p.URL+"/debug/fork", jsonType, `{"file":"x.db"}`); !strings.Contains(text, "temporary") {
		t.Error(text)
	}
	f := mustFork(t, p, ``)
	if f.File != ":memory:" || !strings.HasPrefix(f.Secure, "https://127.0.0.1:") || f.Secure == p.Secure {
		t.Errorf("%+v", f)
	}
	if have, want := versionOf(t, f.URL, "a"), versionOf(t, p.URL, "a"); have != want {
		t.Errorf("%s, want %s", have, want)
	}
	const account = "/api/v1/namespaces/default/serviceaccounts"
	mustCall(t, 201, "POST", p.URL+account, jsonType, `{"metadata":{"name":"joe"}}`)
	g := mustFork(t, p, ``)
	var token struct{ Status struct{ Token string } }
	text := mustCall(t, 201, "POST", p.URL+account+"/joe/token", jsonType, `{}`)
	if err := json.Unmarshal([]byte(text), &token); err != nil {
		t.Fatal(err)
	}
	review := mustCall(t, 201, "POST", g.URL+"/apis/authentication.k8s.io/v1/tokenreviews", jsonType, `{"spec":{"token":"`+token.Status.Token+`"}}`)
	if !strings.Contains(review, "system:serviceaccount:default:joe") {
		t.Error(review)
	}
}

// There is a bound to how many there are.
func TestProgram_Fork_many(t *testing.T) {
	p := mustStartConfig(t, app.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal"})
	for range 16 {
		mustFork(t, p, ``)
	}
	if text := mustCall(t, 409, "POST", p.URL+"/debug/fork", "", ""); !strings.Contains(text, "there are 16 forks already") {
		t.Error(text)
	}
	mustCall(t, 200, "DELETE", p.URL+"/debug/fork?id=3", "", "")
	mustFork(t, p, ``)
}

// A fork has an audit log of its own: a file has one writer.
func TestProgram_Fork_audit(t *testing.T) {
	dir := t.TempDir()
	o := options.NewAuditOptions()
	o.PolicyFile, o.LogOptions.Path = filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "audit.log")
	write(t, o.PolicyFile, auditPolicy)
	p := mustStartConfig(t, app.Config{
		Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Audit: app.Audit{AuditOptions: o},
	})
	mustCall(t, 404, "GET", p.URL+forkedMaps+"/of-the-parent", "", "")
	for i := range 2 {
		mustCall(t, 404, "GET", mustFork(t, p, `{}`).URL+fmt.Sprintf("%s/of-fork-%d", forkedMaps, i+1), "", "")
	}
	for name, has := range map[string]string{"audit.log": "of-the-parent", "audit-fork-1.log": "of-fork-1", "audit-fork-2.log": "of-fork-2"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"of-the-parent", "of-fork-1", "of-fork-2"} {
			if strings.Contains(string(text), word) != (word == has) {
				t.Errorf("%s in %s: %v", word, name, word != has)
			}
		}
	}
}
