package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// No command of a terminal in a name, of a file or of what a client asked for, reaches the terminal.
func TestMain_ControlCharacters(t *testing.T) {
	const evil = "\u009d0;PWNED\u009c\u009b31m\x7f\u202e\u2028"
	recorded := func(path string) string {
		return programtest.MustRecord(t, func(e *recording.Encoder) error {
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
