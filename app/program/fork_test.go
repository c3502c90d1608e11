package program_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apiserver/pkg/server/options"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/controllers"
)

// Forks begin with the state of a revision and of a snapshot, with the same uids and resourceVersions; then they and the server that
// they come from are apart, and they end with it. Their files stay, and can be served again.
func TestProgram_Fork(t *testing.T) {
	dir := t.TempDir()
	c := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(dir, "k.db"), History: time.Minute, Sync: "normal", Controllers: controllers.All()}
	p, err := program.Start(t.Context(), c, programtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	closed := false
	defer func() {
		if !closed {
			p.Close()
		}
	}()
	programtest.AwaitBootstrap(t, p)
	programtest.MustConfigMap(t, p, "a")
	programtest.MustSave(t, p, "s")
	was := programtest.VersionOf(t, p.URL, "a")
	programtest.MustCall(t, 200, "PATCH", p.URL+programtest.ForkedMaps+"/a", programtest.MergeType, `{"data":{"k":"v"}}`)
	programtest.MustCall(t, 200, "POST", p.URL+"/debug/compact", "", "") // the snapshot's revision is unreadable now
	programtest.MustConfigMap(t, p, "b")
	now := programtest.VersionOf(t, p.URL, "b")
	at, _, _ := strings.Cut(now, " ")
	programtest.MustConfigMap(t, p, "c")

	old, recent := programtest.MustFork(t, p, `{"snapshot":"s","file":"old.db"}`), programtest.MustFork(t, p, `{"revision":`+at+`}`)
	if old.File != filepath.Join(dir, "old.db") || recent.File != filepath.Join(dir, "k-"+at+".db") || fmt.Sprint(recent.Revision) != at {
		t.Errorf("%+v %+v", old, recent)
	}
	if have := programtest.VersionOf(t, old.URL, "a"); have != was {
		t.Errorf("a is %s in the fork, was %s", have, was)
	}
	if have := programtest.VersionOf(t, recent.URL, "b"); have != now {
		t.Errorf("b is %s in the fork, was %s", have, now)
	}
	programtest.MustCall(t, 404, "GET", old.URL+programtest.ForkedMaps+"/b", "", "")
	programtest.MustCall(t, 404, "GET", recent.URL+programtest.ForkedMaps+"/c", "", "")
	programtest.MustCall(t, 410, "GET", recent.URL+programtest.ForkedMaps+"?resourceVersionMatch=Exact&resourceVersion=1", "", "")
	for i, server := range []string{p.URL, old.URL, recent.URL} {
		programtest.MustCall(t, 201, "POST", server+programtest.ForkedMaps, programtest.JSONType, fmt.Sprintf(`{"metadata":{"name":"own%d"}}`, i))
		programtest.MustCall(t, 200, "DELETE", server+programtest.ForkedMaps+"/a", "", "")
	}
	for i, server := range []string{p.URL, old.URL, recent.URL} {
		if text := programtest.MustCall(t, 200, "GET", server+programtest.ForkedMaps, "", ""); strings.Count(text, `"name":"own`) != 1 || !strings.Contains(text, fmt.Sprintf(`"name":"own%d"`, i)) {
			t.Errorf("server %d has %s", i, text)
		}
	}
	programtest.MustCall(t, 200, "POST", old.URL+"/debug/restore", "", "")
	if text := programtest.MustCall(t, 200, "GET", p.URL+"/debug/fork", "", ""); strings.Count(text, `"id":`) != 2 {
		t.Error(text)
	}
	if text := programtest.MustCall(t, 409, "POST", p.URL+"/debug/fork", programtest.JSONType, `{"file":"old.db"}`); !strings.Contains(text, "there is a file of that name already: old.db") {
		t.Error(text)
	}
	programtest.MustCall(t, 200, "DELETE", p.URL+"/debug/fork?id=1", "", "")
	closed = true
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for _, f := range []programtest.Forked{old, recent} {
		if resp, err := http.Get(f.URL + "/debug/snapshots"); err == nil {
			resp.Body.Close()
			t.Errorf("fork %d goes on", f.ID)
		}
	}
	c.DB = recent.File
	again := programtest.MustStartConfig(t, c)
	if have := programtest.VersionOf(t, again.URL, "b"); have != now {
		t.Errorf("served again, b is %s, was %s", have, now)
	}
}

