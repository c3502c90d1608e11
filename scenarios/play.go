package scenarios

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Result is what came of a step.
type Result struct {
	Step   Step   // with its texts filled in
	Method string // of the request or the watch; "" if the step sent nothing
	Path   string
	Body   []byte  // as sent
	Status int     // of the answer; 0 if there was none
	Answer []byte  // the body of the answer; nil for a watch
	Brief  string  // the answer in a line: "409 Conflict (…)"
	Facts  []Fact  // what was checked, in order
	Frames []Event // of a step that waits for frames
	Ended  bool    // whether the stream of the frames has ended, as the step expects
}

// A Fact is a field that was checked, and what it was.
type Fact struct {
	Path  string
	Value string // "" if there is no such field
}

// An Event is a frame of a watch in short.
type Event struct {
	Type, Kind, Name, ResourceVersion string
}

// patchTypes are the Content-Types of patches.
var patchTypes = map[string]string{
	"json": "application/json-patch+json", "merge": "application/merge-patch+json",
	"strategic": "application/strategic-merge-patch+json", "apply": "application/apply-patch+yaml",
}

// filled returns the step with values in the place of its placeholders.
func (s Step) filled(values map[string]string) Step {
	for _, t := range []*string{&s.Title, &s.Tell, &s.Look, &s.You} {
		*t = fill(*t, values)
	}
	if s.Predict != nil {
		p := *s.Predict
		p.Ask = fill(p.Ask, values)
		s.Predict = &p
	}
	if s.Request != nil {
		r := *s.Request
		r.Path = fill(r.Path, values)
		r.Body, r.Text = fillBody(r.Body, values), fill(r.Text, values)
		r.Headers = fillHeaders(r.Headers, values)
		s.Request = &r
	}
	if s.Watch != nil {
		w := *s.Watch
		w.Path = fill(w.Path, values)
		w.Headers = fillHeaders(w.Headers, values)
		s.Watch = &w
	}
	return s
}

func fillHeaders(headers, values map[string]string) map[string]string {
	out := maps.Clone(headers)
	for name, v := range out {
		out[name] = fill(v, values)
	}
	return out
}

// fillBody fills the texts of a body, keys included.
func fillBody(v any, values map[string]string) any {
	switch v := v.(type) {
	case string:
		return fill(v, values)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = fillBody(e, values)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[fill(k, values)] = fillBody(e, values)
		}
		return out
	}
	return v
}

// play does what the step says and checks what came of it.
func (p *Player) play(ctx context.Context, i int, s Step) (*Result, error) {
	r := &Result{Step: s}
	c := &check{result: r, values: p.stage.values, lesson: p.Lesson.Name, step: i + 1}
	switch {
	case s.Request != nil:
		return r, p.playRequest(ctx, s, c)
	case s.Watch != nil:
		return r, p.playWatch(s, c)
	case s.Frames != nil:
		return r, p.playFrames(ctx, s.Frames, c)
	}
	return r, nil
}

func (p *Player) playRequest(ctx context.Context, s Step, c *check) error {
	r := c.result
	r.Method, r.Path = s.Request.Method, s.Request.Path
	r.Body = []byte(s.Request.sent())
	if s.Until != nil {
		return p.repeat(ctx, s, c)
	}
	a, err := p.send(ctx, s.As, s.Request)
	if err != nil {
		return c.broken(err)
	}
	p.stage.made(s.Request, a)
	if err := c.answer(a, &s.Expect); err != nil {
		return err
	}
	return c.keep("body", a.object, s.Keep)
}

// The time between two tries of a step that waits for an answer: it doubles from the first to the last.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
)

// repeat sends the step's request again and again until the answer is what the step waits for. When that takes longer
// than a reader's patience, the last answer's mismatch is the error.
func (p *Player) repeat(ctx context.Context, s Step, c *check) error {
	deadline := time.Now().Add(p.options.Patience)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		a, err := p.send(ctx, s.As, s.Request)
		if err != nil {
			return c.broken(err)
		}
		c.result.Facts = nil
		err = c.answer(a, s.Until)
		if err == nil {
			return c.keep("body", a.object, s.Keep)
		}
		if time.Now().Add(pause).After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return c.broken(ctx.Err())
		case <-time.After(pause):
		}
	}
}

