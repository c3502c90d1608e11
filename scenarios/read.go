package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"kubarium/scenarios/document"
	"kubarium/scenarios/expr"
)

// Read reads a lesson; file names it in errors, which say the line: "lessons/x.yaml:12: unknown field …".
func Read(file string, text []byte) (*Lesson, error) {
	l := &Lesson{}
	if err := document.Read(file, text, "lesson", l); err != nil {
		return nil, err
	}
	l.Name = nameOf(file)
	c := &checker{file: file, lines: document.StepLines(text), known: map[string]bool{"ns": true, "id": true, "long": true}, watches: map[string]bool{}, later: map[string]bool{}}
	if err := c.lesson(l); err != nil {
		return nil, err
	}
	return l, nil
}

// A checker looks for what a lesson must have beyond its form, step by step, so that a placeholder is known only after
// the step that keeps it.
type checker struct {
	file    string
	lines   []int
	known   map[string]bool // placeholders
	watches map[string]bool
	later   map[string]bool // requests that are held, and whose answer no step has awaited
}

func (c *checker) lesson(l *Lesson) error {
	switch {
	case l.Title == "":
		return fmt.Errorf("%s: the lesson has no title", c.file)
	case l.About == "":
		return fmt.Errorf("%s: the lesson does not say what it is about", c.file)
	case len(l.Steps) == 0:
		return fmt.Errorf("%s: the lesson has no steps", c.file)
	}
	if err := l.Actors.check(); err != nil {
		return fmt.Errorf("%s: %w", c.file, err)
	}
	for _, p := range l.Needs {
		if !strings.HasPrefix(p, "/") && p != NeedRBAC {
			return fmt.Errorf("%s: need %q is neither a path nor %s", c.file, p, NeedRBAC)
		}
	}
	if err := c.servers(l); err != nil {
		return fmt.Errorf("%s: %w", c.file, err)
	}
	for i := range l.Steps {
		s := &l.Steps[i]
		if err := c.step(l, s); err != nil {
			place := c.file
			if i < len(c.lines) {
				place = fmt.Sprintf("%s:%d", c.file, c.lines[i])
			}
			return fmt.Errorf("%s: step %d (%s): %w", place, i+1, s.Title, err)
		}
	}
	for _, p := range l.Cleanup {
		if err := c.path(p); err != nil {
			return fmt.Errorf("%s: cleanup: %w", c.file, err)
		}
	}
	return nil
}

