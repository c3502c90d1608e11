package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/analysis/compare"
	"kubarium/app/debug"
	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/flow/recording"
	"kubarium/scenarios"
	"kubarium/scenarios/play"
)

// Lessons that are played on two servers are the same: their namespaces, groups and objects have random names, and each server gives its
// own resourceVersions and uids.
func TestCompare_Lessons(t *testing.T) {
	var lessons []*scenarios.Lesson
	for _, name := range []string{"create-and-read", "generated-names", "three-ways-to-write", "lost-update", "json-patch", "apply-and-conflicts", "watch-others", "custom-resource"} {
		l, err := scenarios.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		lessons = append(lessons, l)
	}
	played := func() (flows []*flow.Flow) {
		p := programtest.MustStartFor(t)
		playOn(t, p, lessons...)
		for _, l := range programtest.MustReadLines(t, programtest.MustCall(t, 200, "GET", p.URL+debug.FlowsPath+"?limit=10000", "", "")) {
			flows = append(flows, l.Flow)
		}
		return flows
	}
	c := compare.Runs(played(), played(), compare.Options{})
	if len(c.Rows) < 50 || len(c.Names) < len(lessons) {
		t.Errorf("%d rows, names %v", len(c.Rows), c.Names)
	}
	for _, r := range c.Rows {
		// A lesson may ask again until what it waits for has come.
		if r.Kind != compare.Same && r.Soft != compare.ReadAgain {
			t.Errorf("%+v", r)
		}
	}
}

// proxied is a server in front of p that changes requests.
func proxied(t *testing.T, p *program.Program, change func(r *http.Request)) string {
	t.Helper()
	to, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		change(r.Out)
	}})
	t.Cleanup(s.Close)
	return s.URL
}

// mustExportPlayed plays lost-update on a server of its own, changed by a proxy, and exports it to a file.
func mustExportPlayed(t *testing.T, change func(p *program.Program, r *http.Request)) string {
	t.Helper()
	p := programtest.MustStartFor(t)
	l, err := scenarios.Find("lost-update")
	if err != nil {
		t.Fatal(err)
	}
	server := proxied(t, p, func(r *http.Request) { change(p, r) })
	_ = play.Verify(context.Background(), []*scenarios.Lesson{l}, server, play.Options{}) // one that was changed may fail
	file := filepath.Join(t.TempDir(), "run.jsonl")
	mustRun(t, "export", "--server", p.URL, "--out", file)
	return file
}

// firstPut calls change for the first PUT.
func firstPut(change func(p *program.Program, r *http.Request)) func(*program.Program, *http.Request) {
	seen := false
	return func(p *program.Program, r *http.Request) {
		if r.Method == http.MethodPut && !seen {
			seen = true
			change(p, r)
		}
	}
}

// raced writes the object of a request before it, as another client would.
func raced(t *testing.T) func(*program.Program, *http.Request) {
	return func(p *program.Program, r *http.Request) {
		// Kubarium's own requests are not compared, so that what comes in between is not seen, only what it does to the lesson's update.
		req, err := http.NewRequest("PATCH", p.URL+r.URL.Path, strings.NewReader(`{"metadata":{"labels":{"injected":"yes"}}}`))
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Content-Type", programtest.MergeType)
		req.Header.Set("User-Agent", flow.UIAgent)
		resp, err := http.DefaultClient.Do(req)
		if err != nil || resp.StatusCode != 200 {
			t.Error(resp, err)
			return
		}
		resp.Body.Close()
	}
}

