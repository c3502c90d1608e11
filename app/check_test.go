package app_test

import (
	"bytes"
	"context"
	"database/sql"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/app"
	"kubarium/app/program/programtest"
)

// runCheck runs the command check and returns its exit code and its lines.
func runCheck(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = app.Main(append([]string{"check"}, args...), nil, &stdout, &stderr)
	return code, stdout.String() + stderr.String()
}

// TestCheck proves that check says what is whole in a database and what is not, beside a server that uses it and without
// one, and that it writes nothing.
func TestCheck(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	<-p.Bootstrapped()
	configmaps := p.URL + "/api/v1/namespaces/default/configmaps"
	for _, name := range []string{"a", "b", "c", "d"} {
		programtest.MustCall(t, http.StatusCreated, "POST", configmaps, programtest.JSONType, `{"metadata":{"name":"`+name+`"}}`)
	}
	code, out := runCheck(t, "--db", p.DB)
	if code != 0 || !strings.Contains(out, "whole: 6 configmaps\n") || !strings.Contains(out, "whole: 4 namespaces\n") {
		t.Errorf("exit %d: %s", code, out)
	}
	db, err := sql.Open("sqlite", p.DB+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		`UPDATE objects SET value = substr(value, 1, 40) WHERE resource = 'configmaps' AND name = 'a'`,
		`UPDATE objects SET value = CAST(replace(value, '"b"', '"' || x'ff' || '"') AS TEXT) WHERE resource = 'configmaps' AND name = 'b'`,
		`UPDATE changes SET value = value || ' ' WHERE resource = 'configmaps' AND key = 'default/c'`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	code, out = runCheck(t, "--db", p.DB)
	for _, want := range []string{
		"damaged: configmaps/default/a at revision ", ": it is not JSON\n", "damaged: configmaps/default/b at revision ", ": it is not UTF-8\n",
		"damaged: configmaps/default/c at revision ", ": it differs from what the change log has at its revision\n",
		"whole: 3 configmaps\n", "not whole: 3 damaged objects, 0 other findings\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("exit %d, without %q: %s", code, want, out)
		}
	}
	if code != 1 {
		t.Errorf("exit code is %d", code)
	}
	if code, out = runCheck(t, "--db", filepath.Join(t.TempDir(), "none.db")); code != 1 || !strings.Contains(out, "no such file") {
		t.Errorf("exit %d: %s", code, out)
	}
	if code, out = runCheck(t, "--db", p.DB, "--accept"); code != 1 || !strings.Contains(out, "in use by another Kubarium") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestDamaged_UTF8 proves that a stored value that is no UTF-8 is a damaged object to whoever reads it, in every form, and
// that none of its bytes go out.
func TestDamaged_UTF8(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	for _, name := range []string{"a", "b"} {
		programtest.MustCall(t, http.StatusCreated, "POST", url, programtest.JSONType, `{"metadata":{"name":"`+name+`"},"data":{"k":"v"}}`)
	}
	db, err := sql.Open("sqlite", p.DB+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE objects SET value = CAST(replace(value, '"v"', '"' || x'ff' || '"') AS TEXT) WHERE resource = 'configmaps' AND name = 'a'`); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "the damage", func() bool {
		code, _ := programtest.Call(t, "GET", url+"/a", "", "")
		return code == http.StatusInternalServerError
	})
	k := programtest.DamagedKind{Path: "/api/v1/namespaces/default/configmaps", Resource: "configmaps", Kind: "ConfigMap",
		Body: `{"metadata":{"name":"a"}}`, Key: "/configmaps/default/a"}
	k.ReadsFail(t, url)
	row := "/debug/rows?resource=configmaps&namespace=default&name=a"
	for _, path := range []string{row, "/debug/changes", "/debug/changes?revision=" + revisionOf(t, db)} {
		if _, body := programtest.Call(t, "GET", p.URL+path, "", ""); strings.Contains(body, "\xff") || body == "" {
			t.Errorf("%s: %q", path, body)
		}
	}
	programtest.MustCall(t, http.StatusOK, "DELETE", url+"/a?"+programtest.Unsafely, "", "")
	programtest.MustCall(t, http.StatusOK, "GET", url, "", "")
	programtest.MustCall(t, http.StatusOK, "GET", p.URL+"/readyz", "", "")
}

func revisionOf(t *testing.T, db *sql.DB) (revision string) {
	t.Helper()
	if err := db.QueryRowContext(context.Background(), "SELECT revision FROM objects WHERE resource = 'configmaps' AND name = 'a'").Scan(&revision); err != nil {
		t.Fatal(err)
	}
	return revision
}
