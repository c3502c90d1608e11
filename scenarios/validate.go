package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kubarium/scenarios/document"
)

// A validator looks for what a lesson must have beyond its form, step by step, so that a placeholder is known only after
// the step that keeps it.
type validator struct {
	file  string
	lines []int // of the steps
	scope
}

// controllerName matches kube-controller-manager's names of controllers.
var controllerName = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

func (c *validator) lesson(l *Lesson) error {
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
		if !strings.HasPrefix(p, "/") && p != NeedRBAC && p != NeedNodes {
			return fmt.Errorf("%s: need %q is neither a path nor %s nor %s", c.file, p, NeedRBAC, NeedNodes)
		}
	}
	for _, name := range l.Replaces {
		if !controllerName.MatchString(name) {
			return fmt.Errorf("%s: replaces: %q is not the name of a controller", c.file, name)
		}
	}
	if err := c.servers(l); err != nil {
		return fmt.Errorf("%s: %w", c.file, err)
	}
	for i := range l.Steps {
		s := &l.Steps[i]
		if s.Watch != nil {
			c.opened[s.Watch.Name] = i + 1
		}
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

func (c *validator) step(l *Lesson, s *Step) error {
	if s.Title == "" || s.Tell == "" {
		return errors.New("a step must have a title and tell")
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
	if err := c.closed(s.Close); err != nil {
		return err
	}
	if err := c.act(s); err != nil {
		return err
	}
	if err := c.ofServers(l, s); err != nil {
		return err
	}
	if err := c.at(l, s); err != nil {
		return err
	}
	return c.texts(s.Tell, s.Look, s.You, s.Show.Object)
}

// actor looks who sends the step's request or watch.
func (c *validator) actor(l *Lesson, s *Step) error {
	sends := s.Request != nil || s.Watch != nil
	switch {
	case s.As == Reader && (!sends || s.You == ""):
		return errors.New("as: a step of the reader has a command in you, and the request or the watch that it makes")
	case sends && s.As != Reader && !l.Actors.Has(s.As):
		return fmt.Errorf("as: there is no actor %q", s.As)
	}
	actor := l.Actors.Of(s.As)
	return c.texts(append([]string{actor.User, actor.Token}, actor.Groups...)...)
}

// act checks what the step does, and learns the placeholders that it keeps.
func (c *validator) act(s *Step) error {
	if s.Request == nil && s.Answer == nil && (s.Expect.says() || s.Keep != nil) || s.Request == nil && s.Until != nil {
		return errors.New("expect, until and keep are about the answer to a request, and there is none")
	}
	if s.Request == nil && s.Each != nil {
		return errors.New("each is about a request, and there is none")
	}
	switch {
	case s.Request != nil:
		return c.request(s)
	case s.Answer != nil:
		return c.held(s)
	case s.Watch != nil:
		return c.watch(s)
	case s.Frames != nil:
		return c.frames(s.Frames)
	}
	return nil
}

var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}

func (c *validator) request(s *Step) error {
	r := s.Request
	if !slices.Contains(methods, r.Method) {
		return fmt.Errorf("method %q %s", r.Method, document.NoneOf(r.Method, methods))
	}
	if err := checkPath(r.Path); err != nil {
		return err
	}
	if r.Patch != "" && r.PatchType() == "" {
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
	if err := c.each(s); err != nil {
		return err
	}
	if err := c.headers(r.Headers); err != nil {
		return err
	}
	if err := c.texts(r.Path, string(body), r.Text); err != nil {
		return err
	}
	delete(c.known, each)
	if s.Later != "" {
		return c.sentLater(s)
	}
	if err := c.answer(s); err != nil {
		return err
	}
	return c.keep(s.Keep)
}