func (p *Player) playWatch(s Step, c *check) error {
	c.result.Method, c.result.Path = http.MethodGet, s.Watch.Path
	stream, a, err := p.watch(s.As, s.Watch)
	if err != nil {
		return c.broken(err)
	}
	c.result.Status, c.result.Answer, c.result.Brief = a.Status, a.Body, a.brief()
	if stream == nil {
		return c.mismatch("status", "200", a.brief())
	}
	p.stage.watches[s.Watch.Name] = stream
	return nil
}

func (p *Player) playFrames(ctx context.Context, f *Frames, c *check) error {
	for i, want := range f.Expect {
		what := fmt.Sprintf("frame %d", i+1)
		got, err := p.next(ctx, p.stage.watches[f.From], want.Type)
		if err != nil {
			return c.mismatch(what, want.Type, err.Error())
		}
		c.result.Frames = append(c.result.Frames, event(got))
		if got.Type != want.Type {
			return c.mismatch(what+" type", want.Type, got.Type+" "+compact(got.Object))
		}
		if err := c.fields(what, got.Object, want.Object); err != nil {
			return err
		}
		if err := c.keep(what, got.Object, want.Keep); err != nil {
			return err
		}
	}
	if f.Ends {
		return p.playEnd(ctx, f.From, c)
	}
	return nil
}

var errStreamEnd = errors.New("the end of the stream")

// playEnd waits for the end of a stream, before which there may be bookmarks alone.
func (p *Player) playEnd(ctx context.Context, from string, c *check) error {
	got, err := p.next(ctx, p.stage.watches[from], "")
	switch {
	case errors.Is(err, errStreamEnd):
		c.result.Ended = true
		return nil
	case err != nil:
		return c.mismatch("stream", errStreamEnd.Error(), err.Error())
	}
	return c.mismatch("stream", errStreamEnd.Error(), got.Type+" "+compact(got.Object))
}

// next waits for the next frame of a stream; bookmarks are passed over unless one is wanted.
func (p *Player) next(ctx context.Context, s *stream, want string) (frame, error) {
	t := time.NewTimer(p.options.Patience)
	defer t.Stop()
	for {
		select {
		case f, open := <-s.frames:
			if !open {
				return frame{}, errStreamEnd
			}
			if f.Type != "BOOKMARK" || want == "BOOKMARK" {
				return f, nil
			}
		case <-t.C:
			return frame{}, fmt.Errorf("nothing within %s", p.options.Patience)
		case <-ctx.Done():
			return frame{}, ctx.Err()
		}
	}
}

func event(f frame) Event {
	text := func(path string) string {
		v, ok := lookup(f.Object, path)
		if !ok {
			return ""
		}
		return show(v)
	}
	return Event{Type: f.Type, Kind: text("kind"), Name: text("metadata.name"), ResourceVersion: text("metadata.resourceVersion")}
}

// A check compares one step's outcome with what is expected.
type check struct {
	result *Result
	values map[string]string
	lesson string
	step   int
}

func (c *check) mismatch(what, expected, actual string) error {
	return &Mismatch{Lesson: c.lesson, Step: c.step, Title: c.result.Step.Title, What: what, Expected: expected, Actual: actual}
}

// broken is an error that is no mismatch: there was no answer.
func (c *check) broken(err error) error {
	return fmt.Errorf("%s, step %d (%s): %w", c.lesson, c.step, c.result.Step.Title, err)
}

// answer checks an answer and makes it the step's result.
func (c *check) answer(a *answer, want *Expect) error {
	c.result.Status, c.result.Answer, c.result.Brief = a.Status, a.Body, a.brief()
	if a.Status != want.Status {
		return c.mismatch("status", fmt.Sprint(want.Status), a.brief())
	}
	for _, name := range sortedKeys(want.Headers) {
		cond := want.Headers[name]
		if err := c.text("header "+name, strings.Join(a.header.Values(name), ", "), &cond); err != nil {
			return err
		}
	}
	if want.Text != nil {
		if err := c.text("text", string(a.Body), want.Text); err != nil {
			return err
		}
	}
	if want.Size != nil {
		if err := c.text("size", fmt.Sprint(len(a.Body)), want.Size); err != nil {
			return err
		}
	}
	return c.fields("body", a.object, want.Body)
}

