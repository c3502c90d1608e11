// Package pages opens what Kubarium writes for browsers in a real one.
package pages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"kubarium/app"
	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/tests/browser"
)

const maps = "/api/v1/namespaces/default/configmaps"

// hostile is a text that would do something if it were more than text.
const hostile = `<img src=x onerror="document.title='taken'"></script><script>document.title='taken'</script>`

// A client sends requests and stops the test where an answer is not as it should be.
type client struct {
	t   *testing.T
	url string
}

func (c client) ask(code int, method, path, body string) map[string]any {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("User-Agent", "manager/v1 "+hostile)
	req.Header.Set("Content-Type", "application/json")
	if method == "PATCH" {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != code {
		c.t.Fatalf("%s %s: %d %s %v", method, path, resp.StatusCode, text, err)
	}
	var out map[string]any
	_ = json.Unmarshal(text, &out) // some answers are no objects
	return out
}

// object is a ConfigMap of a value.
func object(name, value string) string {
	text, _ := json.Marshal(map[string]any{"metadata": map[string]any{"name": name, "finalizers": []string{"example.com/hold"}}, "data": map[string]string{"k": value}})
	return string(text)
}

// record makes a run with everything that a page shows, and returns its recording.
func record(t *testing.T, value string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "run.kubarium")
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: ":memory:", Sync: "off", History: time.Minute, Record: program.Record{File: file}})
	c := client{t, p.URL}
	watch, err := http.Get(p.URL + maps + "?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Body.Close()
	o := c.ask(201, "POST", maps, object("a", "first"))
	c.ask(200, "PATCH", maps+"/a", `{"data":{"k":"second","rtl":"سلام دنیا"}}`)
	o["data"] = map[string]any{"k": value}
	stale, _ := json.Marshal(o)
	c.ask(409, "PUT", maps+"/a", string(stale))
	c.ask(404, "GET", maps+"/"+"%3Cscript%3E", "")
	c.ask(200, "DELETE", maps+"/a", "")
	c.ask(200, "PATCH", maps+"/a", `{"metadata":{"finalizers":null}}`)
	for range 3 {
		c.ask(200, "GET", maps, "")
	}
	c.ask(201, "POST", "/api/v1/namespaces/default/secrets", `{"metadata":{"name":"s"},"stringData":{"password":"hunter2"}}`)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// kubarium runs a command.
func kubarium(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := app.Main(args, nil, &out, &errs); code != 0 {
		t.Fatalf("%v: %d %s", args, code, errs.String())
	}
	return out.String()
}

// listed are the lines of the list that is shown.
func listed(p *browser.Page) []string {
	var out []string
	p.Eval(`[...document.querySelectorAll("main .row")].map(r => r.innerText.replace(/\s+/g, " ").trim())`, &out)
	return out
}

// filter types a filter in place of the one there is; / leads to it.
func filter(p *browser.Page, text string) {
	p.Keys("/")
	p.Until(`document.activeElement.id === "filter"`)
	p.Eval(`document.querySelector("#filter").select()`, nil)
	p.Keys(text)
}

// at waits until the page shows a place.
func at(p *browser.Page, place string) { p.Until(fmt.Sprintf("location.hash === %q", place)) }

const ready = `document.documentElement.dataset.ready === ""`

func TestRun(t *testing.T) {
	file := record(t, hostile)
	page := filepath.Join(t.TempDir(), "run.html")
	kubarium(t, "export", file, "--out", page)
	text, err := os.ReadFile(page)
	if err != nil || bytes.Contains(text, []byte("hunter2")) || !bytes.HasPrefix(text, []byte("<!doctype html>")) {
		t.Fatal("a secret is on the page, or it is none: ", err)
	}
	b := browser.Start(t)
	p := b.Open(page, browser.View{Width: 1280, Height: 800})
	p.Until(ready)

	{ // requests
		rows := listed(p)
		if len(rows) < 10 || !slices.ContainsFunc(rows, func(r string) bool {
			return strings.HasSuffix(strings.Join(strings.Fields(r)[3:6], " "), "configmaps/a 409")
		}) {
			t.Errorf("%q", rows)
		}
		if text := p.Text(".detail"); !strings.Contains(text, "1 conflict or refusal") || !strings.Contains(text, "manager/v1 "+hostile) {
			t.Errorf("the overview: %s", text)
		}
		p.Shot("run")
	}
	{ // filter and keys
		filter(p, "code:409")
		p.Until(`document.querySelectorAll("main .row").length === 1`)
		p.Keys(kb.Escape, kb.ArrowDown)
		p.Until(`document.querySelector(".detail h2").innerText.includes("409 Conflict")`)
		if text := p.Text(".detail .story"); !strings.Contains(text, "so the server refused and stored nothing") {
			t.Errorf("its story: %s", text)
		}
		filter(p, "nonsense:1")
		p.Until(`document.querySelector("[role=alert]").innerText.includes("there is no field nonsense")`)
		filter(p, kb.Delete+kb.Escape)
		p.Until(`document.querySelectorAll("main .row").length > 9`)
	}
	{ // conflict
		p.Keys("4")
		at(p, "#page=conflicts")
		text := p.Text(".detail")
		for _, want := range []string{"read at", "stored at", "sent", "second", hostile, "changed on both sides"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in: %s", want, text)
			}
		}
		var direction string
		p.Eval(`getComputedStyle([...document.querySelectorAll(".detail bdi")].find(e => e.innerText === "سلام دنیا")).direction`, &direction)
		if direction != "rtl" {
			t.Errorf("a text from the right is set %s", direction)
		}
		p.Click(".detail h2 a")
		p.Until(`document.querySelector(".detail h2").innerText.includes("409 Conflict")`)
	}
	{ // request and answer
		p.Eval(`document.querySelectorAll(".detail details").forEach(d => d.open = true)`, nil)
		p.Until(`document.querySelector(".detail .headers, .detail .tree")`)
		if text := p.Text(".detail"); !strings.Contains(text, "rv check") || !strings.Contains(text, "resourceVersion:") {
			t.Errorf("stations and bodies: %s", text)
		}
	}
	{ // watch
		p.Keys("2")
		at(p, "#page=watches")
		p.Until(`document.querySelector(".lane").width > 0`)
		if text := p.Text(".detail"); !strings.Contains(text, "watches configmaps") || !strings.Contains(text, "DELETED") {
			t.Errorf("%s", text)
		}
	}
	{ // versions and the slider
		p.Keys("3")
		at(p, "#page=objects")
		p.Until(`document.querySelector(".versions a")`)
		versions := strings.Fields(p.Text(".versions"))
		p.Click(".versions li:nth-child(2) a")
		p.Until(`document.querySelector(".detail table")`)
		if text := p.Text(".detail table"); !strings.Contains(text, "data.k") || !strings.Contains(text, "first") || !strings.Contains(text, "second") {
			t.Errorf("what changed: %s", text)
		}
		p.Eval(`(() => { const s = document.querySelector("#until"); s.value = 4; s.dispatchEvent(new Event("input")); })()`, nil)
		p.Until(`location.hash.includes("at=")`)
		if now := strings.Fields(p.Text(".versions")); len(now) == 0 || len(now) >= len(versions) {
			t.Errorf("versions at an early moment: %q of %q", now, versions)
		}
	}
	{ // deletion
		p.Eval(`location.hash = "#deletions"`, nil)
		p.Until(`document.querySelector(".facts")`)
		if text := p.Text(".detail"); !strings.Contains(text, "example.com/hold") || !strings.Contains(text, "removed") {
			t.Errorf("%s", text)
		}
	}
	{ // size
		small := b.Open(page+"?big#conflicts", browser.View{Width: 390, Height: 800, Dark: true})
		small.Until(ready)
		var seen []float64
		small.Eval(`[parseFloat(getComputedStyle(document.documentElement).fontSize), document.documentElement.scrollWidth]`, &seen)
		if len(seen) != 2 || seen[0] != 22 || seen[1] > 390 {
			t.Errorf("size of the text and width of the page: %v", seen)
		}
		small.Shot("narrow")
	}
	if title := ""; true {
		if p.Eval("document.title", &title); strings.Contains(title, "taken") {
			t.Error("a text of the run ran")
		}
	}
}

