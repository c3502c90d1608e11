package app_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/app/program/programtest"
	"kubarium/scenarios"
)

// list has the road first, and each course above its lessons, with their names and titles.
func TestMain_scenarioList(t *testing.T) {
	code, out, errs := run("scenario", "list")
	if code != 0 || errs != "" || !strings.HasPrefix(out, "The road: 12 lessons, about 40 minutes\n  status-and-spec ") ||
		!strings.Contains(out, "\n\nFirst requests\n  resources-and-uris ") {
		t.Errorf("code %d, stderr %q, stdout %q", code, errs, out)
	}
}

// run without a terminal tells all, with commands that find the server; what makes no sense is said before anything is started.
// Without names all lessons are verified, and their translations behind them. Here each of them fails at once, for its server has nothing.
func TestMain_scenarioVerify(t *testing.T) {
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()
	names, err := scenarios.Names()
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	code, out, errs := run("scenario", "verify", "--server", empty.URL)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 1 || errs != "" || len(lines) != len(names)+4 || !strings.HasPrefix(lines[len(names)+2], "0 passed, ") ||
		!strings.Contains(out, "\nok    fa: ") || !strings.Contains(out, "\nok    zh: ") ||
		!strings.HasSuffix(lines[len(names)+3], " steps were not drawn: only a server that is started for this can be seen") {
		t.Fatalf("code %d, stderr %q, stdout %q", code, errs, out)
	}
	for i, name := range names {
		if !strings.HasPrefix(lines[i], "FAIL  "+name+":") && !strings.HasPrefix(lines[i], "skip  "+name+":") {
			t.Errorf("line %d, of %s: %s", i, name, lines[i])
		}
	}
}

// A step whose place is not on the screen fails with the screen as text, and the same lesson with another place passes.
func TestMain_scenarioVerifySees(t *testing.T) {
	for _, c := range []struct {
		row  string
		code int
		want string
	}{
		{"/api/v1/namespaces", 0, "1 passed, 0 failed"},
		{"a shark", 1, `step "A asks": at 80x24 the screen does not show "the path":`},
	} {
		file := filepath.Join(t.TempDir(), "x.yaml")
		lesson := "title: T\nabout: A.\ncourse: C\nlearned: L.\nactors: {A: asks}\nsteps:\n- title: A asks\n  tell: It asks.\n  look: the path\n  at: {row: " + c.row +
			"}\n  show: {tab: request}\n  as: A\n  request: {method: GET, path: \"/api/v1/namespaces/{ns}\"}\n  expect: {status: 200}\n"
		if err := os.WriteFile(file, []byte(lesson), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, _ := run("scenario", "verify", file)
		if strings.Contains(out, "were not drawn") {
			t.Skip("another server is running on the default port")
		}
		if code != c.code || !strings.Contains(out, c.want) || c.code == 1 && !strings.Contains(out, "Look at: the path") {
			t.Errorf("%s: code %d, stdout:\n%s", c.row, code, out)
		}
	}
}

func TestMain_scenarioRun(t *testing.T) {
	p := programtest.MustStartFor(t)
	code, out, errs := run("scenario", "run", "lost-update", "--server", p.URL, "--pace", "1000000000")
	if code != 0 || !strings.Contains(out, "\nkubectl -s "+p.URL+" -n lesson-lost-update-") || !strings.Contains(out, "\nLearned: ") {
		t.Errorf("code %d, stderr %q, stdout %q", code, errs, out)
	}
	for _, c := range [][]string{
		{"0", "--pace is a number of words a minute, from 1 on, not 0"},
		{"-3", "--pace is a number of words a minute, from 1 on, not -3"},
	} {
		if code, _, errs := run("scenario", "run", "lost-update", "--pace", c[0]); code != 2 || !strings.Contains(errs, c[1]) {
			t.Errorf("--pace %s: code %d, stderr %q", c[0], code, errs)
		}
	}
	if code, _, errs := run("scenario", "run", "lost-updates"); code != 2 || !strings.Contains(errs, "did you mean lost-update?") {
		t.Errorf("code %d, stderr %q", code, errs)
	}
}

// What new writes is a lesson, to stdout or to a file of its own, and never over another one.
func TestMain_scenarioNew(t *testing.T) {
	code, out, errs := run("scenario", "new")
	if code != 0 || out != scenarios.Template {
		t.Fatalf("code %d, stderr %q, stdout %q", code, errs, out)
	}
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if code, out, errs := run("scenario", "new", file); code != 0 || out != "" {
		t.Fatalf("code %d, stderr %q, stdout %q", code, errs, out)
	}
	if l, err := scenarios.Load(file); err != nil || l.Name != "mine" {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := run("scenario", "new", file); code != 1 || !strings.Contains(errs, "exists") {
		t.Errorf("code %d, stderr %q", code, errs)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("%q %v", text, err)
	}
}
