package teller_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"golang.org/x/text/language"

	"kubarium/app/shown"
	"kubarium/scenarios"
	"kubarium/scenarios/lessontest"
	"kubarium/scenarios/play"
	"kubarium/scenarios/teller"
	"kubarium/scenarios/translation"
	"kubarium/server/controllers"
)

// A reader at a terminal is asked before each step, foretells, gets commands to paste with the server in them, and at the end what
// was learned and where to go on.
func TestGuide(t *testing.T) {
	p := lessontest.MustStart(t, controllers.List{})
	l, err := scenarios.Find("lost-update")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	in := strings.NewReader(strings.Repeat("\n", 5) + "7\n1\n" + strings.Repeat("\n", 20)) // 7 is no choice, 1 the wrong one
	if err := teller.Guide(t.Context(), in, &out, l, p.URL, play.Options{Kubectl: " -s " + p.URL}); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		"[enter: next step, q: end]", "       1  200\n       2  409\n", "    It is: 409\n", "←  409 Conflict",
		"\nkubectl -s " + p.URL + " -n lesson-lost-update-", "Learned: Send the resourceVersion", "Next: kubarium scenario run watch-others",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "[enter: next"); n != len(l.Steps) {
		t.Errorf("asks before %d of %d steps", n, len(l.Steps))
	}
}

// A lesson in Chinese is told in Chinese altogether.
func TestTell_Chinese(t *testing.T) {
	p := lessontest.MustStart(t, controllers.List{})
	l, err := scenarios.Find("lost-update")
	if err != nil {
		t.Fatal(err)
	}
	if l, err = translation.In(l, language.Chinese); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := teller.Tell(t.Context(), &out, l, p.URL, play.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"    请看： ", "完成。课程创建的内容已移除。", "学到了： ", "下一个：kubarium scenario run watch-others"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "Look at") {
		t.Error("some of it is English")
	}
}

// q ends a lesson, and so does the end of the input; what it made is removed.
func TestGuide_Quit(t *testing.T) {
	p := lessontest.MustStart(t, controllers.All())
	l, err := scenarios.Find("lost-update")
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{"\n\nq\n", "\n\n", "\n\n\n\n\nq\n"} {
		var out strings.Builder
		if err := teller.Guide(t.Context(), strings.NewReader(in), &out, l, p.URL, play.Options{}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(out.String(), "\nStopped. What the lesson made is removed.\n") {
			t.Errorf("%q ends with %s", in, out.String()[max(0, out.Len()-200):])
		}
	}
	lessontest.UntilAsNew(t, p.URL)
}

// A guide that is cancelled stops although its reader types nothing.
func TestGuide_Cancelled(t *testing.T) {
	p := lessontest.MustStart(t, controllers.List{})
	ctx, cancel := context.WithCancel(t.Context())
	in, _ := io.Pipe()
	out := &console{ask: func(text string) { cancel() }}
	if err := teller.Guide(ctx, in, out, lessontest.Asking(), p.URL, play.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A console is a terminal's screen; ask is called with all the text each time that something is asked.
type console struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
	ask  func(text string)
}

func (c *console) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

func (c *console) Write(b []byte) (int, error) {
	c.mu.Lock()
	c.text.Write(b)
	all := c.text.String()
	c.mu.Unlock()
	if bytes.HasSuffix(b, []byte("] ")) {
		c.ask(all)
	}
	return len(b), nil
}

var patched = regexp.MustCompile(`\nkubectl -n (\S+) patch configmap tank`)

// A step of the reader's waits for the reader's own request, says what came in its place, and goes on by itself when it came.
func TestGuide_Hand(t *testing.T) {
	p := lessontest.MustStart(t, controllers.List{})
	l, err := scenarios.Find("lost-update")
	if err != nil {
		t.Fatal(err)
	}
	in, keys := io.Pipe()
	patch := func(url string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, url, strings.NewReader(`{"data":{"fish":"4"}}`))
		if err != nil {
			t.Error(err)
			return
		}
		r.Header.Set("Content-Type", "application/merge-patch+json")
		if response, err := http.DefaultClient.Do(r); err == nil {
			response.Body.Close()
		}
	}
	console := &console{}
	console.ask = func(text string) {
		m := patched.FindStringSubmatch(text)
		if m == nil {
			go keys.Write([]byte("\n"))
			return
		}
		go func() {
			patch(p.URL + "/api/v1/namespaces/" + m[1] + "/configmaps/pond") // a 404
			for t.Context().Err() == nil && !strings.Contains(console.String(), "configmaps/pond;") {
				time.Sleep(time.Millisecond) // a reader has time to read it
			}
			patch(p.URL + "/api/v1/namespaces/" + m[1] + "/configmaps/tank")
		}()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := teller.Guide(ctx, in, console, l, p.URL, play.Options{Witness: shown.Witness(p.Log)}); err != nil {
		t.Fatalf("%v\n%s", err, console.text.String())
	}
	for _, want := range []string{"a patch of configmaps/pond; this step wants a patch of configmaps/tank", "data.fish: 4", "Done."} {
		if !strings.Contains(strings.Join(strings.Fields(console.text.String()), " "), want) {
			t.Errorf("%q is missing in\n%s", want, console.text.String())
		}
	}
}

// What the terminal shows has the story, the requests and the answers in it.
func TestTell(t *testing.T) {
	t.Parallel()
	p := lessontest.MustStartNode(t)
	lessons, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lessons {
		var b strings.Builder
		if err := teller.Tell(t.Context(), &b, l, p.URL, play.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{l.Title, "Look at: ", "\n    →  A ", " /api", "lesson-" + l.Name + "-", "←  201 Created", "Done."} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %q is missing in\n%s", l.Name, want, b.String())
			}
		}
		if i := strings.IndexFunc(b.String(), func(r rune) bool { return r != '\n' && unicode.IsControl(r) }); i >= 0 {
			t.Errorf("%s: a terminal would obey %q", l.Name, b.String()[i:min(i+20, b.Len())])
		}
		if l.Name == "representations" && !strings.Contains(b.String(), "\n       Accept: application/yaml\n") {
			t.Errorf("%s: nothing tells in which form it is asked for", l.Name)
		}
	}
}

// The page tells what a server of the lesson was asked, and what became of it.
func TestTell_Servers(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	var page strings.Builder
	if err := teller.Tell(t.Context(), &page, lessontest.MustRead(t, "guarded.yaml", lessontest.GuardedHead+lessontest.GuardedRest), s.URL, play.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"    ⇢  guard was asked: POST /check?timeout=2s\n       query: timeout=2s\n       request.dryRun: true\n",
		"    ⇠  denied: not in lesson-guarded-", "    ⇠  allowed, with the patch", "    ⇠  no answer\n",
		"    ⇢  guard was not asked in such a way\n", "    ⊘  the server guard is stopped\n", "    ⊙  the server guard is started again\n",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q:\n%s", want, page.String())
		}
	}
}
