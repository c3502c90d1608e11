package app_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/etcdstore/etcdtest"
)

// mustMigrate migrates, and returns what the command has said.
func mustMigrate(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := run(append([]string{"migrate"}, args...)...)
	if code != 0 || errs != "" || strings.Count(out, "\n") != 1 {
		t.Fatalf("migrate %q: %d, %q, %q", args, code, out, errs)
	}
	return out
}

// All objects go from a file to etcd, and on to a new file: with their values, never with a lower resourceVersion, and a client that knew an
// older one is told to list again, or goes on. Whoever was known is known.
func TestMigrate(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	dir := t.TempDir()
	c := program.Config{Listen: "127.0.0.1:0", Secure: program.Secure{Listen: "127.0.0.1:0"}, DB: filepath.Join(dir, "old.db"), History: 5 * time.Minute, Sync: "full"}
	c.Admission.Disable = []string{"ServiceAccount"}
	const path, secrets = "/api/v1/configmaps", "/api/v1/namespaces/default/secrets"

	old := programtest.MustStartConfig(t, c)
	for i := range 50 {
		programtest.MustCall(t, 201, "POST", old.URL+"/api/v1/namespaces/default/configmaps", programtest.JSONType, fmt.Sprintf(`{"metadata":{"name":"cm-%d"},"data":{"k":"ä%d"}}`, i, i))
	}
	for i := range 30 {
		programtest.MustCall(t, 200, "PATCH", old.URL+"/api/v1/namespaces/default/configmaps/cm-0", programtest.MergeType, fmt.Sprintf(`{"data":{"n":"%d"}}`, i))
	}
	programtest.MustCall(t, 201, "POST", old.URL+secrets, programtest.JSONType, `{"metadata":{"name":"s"},"data":{"p":"aHVudGVy"}}`)
	before := programtest.MustListObjects(t, old.URL+path)
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	said := mustMigrate(t, "--from", c.DB, "--to", programtest.EtcdURL(cluster))

	c.Store.URL = programtest.EtcdURL(cluster)
	p := programtest.MustStartConfig(t, c)
	after := programtest.MustListObjects(t, p.URL+path)
	if fmt.Sprint(after.Objects) != fmt.Sprint(before.Objects) {
		t.Errorf("etcd has\n%s\nwant\n%s", after.Objects, before.Objects)
	}
	for name, version := range after.Versions {
		if version <= before.Version {
			t.Errorf("%s is at %d, and the old list was at %d", name, version, before.Version)
		}
	}
	programtest.MustCall(t, 200, "GET", p.URL+secrets+"/s", "", "")
	if string(p.CA) != string(old.CA) {
		t.Error("etcd has another CA")
	}
	if !strings.Contains(said, programtest.EtcdURL(cluster)) {
		t.Errorf("it said %q", said)
	}
	expired := fmt.Sprintf("%s%s?watch=true&resourceVersion=%d", p.URL, path, before.Version)
	if e := programtest.FirstEvent(t, expired); e.Type != "ERROR" || !strings.Contains(string(e.Object), `"code":410`) {
		t.Errorf("a watch from the old list: %s %s", e.Type, e.Object)
	}
	if code, text := programtest.Call(t, "GET", fmt.Sprintf("%s%s?resourceVersionMatch=Exact&resourceVersion=%d", p.URL, path, before.Version), "", ""); code != 410 {
		t.Errorf("the old list: %d %s", code, text)
	}
	programtest.MustCall(t, 200, "PATCH", p.URL+"/api/v1/namespaces/default/configmaps/cm-1", programtest.MergeType, `{"data":{"n":"etcd"}}`)
	before = programtest.MustListObjects(t, p.URL+path)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}

	c.Store.URL, c.DB = "", filepath.Join(dir, "folder", "new.db")
	mustMigrate(t, "--from", programtest.EtcdURL(cluster), "--to", c.DB)
	p = programtest.MustStartConfig(t, c)
	after = programtest.MustListObjects(t, p.URL+path)
	if fmt.Sprint(after.Objects) != fmt.Sprint(before.Objects) || string(p.CA) != string(old.CA) {
		t.Errorf("the new file has\n%s\nwant\n%s", after.Objects, before.Objects)
	}
	for name, version := range before.Versions {
		if after.Versions[name] != version {
			t.Errorf("%s is at %d, and was at %d", name, after.Versions[name], version)
		}
	}
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/default/configmaps", programtest.JSONType, `{"metadata":{"name":"later"}}`)
	onward := fmt.Sprintf("%s%s?watch=true&resourceVersion=%d", p.URL, "/api/v1/namespaces/default/configmaps", before.Version)
	if e := programtest.FirstEvent(t, onward); e.Type != "ADDED" && e.Type != "ERROR" {
		t.Errorf("a watch from the list on etcd: %s %s", e.Type, e.Object)
	}
}