// text checks a header or a whole body; an empty one is taken as none.
func (c *check) text(what, text string, cond *Condition) error {
	actual := text
	if text == "" {
		actual = "none"
	}
	c.result.Facts = append(c.result.Facts, Fact{Path: what, Value: text})
	if ok, expected := cond.holds(text, text != "", c.values); !ok {
		return c.mismatch(what, expected, actual)
	}
	return nil
}

func (c *check) fields(what string, object map[string]any, want map[string]Condition) error {
	for _, path := range sortedKeys(want) {
		cond := want[path]
		v, found := lookup(object, path)
		actual := "no such field"
		fact := Fact{Path: path}
		if found {
			actual = show(v)
			fact.Value = inShort(v)
		}
		c.result.Facts = append(c.result.Facts, fact)
		if ok, expected := cond.holds(v, found, c.values); !ok {
			return c.mismatch(what+" "+path, expected, actual)
		}
	}
	return nil
}

// inShort shows a value to a reader: of a list, how long it is.
func inShort(v any) string {
	if list, ok := v.([]any); ok {
		return fmt.Sprintf("a list of %d", len(list))
	}
	return show(v)
}

// keep puts fields of an object into the placeholders.
func (c *check) keep(what string, object map[string]any, names map[string]string) error {
	for _, name := range sortedKeys(names) {
		v, found := lookup(object, names[name])
		if !found {
			return c.mismatch(what+" "+names[name], "a value to keep", "no such field")
		}
		c.values[name] = show(v)
	}
	return nil
}

// An answer is an HTTP answer with its body read.
type answer struct {
	Status int
	Body   []byte
	header http.Header
	object map[string]any // the body, unpacked, if it is a JSON object
}

// brief is the answer in a line: the status, and the message if it is a Status.
func (a *answer) brief() string {
	s := fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status))
	if m, ok := lookup(a.object, "message"); ok {
		s += " (" + show(m) + ")"
	}
	return s
}

// send sends a request of an actor and reads the answer.
func (p *Player) send(ctx context.Context, actor string, r *Request) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, p.options.Patience)
	defer cancel()
	response, err := p.do(ctx, actor, r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return readAnswer(response)
}

// maxAnswer bounds the answers that a lesson reads, in bytes.
const maxAnswer = 16 << 20

func readAnswer(response *http.Response) (*answer, error) {
	b, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	a := &answer{Status: response.StatusCode, Body: b, header: response.Header}
	var body io.Reader = bytes.NewReader(b)
	if response.Header.Get("Content-Encoding") == "gzip" { // the step asked for it, so the client has left it packed
		if body, err = gzip.NewReader(body); err != nil {
			return nil, fmt.Errorf("unpack the answer: %w", err)
		}
	}
	d := json.NewDecoder(io.LimitReader(body, maxAnswer))
	d.UseNumber()
	if d.Decode(&a.object) != nil {
		a.object = nil // no JSON object: there are no fields to look at
	}
	return a, nil
}

// Headers by which a server that wants to know recognises a lesson.
const (
	agentPrefix  = "kubarium-lesson/" // opens the User-Agent; the actor's name follows
	lessonHeader = "Kubarium-Lesson"  // the lesson's name
)

func (p *Player) do(ctx context.Context, actor string, r *Request) (*http.Response, error) {
	var body io.Reader
	if text := r.sent(); text != "" {
		body = strings.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, strings.TrimSuffix(p.Server, "/")+r.Path, body)
	if err != nil {
		return nil, err
	}
	h := request.Header
	h.Set("User-Agent", agentPrefix+actor)
	h.Set(lessonHeader, p.Lesson.Name)
	h.Set("Accept", "application/json")
	if body != nil {
		h.Set("Content-Type", "application/json")
	}
	if t := patchTypes[r.Patch]; t != "" {
		h.Set("Content-Type", t)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		h.Set(name, r.Headers[name])
	}
	return p.client.Do(request)
}

// sent is the body as it is sent; "" if there is none.
func (r *Request) sent() string {
	if r.Body != nil {
		return compact(r.Body)
	}
	return r.Text
}

// compact is a value as JSON in one line.
func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
