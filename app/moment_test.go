package app_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"kubarium/app"
	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/tui"
)

// A run in which an object changes, is written with an old version, and goes in two phases; rvs are those of its versions by their names.
func momentsRun(t *testing.T, p *program.Program) (rvs map[string]string) {
	t.Helper()
	maps, rvs := p.URL+"/api/v1/namespaces/default/configmaps", map[string]string{}
	note := func(name string) {
		rvs[name], _, _ = strings.Cut(programtest.VersionOf(t, p.URL, "web"), " ")
	}
	programtest.MustCall(t, 201, "POST", maps, programtest.JSONType, `{"metadata":{"name":"web","finalizers":["example.io/held"]},"data":{"k":"one"}}`)
	note("one")
	programtest.MustCall(t, 200, "PATCH", maps+"/web", programtest.MergeType, `{"data":{"k":"two"}}`)
	note("two")
	programtest.MustCall(t, 409, "PUT", maps+"/web", programtest.JSONType, `{"metadata":{"name":"web","resourceVersion":"`+rvs["one"]+`"},"data":{"k":"lost"}}`)
	programtest.MustCall(t, 200, "DELETE", maps+"/web", "", "")
	note("going")
	programtest.MustCall(t, 200, "PATCH", maps+"/web", programtest.MergeType, `{"metadata":{"finalizers":null}}`)
	programtest.MustCall(t, 201, "POST", maps, programtest.JSONType, `{"metadata":{"name":"later"}}`)
	return rvs
}

// momentsScript asks for the pages at each version, and what it is answered there.
func momentsScript(rvs map[string]string) (script string, want []string) {
	script = fmt.Sprintf("at %s\nobject configmaps web\nconflicts\ndeletes\nat %s\nobject configmaps web\nconflicts\nat %s\ndeletes\nobjects configmaps\nat 999999\nat web\nat now\nobjects configmaps\nquit\n", rvs["one"], rvs["two"], rvs["going"])
	return script, []string{
		"PAST: at rv " + rvs["one"], "k: one", "No write has met another one.", "Nothing is terminating",
		"PAST: at rv " + rvs["two"], "k: two", "stale resourceVersion",
		"PAST: at rv " + rvs["going"], "held by 1 of 1 finalizer", "web: ", "example.io/held",
		"rv 999999 is not there yet", `"web" is no number`, "This is ", "later: ",
	}
}

// mustSayInOrder fails unless a text says all of them one behind the other.
func mustSayInOrder(t *testing.T, text string, want []string) {
	t.Helper()
	rest := text
	for _, w := range want {
		at := strings.Index(rest, w)
		if at < 0 {
			t.Fatalf("%q is not said, or not behind what comes before:\n%s", w, text)
		}
		rest = rest[at+len(w):]
	}
}

// The pages of a run that goes on, and of one that was recorded, are those of any version, with the objects as they were.
func TestMoments(t *testing.T) {
	c := programtest.RecordingConfig(t)
	p := programtest.MustStartConfig(t, c)
	programtest.AwaitBootstrap(t, p)
	rvs := momentsRun(t, p)
	script, want := momentsScript(rvs)
	published := p.Log.Stats().Published
	var out bytes.Buffer
	if _, err := tui.Run(t.Context(), tui.Options{Log: p.Log, URL: p.URL, DB: p.DB, Plain: true, In: strings.NewReader(script), Out: &out}); err != nil {
		t.Fatal(err)
	}
	mustSayInOrder(t, out.String(), want)
	flows, _ := p.Log.Since(published, 0)
	for _, f := range flows {
		if !f.Client.Own() || f.Method != "GET" {
			t.Errorf("to look back it sent %s %s", f.Method, f.Path)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	var recorded, errs bytes.Buffer
	if code := app.Main([]string{"open", "--plain", c.Record.File}, strings.NewReader(script), &recorded, &errs); code != 0 {
		t.Fatal(code, errs.String())
	}
	mustSayInOrder(t, recorded.String(), want)
}
