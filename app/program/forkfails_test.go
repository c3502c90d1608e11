package program_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/app/debug"
	"kubarium/app/program"
	"kubarium/app/program/programtest"
)

// A fork of a server that has HTTPS alone has no plain port either: whoever reaches one is an administrator.
func TestProgram_ForkHasNoFurtherPort(t *testing.T) {
	c := program.Config{DB: filepath.Join(t.TempDir(), "k.db"), History: time.Minute, Sync: "off"}
	c.Secure.Listen = "127.0.0.1:0"
	p := programtest.MustStartConfig(t, c)
	fork := func(body string) (int, string) {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/debug/fork", strings.NewReader(body))
		debug.Handlers(p)["/debug/fork"].ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	if code, text := fork(`{"listen":"127.0.0.1:0"}`); code != 400 || !strings.Contains(text, "plain port only where the first server has one") {
		t.Errorf("%d %s", code, text)
	}
	if code, text := fork(`{}`); code != 200 || strings.Contains(text, `"http://`) {
		t.Errorf("%d %s", code, text)
	}
}

// A fork that does not start says why, and leaves nothing.
func TestProgram_ForkFails(t *testing.T) {
	dir := t.TempDir()
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(dir, "k.db"), History: time.Minute, Sync: "off"})
	before, _ := os.ReadDir(dir)
	taken := strings.TrimPrefix(p.URL, "http://")
	if text := programtest.MustCall(t, 409, "POST", p.URL+"/debug/fork", programtest.JSONType, `{"listen":"`+taken+`"}`); !strings.Contains(text, "port in use") {
		t.Error(text)
	}
	if text := programtest.MustCall(t, 400, "POST", p.URL+"/debug/fork", programtest.JSONType, `{"listen":"127.0.0.1:99999"}`); !strings.Contains(text, "99999") {
		t.Error(text)
	}
	if after, _ := os.ReadDir(dir); len(after) != len(before) {
		t.Errorf("%v, before %v", after, before)
	}
}
