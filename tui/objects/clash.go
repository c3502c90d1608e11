package objects

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"kubarium/analysis/conflict"
	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/flow/redact"
	"kubarium/tui/action"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// A clash is an edit of a version that is no longer the stored one.
type clash struct {
	e       *edit
	a       *action.Action // the refused update
	now     []byte         // the stored object
	merged  []byte         // now, with the user's changes to fields that no other client changed
	clashes []string       // fields that both changed
	rows    []conflict.Row
	f       *flow.Flow // the refused request, to find secrets in it
}

// clash shows both sides, and asks what to do with the user's.
func (e *edit) clash(a *action.Action, now []byte) {
	c := &clash{e: e, a: a, now: now}
	base, mine, theirs := object.Parse(e.base), object.Parse(a.Body), object.Parse(now)
	merged, clashes := conflict.Merge(base, mine, theirs)
	text, err := json.Marshal(merged)
	if err != nil {
		e.back(err.Error())
		return
	}
	c.merged, c.clashes = action.At(text, revisionOf(now)), clashes
	c.f = &flow.Flow{
		Method:      http.MethodPut,
		Target:      flow.Target{Verb: "update", Group: e.of.Group, Resource: e.of.Name},
		RequestBody: flow.Body{Kept: a.Body, Total: int64(len(a.Body))},
		Conflict:    &flow.Conflict{Kind: flow.StaleRevision, Base: e.base, Object: now},
	}
	isStatus := func(r conflict.Row) bool { return r.Path == "status" || strings.HasPrefix(r.Path, "status.") }
	c.rows = slices.DeleteFunc(conflict.Compare(c.f, nil).Rows, isStatus)
	e.o.env.Over = c.question()
}

func (c *clash) question() *term.Question {
	return &term.Question{
		Title: c.e.o.env.F("409: %s was changed by another client", action.Name(c.e.of, c.e.key)), Lines: c.lines,
		Items: []term.Item{
			{Key: "m", Label: "put your change on top of theirs and send it", Off: c.cannotMerge(), Do: c.merge},
			{Key: "e", Label: "open the editor again, on the new version", Do: c.reopen},
			c.e.o.copyItem(c.a),
		},
		Esc:    "give up; your text is kept in a file",
		Closed: func() { c.e.keep("not stored, as another client changed the object") },
	}
}

func (c *clash) cannotMerge() string {
	if n := len(c.clashes); n > 0 {
		return term.Plural(n, "field") + " changed on both sides"
	}
	return ""
}

// merge sends the changes of both sides, as an update of the new version.
func (c *clash) merge() {
	c.e.base = c.now
	c.e.put(c.merged)
}

// reopen opens the editor on the new version, with the user's changes to fields that no other client changed; the other
// changes are listed above it.
func (c *clash) reopen() {
	e := c.e
	text, err := action.Text(c.merged)
	theirs, errNow := action.Text(c.now)
	if err != nil || errNow != nil {
		e.back("the new version cannot be written as YAML")
		return
	}
	e.base, e.from, e.again = c.now, theirs, true
	e.head = e.heading()
	var words []string
	for _, r := range c.rows {
		if slices.ContainsFunc(c.clashes, func(p string) bool { return r.Path == p || strings.HasPrefix(r.Path, p) }) {
			words = append(words, fmt.Sprintf("%s: yours was %s, theirs is below", r.Path, orNone(r.Sent)))
		}
	}
	if len(words) == 0 {
		words = []string{"Your change is on top of the new version already."}
	} else {
		words = append([]string{"Changed on both sides:"}, words...)
	}
	e.open(words, text)
}

func orNone(v any) string {
	if v == nil {
		return "nothing"
	}
	return object.Text(v)
}

// lines are the fields that differ: as the user read them, as stored, and as the user wrote them.
func (c *clash) lines(w int) []term.Line {
	value := max(8, min(36, (w-24)/3-1))
	name := max(10, w-3*(value+1))
	head := term.Line{term.Head.Of(term.Pad("field", name))}
	now := "now, rv " + revisionOf(c.now)
	if rv, err := strconv.ParseInt(revisionOf(c.now), 10, 64); err == nil && c.e.o.env.Feed.Writers[rv] != "" {
		now += " by " + c.e.o.env.Feed.Writers[rv]
	}
	for _, h := range []string{"read, rv " + revisionOf(c.e.base), now, "yours"} {
		head = append(head, term.Head.Of(term.Pad(term.Fit(h, value), value+1)))
	}
	out := []term.Line{head}
	for i := range c.rows {
		out = append(out, c.row(&c.rows[i], name, value))
	}
	out = append(out, nil)
	verdict := "No field changed on both sides: your change can go on top of theirs."
	if n := len(c.clashes); n > 0 {
		verdict = term.Plural(n, "field") + " changed on both sides: you have to choose one of the values."
	}
	out = append(out, term.WrapLines(term.Plain, verdict, w)...)
	if object.TextIn(object.Parse(c.now), "metadata", "uid") != object.TextIn(object.Parse(c.e.base), "metadata",
		"uid") {
		out = append(out, term.WrapLines(term.Warn, "It was deleted and created again: this is another object with "+
			"that name.", w)...)
	}
	return out
}

func (c *clash) row(r *conflict.Row, name, value int) term.Line {
	cell := func(v any, changed bool) term.Span {
		mark := term.Pick(changed, " ◀", "")
		s := "–"
		switch {
		case v == nil:
		case !c.e.o.env.Unmasked && redact.Field(r.Path, redact.Keys(c.f)):
			s = "•••"
		default:
			s = term.Fit(object.Text(v), value-2)
		}
		return term.Pick(changed, term.Add, term.Plain).Of(term.Pad(s+mark, value+1))
	}
	return term.Line{term.Name.Of(term.Pad(label.ShortPath(r.Path, name-1), name)), cell(r.Base, false),
		cell(r.Stored, r.Moved), cell(r.Sent, r.Asked)}
}
