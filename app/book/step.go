package book

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/flow/redact"
	"kubarium/scenarios"
	"kubarium/scenarios/check"
	"kubarium/scenarios/expr"
	"kubarium/scenarios/teller"
	"kubarium/scenarios/words"
)

// A step is one that was played, as its page shows it.
type step struct {
	Number int // from 1
	scenarios.Step
	Before  []string // what it did before it sent something, a line each
	Request *message // nil if it sent nothing
	Answer  *message // nil if there was none
	Note    string   // why there was none
	Heard   string   // what a server of the lesson was asked; "" if the step does not say
	Events  []message
	Ended   bool // the stream of events
}

// A message is a request, an answer or an event of a watch.
type message struct {
	Method string
	Line   string // the rest of the first line: the path, the status, or what the event is about
	Failed bool   // an answer that is an error
	Meant  bool   // the step points at the first line
	Header []field
	Body   body
}

// A field is one of a header.
type field struct {
	Name, Value string
	Meant       bool
}

// stepOf makes a step of what came of it, in a lesson's namespace.
func stepOf(w *words.Words, number int, r *check.Result, l *scenarios.Lesson, ns string) step {
	s := step{Number: number, Step: r.Step, Before: teller.Before(w, r.Step), Ended: r.Ended}
	masked, said := mask(r, headers(r.Step, l.Actors.Of(r.Step.As), ns))
	at := place{r.Step}
	if r.Method != "" && r.Step.Answer == nil {
		s.Request = &message{Method: r.Method, Line: masked.Path + query(masked), Header: at.header(masked.RequestHeader, all),
			Body: set(masked.RequestBody.Kept, at.request(), mostSent)}
	}
	switch {
	case r.Status != 0:
		line := fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status))
		s.Answer = &message{Line: line, Failed: r.Status >= http.StatusBadRequest, Header: at.header(masked.ResponseHeader, at.worth),
			Body: set(masked.ResponseBody.Kept, at.answer(), mostUnfolded)}
		at.find(s.Answer, line)
	case r.Method != "" || r.Step.Answer != nil:
		s.Note = said
	}
	if r.Heard != nil {
		s.Heard = teller.Asked(w, r.Heard)
		if r.Heard.Method != "" {
			s.Heard += " → " + r.Heard.Answer
		}
	}
	for i, e := range r.Frames {
		s.Events = append(s.Events, event(e, at, r.Step.Frames.Expect[i]))
	}
	return s
}

// headers are those of a request that the step is about, with who sends it.
func headers(s scenarios.Step, a scenarios.Actor, ns string) http.Header {
	h := http.Header{}
	said := map[string]string{}
	switch {
	case s.Request != nil:
		said = s.Request.Headers
		if t := s.Request.PatchType(); t != "" {
			h.Set("Content-Type", t)
		}
	case s.Watch != nil:
		said = s.Watch.Headers
	}
	values := map[string]string{"ns": ns}
	if a.User != "" {
		h.Set("Impersonate-User", expr.Fill(a.User, values))
	}
	for _, g := range a.Groups {
		h.Add("Impersonate-Group", expr.Fill(g, values))
	}
	if a.Token != "" {
		h.Set("Authorization", "Bearer "+a.Token)
	}
	for name, v := range said {
		h.Set(name, v)
	}
	return h
}

// mask returns the request and its answer without secrets, and what the step says of the answer.
func mask(r *check.Result, h http.Header) (f *flow.Flow, said string) {
	path, query, _ := strings.Cut(r.Path, "?")
	ref, _ := scenarios.RefOf(r.Path)
	answer, _ := bodies.Unpacked(r.Answer)
	f = &flow.Flow{
		Method: r.Method, Path: path, Query: query, RequestHeader: h, RequestBody: flow.Keep(r.Body),
		ResponseHeader: r.Header, ResponseBody: flow.Keep(answer), Message: r.Brief,
		Target: flow.Target{Group: ref.Group, Version: ref.Version, Resource: ref.Resource, Subresource: ref.Subresource},
	}
	return redact.Flow(f), redact.Message(f)
}

func query(f *flow.Flow) string {
	if f.Query == "" {
		return ""
	}
	return "?" + f.Query
}

// A place is where a step points.
type place struct{ step scenarios.Step }

// row is the text of the line that the step points at; "" for none.
func (p place) row() string {
	if p.step.At == nil || p.step.At.Request != 0 {
		return ""
	}
	return p.step.At.Row
}

// path is that of the field that the step points at; "" for none.
func (p place) path() string {
	if p.step.At == nil || p.step.At.Request != 0 {
		return ""
	}
	return p.step.At.Path
}

// request are the marks of the request's body.
func (p place) request() marks {
	m := marks{}
	if p.step.Show.Tab == "request" {
		m.add(p.path(), meant)
	}
	return m
}

// answer are the marks of the answer's body.
func (p place) answer() marks {
	m := marks{}
	if p.step.Show.Tab != "request" {
		m.add(p.path(), meant)
	}
	want := p.step.Expect.Body
	if p.step.Until != nil {
		want = p.step.Until.Body
	}
	for path := range want {
		m.add(path, shown)
	}
	for _, path := range p.step.Keep {
		m.add(path, kept)
	}
	return m
}

// worth reports whether a header of the answer is worth a line: the step expects or points at it, or it says what the body is.
func (p place) worth(name, value string) bool {
	expects := p.step.Expect.Headers
	if p.step.Until != nil {
		expects = p.step.Until.Headers
	}
	for want := range expects {
		if strings.EqualFold(want, name) {
			return true
		}
	}
	return p.points(name) || name == "Warning" || name == "Content-Type" && value != "application/json"
}

// points reports whether the step points at a header.
func (p place) points(name string) bool {
	return p.step.At != nil && p.step.At.Request == 0 && strings.EqualFold(p.step.At.Header, name)
}

func all(string, string) bool { return true }

// header are those of the fields that are worth a line.
func (p place) header(h http.Header, worth func(name, value string) bool) (out []field) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			if worth(name, v) {
				out = append(out, field{name, expr.Shortened(v), p.points(name)})
			}
		}
	}
	return out
}

// event is one of a watch, with what the step expects of it.
func event(e check.Event, at place, want scenarios.Frame) message {
	m := marks{}
	for path := range want.Object {
		m.add(path, shown)
	}
	for _, path := range want.Keep {
		m.add(path, kept)
	}
	m.add("metadata.resourceVersion", shown)
	object, _ := json.Marshal(e.Object) // it came as JSON
	object = []byte(redact.Text(flow.Target{}, string(object)))
	line := strings.TrimSpace(e.Kind + " " + e.Name)
	out := message{Method: e.Type, Line: line, Body: set(object, m, mostUnfolded), Failed: e.Type == "ERROR"}
	at.find(&out, e.Type+" "+line)
	return out
}

// find marks the first line of a message, or else of its body, that has the text at which the step points.
func (p place) find(m *message, first string) {
	row := p.row()
	if row == "" {
		return
	}
	if m.Meant = strings.Contains(first, row); m.Meant {
		return
	}
	if i := slices.IndexFunc(m.Body.Short, func(l line) bool { return strings.Contains(l.Text, row) }); i >= 0 {
		m.Body.Short[i].mark = meant
	}
}
