package teller

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"kubarium/cells"
	"kubarium/scenarios"
	"kubarium/scenarios/check"
	"kubarium/scenarios/expr"
	"kubarium/scenarios/words"
)

// A page writes text and keeps the first error.
type page struct {
	w            io.Writer
	err          error
	kubectl      string // as in Options
	*words.Words        // the language of the lesson
}

// opening is the head of a lesson.
func (t *page) opening(l *scenarios.Lesson) {
	t.line("%s\n%s\n", l.Title, strings.Repeat("=", cells.Width(l.Title)))
	t.wrapped("", l.About)
	for _, a := range l.Actors {
		t.wrapped("  ", a.Name+": "+a.Role)
	}
}

// ending says what was learned, and where to go on.
func (t *page) ending(l *scenarios.Lesson) {
	t.line("\nDone. What the lesson made is removed.")
	if l.Learned != "" {
		t.wrapped(t.T("Learned: "), l.Learned)
	}
	if l.Next != "" {
		t.line("Next: kubarium scenario run %s", l.Next)
	}
}

// line writes a line in the language of the lesson.
func (t *page) line(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintln(t.w, expr.Printable(t.F(format, args...)))
	}
}

// width is how wide the text is, in cells.
const width = 88

// wrapped writes a text in lines that begin with prefix, the first one, and as much space, the others.
func (t *page) wrapped(prefix, text string) {
	room := max(1, width-cells.Width(prefix))
	for _, line := range cells.Wrap(strings.Join(strings.Fields(text), " "), room) {
		t.line("%s%s", prefix, line)
		prefix = strings.Repeat(" ", width-room)
	}
}

func (t *page) title(n, of int, s scenarios.Step) { t.line("\n%d/%d  %s", n, of, s.Title) }

// step writes a step that was played.
func (t *page) step(r *check.Result) {
	s := r.Step
	t.wrapped("    ", s.Tell)
	t.outcome(r)
	if s.You != "" && s.As != scenarios.Reader {
		t.command(t.T("You can try, in another terminal:"), s.You)
	} else if s.You != "" {
		t.command(t.T("The same with kubectl:"), s.You)
	}
}

// command writes a command in a line of its own, so that it can be pasted.
func (t *page) command(label, you string) {
	t.line("    %s\n%s", label, scenarios.Command(you, t.kubectl))
}

// outcome writes what was sent and what came of it.
func (t *page) outcome(r *check.Result) {
	s := r.Step
	for _, line := range Before(t.Words, s) {
		t.line("    %s", line)
	}
	if r.Method != "" && s.Answer == nil {
		t.line("    →  %s %s %s", s.As, r.Method, r.Path)
		if s.Each != nil {
			t.wrapped("       ", "the last of those for "+strings.Join(s.Each, ", "))
		}
		t.headers(s)
	}
	if len(r.Body) > 0 {
		t.line("       %s", strings.Join(strings.Fields(expr.Shortened(string(r.Body))), " ")) // in one line, so that it can be copied
	}
	t.answer(r)
	t.heard(r.Heard)
	for _, e := range r.Frames {
		t.line("    ←  %s %s %s, resourceVersion %s", e.Type, e.Kind, e.Name, e.ResourceVersion)
	}
	if r.Ended {
		t.line("    ←  the end of the stream")
	}
	if s.Look != "" {
		t.wrapped(t.T("    Look at: "), s.Look)
	}
}

// heard writes what a server of the lesson was asked.
func (t *page) heard(h *check.Heard) {
	if h == nil {
		return
	}
	t.line("    %s", Asked(t.Words, h))
	if h.Method != "" {
		t.facts(h.Facts)
		t.wrapped("    ⇠  ", h.Answer)
	}
}

// headers writes the request headers that the step is about.
func (t *page) headers(s scenarios.Step) {
	var headers map[string]string
	switch {
	case s.Request != nil:
		headers = s.Request.Headers
	case s.Watch != nil:
		headers = s.Watch.Headers
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		t.line("       %s: %s", name, headers[name])
	}
}

// answer writes the status and the fields that the step is about.
func (t *page) answer(r *check.Result) {
	if r.Brief == "" {
		return
	}
	t.wrapped("    ←  ", r.Brief)
	if len(r.Frames) == 0 {
		t.facts(r.Facts)
	}
}

func (t *page) facts(facts []check.Fact) {
	for _, f := range facts {
		if f.Value != "" {
			t.line("       %s: %s", f.Path, strings.ReplaceAll(expr.Shortened(f.Value), "\n", "\n         "))
		}
	}
}