// A fork's file is a name beside its parent's database, and nothing else.
func TestProgram_Fork_file(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	for _, name := range []string{"../x.db", "/tmp/x.db", "a/b.db", "..", ".", ".x", "x.db-wal", "x.lock", "x.pki", "x.db-shm", "x y.db", "x\x00.db", strings.Repeat("x", 250)} {
		asked, err := json.Marshal(map[string]string{"file": name})
		if err != nil {
			t.Fatal(err)
		}
		if text := programtest.MustCall(t, 400, "POST", p.URL+"/debug/fork", programtest.JSONType, string(asked)); !strings.Contains(text, "file is the name of a new database next to this one") {
			t.Errorf("%q: %s", name, text)
		}
	}
	dir := filepath.Dir(p.DB)
	if err := os.WriteFile(filepath.Join(dir, "taken.db-wal"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	programtest.MustCall(t, 409, "POST", p.URL+"/debug/fork", programtest.JSONType, `{"file":"taken.db"}`)
	programtest.MustCall(t, 409, "POST", p.URL+"/debug/fork", programtest.JSONType, `{"file":"`+filepath.Base(p.DB)+`"}`)
	first, second := programtest.MustFork(t, p, `{}`), programtest.MustFork(t, p, `{"revision":0}`)
	if first.File == second.File || filepath.Dir(second.File) != dir {
		t.Errorf("%s %s", first.File, second.File)
	}
}

// A temporary database has temporary forks. HTTPS is there where the first server has it, and knows the same clients.
func TestProgram_Fork_temporary(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Secure: program.Secure{Listen: "127.0.0.1:0"}}
	p := programtest.MustStartConfig(t, c)
	programtest.MustConfigMap(t, p, "a")
	if text := programtest.MustCall(t, 400, "POST", p.URL+"/debug/fork", programtest.JSONType, `{"file":"x.db"}`); !strings.Contains(text, "temporary") {
		t.Error(text)
	}
	f := programtest.MustFork(t, p, ``)
	if f.File != ":memory:" || !strings.HasPrefix(f.Secure, "https://127.0.0.1:") || f.Secure == p.Secure {
		t.Errorf("%+v", f)
	}
	if have, want := programtest.VersionOf(t, f.URL, "a"), programtest.VersionOf(t, p.URL, "a"); have != want {
		t.Errorf("%s, want %s", have, want)
	}
	const account = "/api/v1/namespaces/default/serviceaccounts"
	programtest.MustCall(t, 201, "POST", p.URL+account, programtest.JSONType, `{"metadata":{"name":"joe"}}`)
	g := programtest.MustFork(t, p, ``)
	var token struct{ Status struct{ Token string } }
	text := programtest.MustCall(t, 201, "POST", p.URL+account+"/joe/token", programtest.JSONType, `{}`)
	if err := json.Unmarshal([]byte(text), &token); err != nil {
		t.Fatal(err)
	}
	review := programtest.MustCall(t, 201, "POST", g.URL+"/apis/authentication.k8s.io/v1/tokenreviews", programtest.JSONType, `{"spec":{"token":"`+token.Status.Token+`"}}`)
	if !strings.Contains(review, "system:serviceaccount:default:joe") {
		t.Error(review)
	}
}

// There is a bound to how many there are.
func TestProgram_Fork_many(t *testing.T) {
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal"})
	for range 16 {
		programtest.MustFork(t, p, ``)
	}
	if text := programtest.MustCall(t, 409, "POST", p.URL+"/debug/fork", "", ""); !strings.Contains(text, "there are 16 forks already") {
		t.Error(text)
	}
	programtest.MustCall(t, 200, "DELETE", p.URL+"/debug/fork?id=3", "", "")
	programtest.MustFork(t, p, ``)
}

// A fork has an audit log of its own: a file has one writer.
func TestProgram_Fork_audit(t *testing.T) {
	dir := t.TempDir()
	o := options.NewAuditOptions()
	o.PolicyFile, o.LogOptions.Path = filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "audit.log")
	programtest.WriteFile(t, o.PolicyFile, programtest.AuditPolicy)
	p := programtest.MustStartConfig(t, program.Config{
		Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Audit: program.Audit{AuditOptions: o},
	})
	programtest.MustCall(t, 404, "GET", p.URL+programtest.ForkedMaps+"/of-the-parent", "", "")
	for i := range 2 {
		programtest.MustCall(t, 404, "GET", programtest.MustFork(t, p, `{}`).URL+fmt.Sprintf("%s/of-fork-%d", programtest.ForkedMaps, i+1), "", "")
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
