package book_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/text/language"

	"kubarium/app/book"
	"kubarium/scenarios"
	"kubarium/scenarios/lessontest"
	"kubarium/scenarios/play"
	"kubarium/scenarios/translation"
)

// write makes a book in a new folder.
func write(t *testing.T, lang string, lessons []*scenarios.Lesson) (folder string) {
	t.Helper()
	if err := book.Check(lessons); err != nil {
		t.Fatal(err)
	}
	p := lessontest.MustStartNode(t)
	b := book.Book{Language: lang, Program: "Kubarium test", Now: time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)}
	pages, err := b.Make(t.Context(), lessons, p.URL, play.Options{Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(t.TempDir(), "book")
	f, err := book.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(pages); err != nil {
		t.Fatal(err)
	}
	return folder
}

// find returns lessons by their names.
func find(t *testing.T, names ...string) (lessons []*scenarios.Lesson) {
	t.Helper()
	for _, name := range names {
		l, err := scenarios.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		lessons = append(lessons, l)
	}
	return lessons
}

// A page is what a test looks for in a file.
type page struct {
	title string
	ids   map[string]bool
	links []string
	text  string // all of it
	odd   []string
}

// loads are elements and attributes by which a page loads something, or runs it.
var loads = regexp.MustCompile(`^(script|link|img|iframe|object|embed|base|form|audio|video|source|src|srcset|style|data|action|ping|on.*)$`)

func read(t *testing.T, file string) page {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	p := page{ids: map[string]bool{}}
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode:
			p.text += n.Data
			continue
		case n.Type != html.ElementNode:
			continue
		case n.Data == "title":
			p.title = n.FirstChild.Data
		case n.Data != "style" && loads.MatchString(n.Data):
			p.odd = append(p.odd, n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id" && p.ids[a.Val]:
				t.Errorf("%s: the id %s is there twice", file, a.Val)
			case a.Key == "id":
				p.ids[a.Val] = true
			case a.Key == "href":
				p.links = append(p.links, a.Val)
			case loads.MatchString(a.Key):
				p.odd = append(p.odd, a.Key)
			}
		}
	}
	return p
}

// Each lesson has a page with its steps, each link leads somewhere, and nothing is loaded. No token is printed.
func TestBook(t *testing.T) {
	t.Parallel()
	lessons, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		lessons = find(t, "lost-update", "representations", "who-am-i", "two-writers-one-door")
	}
	folder := write(t, "", lessons)
	pages := map[string]page{}
	for _, l := range lessons {
		name := l.Name + ".html"
		pages[name] = read(t, filepath.Join(folder, name))
		if want := l.Title + " · Lessons on the Kubernetes API"; pages[name].title != want {
			t.Errorf("%s: the title is %q", name, pages[name].title)
		}
		for _, s := range l.Steps {
			if !strings.Contains(s.Title, "{") && !strings.Contains(pages[name].text, s.Title) {
				t.Errorf("%s has no step %q", name, s.Title)
			}
		}
	}
	index := read(t, filepath.Join(folder, book.Index))
	for _, l := range lessons {
		if n := strings.Count(strings.Join(index.links, "\n"), l.Name+".html"); n == 0 {
			t.Errorf("the contents have no link to %s", l.Name)
		}
	}
	pages[book.Index] = index
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != len(pages) {
		t.Errorf("%d files, %v", len(entries), err)
	}
	for name, p := range pages {
		if p.odd != nil {
			t.Errorf("%s may load or run something: %q", name, p.odd)
		}
		if i := strings.Index(p.text, "eyJhbGciOi"); i >= 0 {
			t.Errorf("%s has a token", name)
		}
		for _, link := range p.links {
			to, id, _ := strings.Cut(link, "#")
			if link != scenarios.ConceptsPage+"#"+id && (pages[to].title == "" || id != "" && !pages[to].ids[id]) {
				t.Errorf("%s: the link %s leads nowhere", name, link)
			}
		}
	}
}

