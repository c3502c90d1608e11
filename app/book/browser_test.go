package book_test

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"kubarium/scenarios"
	"kubarium/scenarios/lessontest"
	"kubarium/tests/browser"
)

// A reader goes from the contents to a lesson and opens an answer, by the keyboard alone. Nothing is loaded, which the browser's own
// end of a test checks.
func TestBook_Browser(t *testing.T) {
	b := browser.Start(t)
	folder := write(t, "", find(t, "lost-update", "watch-others"))
	p := b.Open(filepath.Join(folder, "index.html"), browser.View{})
	p.Shot("book-index")
	p.Keys(kb.Tab, kb.Enter)
	p.Until(`document.querySelector("h1").textContent === "Two writers and a lost update"`)
	const solution = `document.querySelector("details.solution")`
	p.Until(solution + ` && !` + solution + `.open && document.readyState === "complete"`)
	for range 20 {
		p.Keys(kb.Tab)
		var there bool
		if p.Eval(`document.activeElement === `+solution+`.firstElementChild`, &there); there {
			break
		}
	}
	p.Keys(kb.Enter)
	p.Until(solution + `.open && ` + solution + `.querySelector(".right").textContent === "409"`)
	p.Shot("book-lesson")
	p.Do(browser.View{Width: 380, Dark: true}.Set)
	p.Until(`document.documentElement.scrollWidth <= innerWidth`)
	p.Shot("book-dark")
}

// On paper answers are open, and what leads around is not there.
func TestBook_Paper(t *testing.T) {
	b := browser.Start(t)
	folder := write(t, "", find(t, "lost-update"))
	p := b.Open(filepath.Join(folder, "lost-update.html"), browser.View{})
	for _, paper := range []bool{false, true} {
		p.Do(browser.View{Print: paper, Width: 794}.Set)
		var answer, around bool
		p.Eval(`document.querySelector(".right").checkVisibility()`, &answer)
		p.Eval(`document.querySelector(".around").checkVisibility()`, &around)
		if answer != paper || around == paper {
			t.Errorf("on paper %v: the answer %v, what leads around %v", paper, answer, around)
		}
	}
	p.Shot("book-paper")
}

// A page in Persian runs from right to left, its code from left to right.
func TestBook_RightToLeft(t *testing.T) {
	b := browser.Start(t)
	l := *find(t, "lost-update")[0]
	l.Title, l.Language = "دو نویسنده و یک به\u200cروزرسانی گم\u200cشده", "fa"
	folder := write(t, "fa", []*scenarios.Lesson{&l})
	p := b.Open(filepath.Join(folder, "lost-update.html"), browser.View{})
	var directions []string
	p.Eval(`["html", "main", "h1", "pre", ".line", ".you pre"].map(s => getComputedStyle(document.querySelector(s)).direction)`, &directions)
	for i, want := range []string{"rtl", "rtl", "rtl", "ltr", "ltr", "ltr"} {
		if i >= len(directions) || directions[i] != want {
			t.Fatalf("%q, want %s at %d", directions, want, i)
		}
	}
	p.Shot("book-fa")
}

// hostileLesson has texts that a page may take for something else, in each place where a lesson and a server have texts.
const hostileLesson = `title: "<script>document.title='run'</script>"
about: "</p></main><img src=http://example.com/a.png onerror=alert(1)>"
course: "</title><script>alert(1)</script>"
learned: "<!-- "
actors: {A: "<iframe src=http://example.com/></iframe>"}
steps:
- title: "</h2><style>body{background:url(http://example.com/b.png)}</style>"
  tell: "<a href=javascript:alert(1)>x</a>"
  look: "{{.}}<svg onload=alert(1)>"
  predict: {ask: "<b>?", choices: ["<i>", "<u>"], answer: "<i>"}
  you: kubectl get '</code></pre><script>alert(1)</script>'
  as: A
  request:
    method: POST
    path: "/api/v1/namespaces/{ns}/configmaps?fieldManager=%3Cscript%3Ealert(1)%3C/script%3E"
    headers: {X-Test: "<script>alert(1)</script>"}
    body: {apiVersion: v1, kind: ConfigMap, metadata: {name: tank}, data: {fish: "</code></pre><script>document.title='run'</script><img src=x onerror=alert(1)>"}}
  expect: {status: 201}
`

// Hostile texts stay texts.
func TestBook_Hostile(t *testing.T) {
	b := browser.Start(t)
	l := lessontest.MustRead(t, "hostile.yaml", hostileLesson)
	folder := write(t, "", []*scenarios.Lesson{l})
	for _, name := range []string{"hostile.html", "index.html"} {
		p := b.Open(filepath.Join(folder, name), browser.View{})
		var odd int
		p.Eval(`document.querySelectorAll("script, img, iframe, svg, style:not(head *), a[href^=javascript]").length + (document.title === "run")`, &odd)
		if odd > 0 {
			t.Errorf("%s: %d elements come of texts", name, odd)
		}
		if got := p.Text("h1"); name == "hostile.html" && got != l.Title {
			t.Errorf("the heading is %q", got)
		}
	}
}
