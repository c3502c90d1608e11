package browser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"kubarium/tests/browser"
)

// write puts a page into a file of its own.
func write(t *testing.T, page string) string {
	file := filepath.Join(t.TempDir(), "a page.html")
	if err := os.WriteFile(file, []byte("<!doctype html><meta charset=utf-8>"+page), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPage(t *testing.T) {
	b := browser.Start(t)
	file := write(t, `<link rel="icon" href="data:,"><style>p { color: red } @media (prefers-color-scheme: dark) { p { color: blue } }
		@media print { p { color: green } }</style>
		<p>text</p><details><summary>more</summary>hidden</details><button onclick="document.title = location.hash">press</button>`)
	p := b.Open(file+"#seq=260", browser.View{Width: 400, Height: 300, Dark: true})
	if got := p.Text("p"); got != "text" {
		t.Errorf("text: %q", got)
	}
	p.Keys(kb.Tab, kb.Enter)
	p.Until("document.querySelector('details').open")
	p.Click("button")
	p.Until("document.title === '#seq=260'")
	var seen []any
	p.Eval("[innerWidth, innerHeight, getComputedStyle(document.querySelector('p')).color]", &seen)
	if want := []any{400.0, 300.0, "rgb(0, 0, 255)"}; len(seen) != 3 || seen[0] != want[0] || seen[1] != want[1] || seen[2] != want[2] {
		t.Errorf("view: %v, not %v", seen, want)
	}
	p.Do(browser.View{Print: true}.Set)
	var colour string
	p.Eval("getComputedStyle(document.querySelector('p')).color", &colour)
	if colour != "rgb(0, 128, 0)" {
		t.Errorf("on paper: %s", colour)
	}
	if got := p.Troubles(); len(got) > 0 {
		t.Errorf("a page at peace: %q", got)
	}
	p.Shot("page")
}

// Each thing that a page must not do is noted.
func TestPage_Troubles(t *testing.T) {
	b := browser.Start(t)
	for name, c := range map[string]struct{ page, want string }{
		"picture":   {`<img src="http://example.com/a.png">`, "request: GET http://example.com/a.png"},
		"neighbour": {`<script src="other.js"></script>`, "request: GET file://"},
		"frame":     {`<iframe src="page.html"></iframe>`, "request: GET file://"},
		"fetch":     {`<script>fetch("https://example.com/").catch(() => 0)</script>`, "request: GET https://example.com/"},
		"socket":    {`<script>new WebSocket("ws://example.com/")</script>`, "request: ws://example.com/"},
		"error":     {`<script>undefined.x</script>`, "error: "},
		"promise":   {`<script>Promise.reject(new Error("lost"))</script>`, "lost"},
		"console":   {`<script>console.error("it is", 1)</script>`, `console: "it is" 1`},
		"policy": {`<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><script>alert(1)</script>`,
			"policy: script-src"},
		"link": {`<a href="http://example.com/">away</a><script>document.querySelector("a").click()</script>`,
			"request: GET http://example.com/"},
	} {
		t.Run(name, func(t *testing.T) {
			p := b.Open(write(t, c.page), browser.View{})
			if got := strings.Join(p.Troubles(), "\n"); !strings.Contains(got, c.want) {
				t.Errorf("%q has no %q", got, c.want)
			}
			p.Troubles() // those that came of them
		})
	}
}
