package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/tui/body"
	"kubarium/tui/label"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// MostCopied is how many bytes are sent to a terminal's clipboard; many terminals refuse more.
const MostCopied = 70_000

// A copying is one way to copy a request.
type copying struct {
	key, What string
	Text      func(e *Env, f *flow.Flow) string // "" if the request has nothing of it
	store     *label.Store                      // where the objects must be; nil for anywhere
}

// Copyings are the ways to copy something of a request, in the order of the menu.
var Copyings = []copying{
	{key: "k", What: "kubectl command", Text: func(e *Env, f *flow.Flow) string { return story.Kubectl(f, e.CopyOptions()...) }},
	{key: "c", What: "curl command", Text: func(e *Env, f *flow.Flow) string { return story.Curl(f, e.URL, e.CopyOptions()...) }},
	{key: "b", What: "body", Text: func(e *Env, f *flow.Flow) string { return bodyToCopy(f) }},
	{key: "h", What: "headers", Text: func(e *Env, f *flow.Flow) string { return headersToCopy(f) }},
	{key: "s", What: label.SQLite.Copy, store: label.SQLite, Text: func(e *Env, f *flow.Flow) string { return story.SQL(f, e.CopyOptions()...) }},
	{key: "s", What: label.Etcd.Copy + " commands", store: label.Etcd, Text: func(e *Env, f *flow.Flow) string { return story.Etcdctl(f, label.Etcdctl(e.DB), e.CopyOptions()...) }},
	{key: "r", What: "resourceVersion", Text: func(e *Env, f *flow.Flow) string { return strings.TrimSuffix(label.Revision(f.Revision), "–") }},
	{key: "l", What: "line", Text: func(e *Env, f *flow.Flow) string { return story.Line(f) }},
}

// CopyOptions say where the server is, and whether commands are copied with their secrets.
func (e *Env) CopyOptions() []story.Option {
	options := []story.Option{story.At(e.URL)}
	if e.Kubeconfig != "" {
		options = append(options, story.By(e.Kubeconfig))
	}
	if e.Unmasked {
		options = append(options, story.Unmasked)
	}
	return options
}

// AskCopy offers what of the selected request can be copied, and the command of the lesson.
func (e *Env) AskCopy() {
	m := &term.Menu{Title: "Copy"}
	if f := e.Shown(); f != nil {
		m.Title = fmt.Sprintf("Copy of #%d", f.Seq)
		m.Items = e.copyItems(f)
	}
	if e.LessonCommand() != "" {
		m.Items = append(m.Items, term.Item{Key: "u", Label: "what the lesson offers you", Do: e.CopyLessonCommand})
	}
	e.Over = m
}

// copyItems are the ways to copy a request.
func (e *Env) copyItems(f *flow.Flow) []term.Item {
	var out []term.Item
	for _, c := range Copyings {
		if c.store != nil && c.store != e.Store() {
			continue
		}
		off := ""
		if c.Text(e, f) == "" {
			off = "there is none"
		}
		out = append(out, term.Item{Key: c.key, Label: c.What, Off: off, Do: func() {
			e.Copied = func() { e.copy(c) }
			e.Copied()
		}})
	}
	return out
}

// copy sends text to the terminal's clipboard. Text that is too long for a terminal is offered in other ways.
func (e *Env) copy(c copying) {
	f := e.Shown()
	if f == nil {
		e.Say("no request is selected")
		return
	}
	s := c.Text(e, f)
	switch {
	case s == "":
		e.Say("#%d has no %s", f.Seq, c.What)
	case len(s) > MostCopied:
		e.OfferLong(fmt.Sprintf("%s of #%d", c.What, f.Seq), s)
	default:
		e.CopyText(c.What, s)
	}
}

// bodyToCopy is what was sent, or what came back where nothing was sent.
func bodyToCopy(f *flow.Flow) string {
	b := f.RequestBody.Kept
	if len(b) == 0 {
		b = f.ResponseBody.Kept
	}
	if !bodies.LooksText(b) {
		return ""
	}
	if json.Valid(b) {
		return strings.Join(body.Pretty(b), "\n")
	}
	return string(b)
}

func headersToCopy(f *flow.Flow) string {
	var b strings.Builder
	names := make([]string, 0, len(f.RequestHeader))
	for n := range f.RequestHeader {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		for _, v := range f.RequestHeader[n] {
			fmt.Fprintf(&b, "%s: %s\n", n, v)
		}
	}
	return b.String()
}

// CopyLessonCommand copies the command that the lesson offers.
func (e *Env) CopyLessonCommand() {
	s := e.LessonCommand()
	if s == "" {
		e.Say("this step of the lesson offers no command")
		return
	}
	e.CopyText("the lesson's command", s)
}

// CopyText hands text to the terminal's clipboard, and shows what was copied and how.
func (e *Env) CopyText(what, text string) {
	e.Do(Copy{text})
	e.Say("copied %s, %s, %s", what, term.BytesText(int64(len(text))), e.CopyRoute)
}