// Two runs of a lesson are the same; with one injected difference they part at the right request.
func TestMain_diff(t *testing.T) {
	as := mustExportPlayed(t, func(*program.Program, *http.Request) {})
	same := mustExportPlayed(t, func(*program.Program, *http.Request) {})
	if out := mustRun(t, "diff", as, same); !strings.HasSuffix(out, "\nthe runs do not part\n") {
		t.Errorf("%s", out)
	}
	otherBody := mustExportPlayed(t, firstPut(func(_ *program.Program, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		text = bytes.Replace(text, []byte(`"metadata":{`), []byte(`"metadata":{"labels":{"injected":"yes"},`), 1)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		r.Header.Set("Content-Length", "")
		r.Header.Del("Content-Length")
	}))
	otherAnswer := mustExportPlayed(t, firstPut(raced(t)))
	for file, want := range map[string][]string{
		otherBody:   {"the PUT of configmaps lesson-lost-update-", "/tank was sent with metadata.labels.injected nothing in the first run and yes in the second\n"},
		otherAnswer: {"in the second run the PUT of configmaps lesson-lost-update-", "/tank met 409 Conflict: resourceVersion ", " was stored, ", " sent; in the first run the same request was answered 200\n"},
	} {
		code, out, errs := run("diff", as, file)
		if code != 1 || errs != "" || strings.Count(out, "they part here") != 1 {
			t.Errorf("code %d, %q: %s", code, errs, out)
		}
		for _, text := range want {
			if !strings.Contains(out, text) {
				t.Errorf("no %q in %s", text, out)
			}
		}
	}
	racy := mustExportPlayed(t, firstPut(raced(t)))
	if out := mustRun(t, "diff", "--also", same, "--also", racy, "--all", as, otherAnswer); !strings.Contains(out, "\npassing run: "+racy+"\n") ||
		!strings.Contains(out, "; also so in a passing run: ") || !strings.Contains(out, "\nthe runs do not part\n") {
		t.Errorf("%s", out)
	}
	if code, out, _ := run("diff", "--also", racy, as, otherBody); code != 1 {
		t.Errorf("code %d: %s", code, out)
	}
	if out := mustRun(t, "diff", "--also", racy, "--format", "json", as, otherAnswer); !strings.Contains(out, `"also so in a passing run": `) ||
		!strings.Contains(out, `"parted": null`) || !strings.Contains(out, `"also": [`) {
		t.Errorf("%s", out)
	}
	code, out, _ := run("diff", "--format", "json", "--context", "1", as, otherAnswer)
	var j struct {
		First, Second struct{ Requests int }
		Counts        map[string]int
		Parted        struct {
			Row int
			Why string
		}
		Rows []struct {
			Row           int
			Kind, Request string
			First, Second *struct{ Status int }
		}
	}
	if err := json.Unmarshal([]byte(out), &j); err != nil || code != 1 {
		t.Fatalf("code %d, %v: %s", code, err, out)
	}
	at := j.Rows[1]
	if len(j.Rows) != 3 || at.Row != j.Parted.Row || at.Kind != "different" || at.First.Status != 200 || at.Second.Status != 409 || j.First.Requests < 5 || j.Counts["same"] == 0 {
		t.Errorf("%s", out)
	}
}

// The exit code is 2 for what cannot be read and for what is asked wrongly; a file that is cut is compared as far as it goes.
func TestMain_diffErrors(t *testing.T) {
	line := func(seq uint64, name string) string {
		var b strings.Builder
		f := &flow.Flow{Seq: seq, Method: "GET", Status: 200, Target: flow.Target{Verb: "get", Version: "v1", Resource: "pods", Namespace: "default", Name: name}}
		if err := recording.NewWriter(&b).Flow(f); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	good := mustWriteFile(t, "good", line(1, "a")+line(2, "b"))
	cut := mustWriteFile(t, "cut", line(1, "a")+line(2, "b")[:20])
	foreign := mustWriteFile(t, "foreign", "\x89PNG\n\x00\n")
	none := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{good, none}, "none: no such file or directory"},
		{[]string{good, good, "--also", none}, "none: no such file or directory"},
		{[]string{foreign, good}, "foreign is not a file of recorded requests"},
		{[]string{good, t.TempDir()}, "is a directory"},
		{[]string{good}, "an argument is missing"},
		{[]string{good, good, good}, "unexpected argument"},
		{[]string{good, good, "--context", "-1"}, "--context is a number of rows from 0 on, not -1"},
		{[]string{good, good, "--format", "yaml"}, "--format yaml: must be text or json"},
	} {
		if code, out, errs := run(append([]string{"diff"}, c.args...)...); code != 2 || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: code %d, %q, %q", c.args, code, out, errs)
		}
	}
	code, out, errs := run("diff", good, cut)
	if code != 1 || errs != "kubarium: "+cut+": its last line is cut; 1 requests were read\n" || !strings.Contains(out, "asks for nothing more") {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	if out := mustRun(t, "diff", "--all", good, good); !strings.Contains(out, "GET of pods default/b") {
		t.Errorf("%s", out)
	}
}