// What came is there: the request, the marked and the kept value, and an answer that is an error.
func TestBook_Step(t *testing.T) {
	folder := write(t, "", find(t, "lost-update"))
	text, err := os.ReadFile(filepath.Join(folder, "lost-update.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<span class="who">A</span> <span class="method">POST</span> <code>/api/v1/namespaces/lesson-lost-update-`,
		`<mark>resourceVersion: &#34;`, `<b class="kept">resourceVersion: &#34;`, `<span class="status">409 Conflict</span>`,
		`<li>200</li><li>409</li>`, "reason: Conflict", "Content-Type: application/merge-patch+json",
		"patch configmap tank --type merge",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// A book in another language has its words, in the chrome and in lessons.
func TestBook_Chinese(t *testing.T) {
	l, err := translation.In(find(t, "lost-update")[0], language.Chinese)
	if err != nil {
		t.Fatal(err)
	}
	folder := write(t, "zh", []*scenarios.Lesson{l})
	for name, want := range map[string]string{book.Index: "怎样阅读", "lost-update.html": "请看"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want) || !strings.Contains(string(text), `<html lang="zh" dir="ltr">`) || strings.Contains(string(text), "Look at") {
			t.Errorf("%s is not Chinese", name)
		}
	}
}

// secretLesson writes a Secret, and watches it come.
const secretLesson = `title: A secret
about: It is kept.
course: C
learned: L.
actors: {A: keeps it}
steps:
- title: A watches
  tell: It waits.
  as: A
  watch: {name: w, path: "/api/v1/namespaces/{ns}/secrets?watch=1"}
- title: A writes it
  tell: It is written.
  as: A
  request:
    method: POST
    path: /api/v1/namespaces/{ns}/secrets
    body: {apiVersion: v1, kind: Secret, metadata: {name: word}, stringData: {word: "open sesame"}}
  expect: {status: 201, body: {data.word: {exists: true}}}
- title: It comes
  tell: It comes.
  frames:
    from: w
    expect:
    - {type: ADDED, object: {metadata.name: word, data.word: {exists: true}}}
`

// Secrets are masked in requests, answers and events.
func TestBook_Secret(t *testing.T) {
	folder := write(t, "", []*scenarios.Lesson{lessontest.MustRead(t, "secret.yaml", secretLesson)})
	text := read(t, filepath.Join(folder, "secret.html")).text
	if strings.Contains(text, "open sesame") || strings.Contains(text, "b3BlbiBzZXNhbWU=") || strings.Count(text, "word: ") < 3 {
		t.Error(text)
	}
}

// A lesson that does not hold ends the book.
func TestBook_Fails(t *testing.T) {
	l := lessontest.MustRead(t, "secret.yaml", strings.Replace(secretLesson, "status: 201", "status: 202", 1))
	p := lessontest.MustStartNode(t)
	pages, err := (&book.Book{}).Make(t.Context(), []*scenarios.Lesson{l}, p.URL, play.Options{})
	if err == nil || pages != nil || !strings.Contains(err.Error(), "secret, step 2 (A writes it): status: expected 202") {
		t.Errorf("%d pages, %v", len(pages), err)
	}
}

func TestCheck(t *testing.T) {
	l := find(t, "lost-update", "lost-update")
	if err := book.Check(l); err == nil || err.Error() != "two pages named lost-update.html cannot be in one book" {
		t.Error(err)
	}
	if err := book.Check([]*scenarios.Lesson{{Name: "index"}}); err == nil {
		t.Error("a lesson may be named as the index")
	}
}

// A folder with other files is refused, and one with a book is written again, without pages that the new book has not.
func TestFolder(t *testing.T) {
	folder := write(t, "", find(t, "lost-update"))
	f, err := book.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, book.Index))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write([]book.Page{{Name: book.Index, HTML: text}}); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	other := filepath.Join(folder, "notes.html")
	if err := os.WriteFile(other, []byte("<!doctype html><title>mine</title>"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := book.Open(folder); err == nil || !strings.HasPrefix(err.Error(), other+" is not a page of a book") {
		t.Error(err)
	}
	if _, err := book.Open(other); err == nil {
		t.Error("a file is taken for a folder")
	}
}