// A run without a request is a page as well.
func TestRun_empty(t *testing.T) {
	file, page := filepath.Join(t.TempDir(), "empty.jsonl"), filepath.Join(t.TempDir(), "empty.html")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	kubarium(t, "export", file, "--out", page)
	p := browser.Start(t).Open(page, browser.View{})
	p.Until(ready)
	if text := p.Text(".detail"); text != "No request matches." {
		t.Errorf("%s", text)
	}
}

// Two runs are shown side by side, and each place has an address.
func TestRun_compared(t *testing.T) {
	good, bad := record(t, "third"), record(t, "fourth")
	page := filepath.Join(t.TempDir(), "both.html")
	kubarium(t, "export", good, bad, "--out", page)
	b := browser.Start(t)
	p := b.Open(page+"#compare", browser.View{Width: 1280, Height: 800})
	p.Until(ready)
	if text := p.Text(".head"); !strings.Contains(text, "They part at row") || !strings.Contains(text, "data.k") {
		t.Errorf("where they part: %s", text)
	}
	p.Click(".head a")
	p.Until(`document.querySelectorAll(".sides article").length === 2`)
	p.Click("#all")
	if rows := listed(p); len(rows) < 10 {
		t.Errorf("with what is the same: %q", rows)
	}
	p.Shot("compared")
	second := b.Open(page+"#run=1&seq=1", browser.View{})
	second.Until(ready)
	if title := ""; true {
		if second.Eval("document.querySelector('#run').value", &title); title != "1" {
			t.Errorf("the second run has no address: %s", title)
		}
	}
}

// The doctor's report as a page leads from each finding to its requests.
func TestDoctor(t *testing.T) {
	file := record(t, "third")
	page := filepath.Join(t.TempDir(), "doctor.html")
	kubarium(t, "doctor", file, "--format", "html", "--out", page)
	p := browser.Start(t).Open(page, browser.View{Width: 1280, Height: 800})
	p.Until(ready)
	p.Until(`document.querySelector(".detail h3")`)
	if text := p.Text(".detail"); !strings.Contains(text, "Why it matters") || !strings.Contains(text, "What to do") {
		t.Errorf("%s", text)
	}
	p.Click(".detail p a")
	p.Until(`document.querySelector(".detail .story")`)
	p.Shot("doctor")
}

// BenchmarkRun_open measures how long a page with the requests of the file in KUBARIUM_PAGE takes until it can be used,
// and one step of its list after that.
func BenchmarkRun_open(b *testing.B) {
	page := os.Getenv("KUBARIUM_PAGE")
	if page == "" {
		b.Skip("KUBARIUM_PAGE names no page")
	}
	all := browser.Start(b)
	for b.Loop() {
		p := all.Open(page, browser.View{Width: 1280, Height: 800})
		p.Until(ready)
		var opened, step float64
		p.Eval("performance.now()", &opened)
		p.Eval(`new Promise(done => { const l = document.querySelector("#list"), from = performance.now(); let n = 0;
			const next = () => { l.scrollTop += 777; n++ < 60 ? requestAnimationFrame(next) : done((performance.now() - from) / 60); }; next(); })`, &step)
		b.ReportMetric(opened, "ms/open")
		b.ReportMetric(step, "ms/frame")
	}
}
