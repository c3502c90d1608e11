package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/app"
)

// --lang chooses the language of lessons, and so do the environment and the locale; what is not there is said in a line.
func TestScenario_Lang(t *testing.T) {
	run := func(args ...string) (int, string, string) {
		var out, errs strings.Builder
		code := app.Main(args, strings.NewReader(""), &out, &errs)
		return code, out.String(), errs.String()
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANGUAGE", "KUBARIUM_LANG"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Setenv("TERM", "xterm")
	t.Setenv("LANG", "zh_CN.UTF-8")
	if code, out, _ := run("scenario", "list"); code != 0 || !strings.Contains(out, "生成的名称") {
		t.Errorf("by the locale: %d %.200s", code, out)
	}
	if _, out, _ := run("scenario", "list", "--lang", "en"); !strings.Contains(out, "Generated names") {
		t.Errorf("in English: %.200s", out)
	}
	t.Setenv("LANG", "C")
	if _, out, _ := run("scenario", "list"); !strings.Contains(out, "Generated names") {
		t.Errorf("by the locale C: %.200s", out)
	}
	t.Setenv("KUBARIUM_LANG", "zh_TW")
	if _, out, _ := run("scenario", "list"); !strings.Contains(out, "生成的名称") {
		t.Errorf("by the environment: %.200s", out)
	}
	os.Unsetenv("KUBARIUM_LANG")
	if _, out, _ := run("scenario", "list", "--lang", "fa"); !strings.Contains(out, "واگرد آن") || !strings.Contains(out, "\nچه کسی Pod ") {
		t.Errorf("in Persian: %.200s", out)
	}
	for _, c := range []struct{ args, want string }{
		{"scenario list --lang fr", "kubarium: --lang fr: no lesson is translated into it; there are en, fa, zh\n"},
		{"scenario list --lang zn", "kubarium: --lang zn: must be a language, such as zh or pt-BR, did you mean zh?\n"},
		{"scenario run generated-names --lang fr", "kubarium: --lang fr: no lesson is translated into it; there are en, fa, zh\n"},
		{"--plain --lang fr", "kubarium: --lang fr: no lesson is translated into it; there are en, fa, zh\n"},
		{"scenario translate generated-names", "kubarium: say into which language: --lang zh\n"},
		{"scenario translate generated-names --lang en", "kubarium: --lang en: that is the language of the lessons themselves\n"},
	} {
		if code, _, errs := run(strings.Fields(c.args)...); code != 2 || errs != c.want {
			t.Errorf("%s: %d %s, want %s", c.args, code, errs, c.want)
		}
	}
	for typed, want := range map[string]string{"z": "zh\n", "f": "fa\tfew terminals join its letters or set it right to left\n"} {
		if _, out, _ := run("__complete", "scenario", "list", "--lang", typed); !strings.HasPrefix(out, want) {
			t.Errorf("offered: %q", out)
		}
	}
}

// A reader's own lesson is told in its own translation, which a command writes and verify reports.
func TestScenario_Translate(t *testing.T) {
	run := func(args ...string) (int, string, string) {
		var out, errs strings.Builder
		code := app.Main(args, strings.NewReader(""), &out, &errs)
		return code, out.String(), errs.String()
	}
	t.Setenv("LANG", "C")
	t.Chdir(t.TempDir())
	if code, _, errs := run("scenario", "new", "my.yaml"); code != 0 {
		t.Fatal(errs)
	}
	if code, _, errs := run("scenario", "translate", "my.yaml", "--lang", "de", "--out", "my.de.yaml"); code != 0 {
		t.Fatal(errs)
	}
	text, err := os.ReadFile("my.de.yaml")
	if err != nil || !strings.Contains(string(text), "# title: A tank that gets a fish\n") {
		t.Fatalf("%s %v", text, err)
	}
	german := strings.Replace(string(text), "# title: A tank that gets a fish", "title: Ein Aquarium bekommt einen Fisch", 1)
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(".", "my.de.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(german)
	if code, out, errs := run("scenario", "run", "my.yaml", "--lang", "de"); code != 0 || !strings.HasPrefix(out, "Ein Aquarium bekommt einen Fisch\n================================\n\nWhat the lesson is about") {
		t.Errorf("%d %.300s %s", code, out, errs)
	}
	if code, out, _ := run("scenario", "verify", "my.yaml", "-v"); code != 0 || !strings.Contains(out, "      my, de: about is not translated\n") || !strings.Contains(out, "ok    de: 0 lessons whole, 1 lacks ") || !strings.HasSuffix(out, "1 passed, 0 failed, 0 skipped\n") {
		t.Errorf("%d %s", code, out)
	}
	if code, out, _ := run("scenario", "verify", "my.yaml", "--translated", "de"); code != 1 || !strings.Contains(out, "FAIL  de: ") {
		t.Errorf("%d %s", code, out)
	}
	write(strings.Replace(german, "title:", "titel:", 1))
	if code, out, _ := run("scenario", "verify", "my.yaml"); code != 1 || !strings.Contains(out, `FAIL  my.de.yaml:2: unknown field "titel"`) {
		t.Errorf("%d %s", code, out)
	}
}