var actorName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,30}$`)

func (c *checker) step(l *Lesson, s *Step) error {
	if s.Title == "" || s.Tell == "" {
		return errors.New("a step has a title and tells something")
	}
	if p := s.Predict; p != nil && (p.Ask == "" || !slices.Contains(p.Choices, p.Answer)) {
		return errors.New("predict asks something, and its answer is one of its choices")
	}
	acts := 0
	for _, has := range []bool{s.Request != nil, s.Answer != nil, s.Watch != nil, s.Frames != nil} {
		if has {
			acts++
		}
	}
	if acts > 1 {
		return errors.New("a step is one of request, answer, watch and frames")
	}
	if err := c.actor(l, s); err != nil {
		return err
	}
	if err := c.faults(l, s); err != nil {
		return err
	}
	if s.Request != nil {
		if err := c.guard(s.Request); err != nil {
			return err
		}
	}
	if err := s.Show.check(); err != nil {
		return err
	}
	if s.Predict != nil {
		if err := c.texts(s.Predict.Ask); err != nil { // it is asked before the step keeps anything
			return err
		}
	}
	if err := c.act(s); err != nil {
		return err
	}
	if err := c.ofServers(l, s); err != nil {
		return err
	}
	return c.texts(s.Tell, s.Look, s.You, s.Show.Object)
}

// actor looks who sends the step's request or watch.
func (c *checker) actor(l *Lesson, s *Step) error {
	sends := s.Request != nil || s.Watch != nil
	switch {
	case s.As == Reader && (!sends || s.You == ""):
		return errors.New("as: a step of the reader has a command in you, and the request or the watch that it makes")
	case sends && s.As != Reader && !l.Actors.has(s.As):
		return fmt.Errorf("as: there is no actor %q", s.As)
	}
	actor := l.Actors.of(s.As)
	return c.texts(append([]string{actor.User, actor.Token}, actor.Groups...)...)
}

// act checks what the step does, and learns the placeholders that it keeps.
func (c *checker) act(s *Step) error {
	if s.Request == nil && s.Answer == nil && (s.Expect.says() || s.Keep != nil) || s.Request == nil && s.Until != nil {
		return errors.New("expect, until and keep are about the answer to a request, and there is none")
	}
	switch {
	case s.Request != nil:
		return c.request(s)
	case s.Answer != nil:
		return c.held(s)
	case s.Watch != nil:
		if s.Watch.Name == "" || c.watches[s.Watch.Name] {
			return errors.New("a watch has a name of its own")
		}
		c.watches[s.Watch.Name] = true
		if err := c.headers(s.Watch.Headers); err != nil {
			return err
		}
		return c.path(s.Watch.Path)
	case s.Frames != nil:
		return c.frames(s.Frames)
	}
	return nil
}

var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}

func (c *checker) request(s *Step) error {
	r := s.Request
	if !slices.Contains(methods, r.Method) {
		return fmt.Errorf("method %q %s", r.Method, document.NoneOf(r.Method, methods))
	}
	if err := c.path(r.Path); err != nil {
		return err
	}
	if r.Patch != "" && patchTypes[r.Patch] == "" {
		return fmt.Errorf("patch %q is none of json, merge, strategic and apply", r.Patch)
	}
	if r.Method == "PATCH" && r.Patch == "" && r.Headers["Content-Type"] == "" {
		return errors.New("a PATCH says its type in patch")
	}
	if r.Body != nil && r.Text != "" {
		return errors.New("a request has body or text, not both")
	}
	body, err := json.Marshal(r.Body)
	if err != nil {
		return fmt.Errorf("the body cannot be JSON: %w", err)
	}
	if err := c.headers(r.Headers); err != nil {
		return err
	}
	if err := c.texts(string(body), r.Text); err != nil {
		return err
	}
	if s.Later != "" {
		return c.sentLater(s)
	}
	if err := c.answer(s); err != nil {
		return err
	}
	return c.keep(s.Keep)
}

func (c *checker) headers(headers map[string]string) error {
	for name, v := range headers {
		if strings.ContainsAny(name+v, "\r\n") {
			return fmt.Errorf("header %q has a line break", name)
		}
		if err := c.texts(v); err != nil {
			return err
		}
	}
	return nil
}

// answer checks what the step says about the answer to its request.
func (c *checker) answer(s *Step) error {
	if s.Until == nil && s.Expect.None {
		return s.lost()
	}
	if s.Until == nil {
		return c.expect("expect", &s.Expect)
	}
	if s.Expect.says() {
		return errors.New("a step has expect or until, not both")
	}
	if !s.Request.writesNothing() {
		return errors.New("until repeats its request, which is for one that writes nothing: a GET, a dry run or a review")
	}
	return c.expect("until", s.Until)
}

func (c *checker) expect(what string, e *Expect) error {
	if e.None {
		return fmt.Errorf("%s: none is not for this step, which waits for an answer", what)
	}
	if e.Status < 100 || e.Status > 599 {
		return fmt.Errorf("%s says no status of the answer", what)
	}
	for what, cond := range map[string]*expr.Condition{"text": e.Text, "size": e.Size} {
		if cond == nil {
			continue
		}
		if err := c.condition(what, cond); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		cond := e.Headers[name]
		if err := c.condition(name, &cond); err != nil {
			return err
		}
	}
	return c.conditions(e.Body)
}

// says reports whether there is anything in it.
func (e *Expect) says() bool {
	return e.None || e.Status != 0 || e.Headers != nil || e.Body != nil || e.Text != nil || e.Size != nil
}

var frameTypes = []string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"}

func (c *checker) frames(f *Frames) error {
	if !c.watches[f.From] {
		return fmt.Errorf("frames: no step before opened a watch named %q", f.From)
	}
	if len(f.Expect) == 0 && !f.Ends {
		return errors.New("frames expects none")
	}
	for _, e := range f.Expect {
		if !slices.Contains(frameTypes, e.Type) {
			return fmt.Errorf("frame type %q %s", e.Type, document.NoneOf(e.Type, frameTypes))
		}
		if err := c.conditions(e.Object); err != nil {
			return err
		}
		if err := c.keep(e.Keep); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) conditions(m map[string]expr.Condition) error {
	for p, cond := range m {
		if err := expr.CheckPath(p); err != nil {
			return err
		}
		if err := c.condition(p, &cond); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) condition(of string, cond *expr.Condition) error {
	if err := cond.Check(); err != nil {
		return fmt.Errorf("%s: %w", of, err)
	}
	return c.texts(cond.Texts()...)
}

func (c *checker) keep(m map[string]string) error {
	for name, p := range m {
		if !serverName.MatchString(name) {
			return fmt.Errorf("keep: %q is not a name for a placeholder", name)
		}
		if err := expr.CheckPath(p); err != nil {
			return err
		}
	}
	for name := range m {
		c.known[name] = true
	}
	return nil
}

func (c *checker) path(p string) error {
	if !strings.HasPrefix(p, "/") || strings.ContainsAny(p, " \t\r\n#") {
		return fmt.Errorf("path %q does not begin with / or is not escaped", p)
	}
	return c.texts(p)
}

// texts checks that all placeholders in them are known.
func (c *checker) texts(texts ...string) error {
	for _, t := range texts {
		for _, p := range expr.Placeholders(t) {
			if !c.known[strings.Trim(p, "{}")] {
				return fmt.Errorf("nothing before it keeps a value for %s", p)
			}
		}
	}
	return nil
}
