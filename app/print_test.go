package app_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"kubarium/app"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// No command of a terminal in a name, of a file or of what a client asked for, reaches the terminal.
func TestMain_ControlCharacters(t *testing.T) {
	const evil = "\u009d0;PWNED\u009c\u009b31m\x7f\u202e\u2028"
	recorded := func(path string) string {
		return mustRecord(t, func(e *recording.Encoder) error {
			if err := e.Begin(recording.Begin{At: time.Now()}); err != nil {
				return err
			}
			return e.Flow(&flow.Flow{Seq: 1, Method: "GET", Path: path, Status: 200, Start: time.Now(), Client: flow.Client{UserAgent: "curl/8", Tag: "c1"}})
		})
	}
	file := recorded("/api/v1/namespaces/" + evil)
	named := filepath.Join(t.TempDir(), "a\x1b[31m"+evil)
	if err := os.WriteFile(named, []byte("no recording\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"diff", file, recorded("/api")}, {"diff", file, file, "--all"}, {"diff", named, named}, {"doctor", named}, {"export", named}, {"open", "--plain", named},
		{"check", "--db", named}, {"doctor", named + ".none"},
	} {
		_, out, errs := run(args...)
		if i := strings.IndexFunc(out+errs, func(r rune) bool {
			return r != '\n' && r != '\t' && (unicode.IsControl(r) || r == '\u202e' || r == '\u2028')
		}); i >= 0 || out+errs == "" {
			t.Errorf("%s: %q", args[0], out+errs)
		}
	}
}

// Without a home folder a database has to be named.
func TestMain_NoHome(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOME", "")
	t.Setenv("XDG_DATA_HOME", "")
	for _, command := range []string{"serve", "check"} {
		code, out, errs := run(command)
		if code != 2 || out != "" || errs != "kubarium: there is no home folder for the database; use --db FILE, or --db :memory: for a temporary one\n" {
			t.Errorf("%s: exit code %d, %s%s", command, code, out, errs)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("%v are in the working folder, %v", left, err)
	}
}

// A fork of a server that has HTTPS alone has no plain port either: whoever reaches one is an administrator.
func TestProgram_ForkHasNoFurtherPort(t *testing.T) {
	c := app.Config{DB: filepath.Join(t.TempDir(), "k.db"), History: time.Minute, Sync: "off"}
	c.Secure.Listen = "127.0.0.1:0"
	p := mustStartConfig(t, c)
	fork := func(body string) (int, string) {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/debug/fork", strings.NewReader(body))
		p.DebugHandler("/debug/fork").ServeHTTP(w, r)
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
	p := mustStartConfig(t, app.Config{Listen: "127.0.0.1:0", DB: filepath.Join(dir, "k.db"), History: time.Minute, Sync: "off"})
	before, _ := os.ReadDir(dir)
	taken := strings.TrimPrefix(p.URL, "http://")
	if text := mustCall(t, 409, "POST", p.URL+"/debug/fork", jsonType, `{"listen":"`+taken+`"}`); !strings.Contains(text, "port in use") {
		t.Error(text)
	}
	if text := mustCall(t, 400, "POST", p.URL+"/debug/fork", jsonType, `{"listen":"127.0.0.1:99999"}`); !strings.Contains(text, "99999") {
		t.Error(text)
	}
	if after, _ := os.ReadDir(dir); len(after) != len(before) {
		t.Errorf("%v, before %v", after, before)
	}
}
