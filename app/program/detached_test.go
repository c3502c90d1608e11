package program_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
)

// TestDetached proves that a server whose database file was taken away is not ready and refuses what it could not keep, each
// with the reason in one line, that it goes on showing what it has in memory, and that its end says so too.
func TestDetached(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps files in their places that are open")
	}
	c := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: 5 * time.Minute, Sync: "full"}
	p, err := program.Start(context.Background(), c, programtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	programtest.MustCall(t, http.StatusCreated, "POST", url, programtest.JSONType, `{"metadata":{"name":"a"}}`)
	programtest.MustCall(t, http.StatusOK, "GET", p.URL+"/readyz", "", "")
	programtest.MustCall(t, http.StatusOK, "GET", url, "", "")
	if err := os.Rename(c.DB, c.DB+".moved"); err != nil {
		t.Fatal(err)
	}
	const text = "k.db was removed while Kubarium had it open"
	for _, s := range []string{
		programtest.MustStatus(t, http.StatusServiceUnavailable, "POST", url, programtest.JSONType, `{"metadata":{"name":"b"}}`).Message,
		programtest.MustStatus(t, http.StatusServiceUnavailable, "PATCH", url+"/a", programtest.MergeType, `{"data":{"k":"v"}}`).Message,
		programtest.MustStatus(t, http.StatusServiceUnavailable, "DELETE", url+"/a", "", "").Message,
		programtest.MustStatus(t, http.StatusServiceUnavailable, "GET", p.URL+"/apis/batch/v1/jobs", "", "").Message, // never read before
	} {
		if !strings.Contains(s, text) || strings.Contains(s, "\n") {
			t.Errorf("%q", s)
		}
	}
	for _, path := range []string{"/readyz", "/readyz/storage", "/debug/changes", "/debug/rows?resource=configmaps&namespace=default&name=a"} {
		if body := programtest.MustCall(t, http.StatusInternalServerError, "GET", p.URL+path, "", ""); !strings.Contains(body, text) {
			t.Errorf("%s: %s", path, body)
		}
	}
	programtest.MustCall(t, http.StatusOK, "GET", url+"/a", "", "")
	if err := p.Close(); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("the end says %v", err)
	}
}