// Objects that share a revision in etcd get one each in a file; none falls.
func TestMigrate_sharedRevision(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	var puts []clientv3.Op
	for i := range 5 {
		puts = append(puts, clientv3.OpPut(fmt.Sprintf("/kubarium/objects/configmaps/default/%d", i), fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"%d","namespace":"default","uid":"u%d"}}`, i, i)))
	}
	done, err := cluster.Client(t).Txn(t.Context()).Then(puts...).Commit()
	if err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(t.TempDir(), "k.db")
	if out := mustMigrate(t, "--from", programtest.EtcdURL(cluster), "--to", db); !strings.Contains(out, "migrated 5 objects") {
		t.Error(out)
	}
	c := program.Config{Listen: "127.0.0.1:0", DB: db, History: 5 * time.Minute, Sync: "full"}
	c.Admission.Disable = []string{"ServiceAccount"}
	l := programtest.MustListObjects(t, programtest.MustStartConfig(t, c).URL+"/api/v1/namespaces/default/configmaps")
	taken := map[int64]bool{}
	for i := range 5 {
		version := l.Versions[fmt.Sprintf("default/%d", i)]
		if version < done.Header.Revision || taken[version] {
			t.Errorf("object %d is at %d", i, version)
		}
		taken[version] = true
	}
}

// What cannot be migrated is refused in one line, and nothing is changed by it.
func TestMigrate_refused(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	client := cluster.Client(t)
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	empty := programtest.EtcdURL(cluster) + "-empty"
	file := programtest.MustStart(t, "full")
	served := programtest.MustStartConfig(t, programtest.OnEtcd(cluster, dir))
	closed := programtest.MustStart(t, "full")
	row := closed.URL + "/debug/rows?resource=configmaps&namespace=default&name=a"
	programtest.MustCall(t, 201, "POST", closed.URL+"/api/v1/namespaces/default/configmaps", programtest.JSONType, `{"metadata":{"name":"a"}}`)
	programtest.MustCall(t, 200, "PUT", row, "", `"`+strings.Repeat("x", 2<<20)+`"`)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(dir, "new.db")
	refused := func(code int, want string, args ...string) {
		t.Helper()
		got, out, errs := run(append([]string{"migrate"}, args...)...)
		if got != code || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
			t.Errorf("migrate %q: code %d, %q, %q; want %d and %q", args, got, out, errs, code, want)
		}
	}
	refused(2, "--from is missing", "--to", fresh)
	refused(2, "--to is missing", "--from", fresh)
	refused(2, "the same store", "--from", fresh, "--to", fresh)
	refused(2, "are for etcd://", "--from", file.DB, "--to", fresh, "--etcd-cafile", "x")
	refused(2, "--to must be etcd://", "--from", file.DB, "--to", "http://127.0.0.1:1")
	refused(2, "temporary", "--from", ":memory:", "--to", fresh)
	refused(1, "no such file", "--from", filepath.Join(dir, "none.db"), "--to", empty)
	refused(1, "in use by another Kubarium", "--from", file.DB, "--to", empty)
	refused(1, "in use by the server at", "--from", programtest.EtcdURL(cluster), "--to", fresh)
	refused(1, "in use by the server at", "--from", closed.DB, "--to", programtest.EtcdURL(cluster))
	refused(1, "there is a file of that name already", "--from", closed.DB, "--to", file.DB)
	refused(1, "configmaps/default/a has 2097154 bytes", "--from", closed.DB, "--to", empty)
	if err := served.Close(); err != nil {
		t.Fatal(err)
	}
	refused(1, "it has objects already", "--from", closed.DB, "--to", programtest.EtcdURL(cluster))
	if isThere := exists(fresh) || exists(fresh+".lock") || exists(fresh+".pki"); isThere {
		t.Error("a refused migration left files")
	}
	prefix, err := url.Parse(empty)
	if err != nil {
		t.Fatal(err)
	}
	left, err := client.Get(t.Context(), prefix.Path+"/", clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil || len(left.Kvs) > 0 {
		t.Errorf("a refused migration left %v, %v", left.Kvs, err)
	}
	if _, err := client.Put(t.Context(), prefix.Path+"/filling", ""); err != nil {
		t.Fatal(err)
	}
	refused(1, "another kubarium migrate is filling it", "--from", closed.DB, "--to", empty)
	refused(1, "another kubarium migrate is filling it", "--from", empty, "--to", fresh)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
