package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubarium/scenarios/document"
	"kubarium/scenarios/expr"
)

// addresses are what placeholders say of a server, after its name and a dot.
var addresses = []string{"url", "host", "port", "ca"}

// most bounds how many servers a lesson has, and how many answers each of them.
const most = 100

// MaxThink bounds how long a webhook thinks, in seconds: as long as an API server waits for one at most.
const MaxThink = 30

// servers checks the lesson's servers, and learns their placeholders.
func (c *scope) servers(l *Lesson) error {
	if len(l.Servers) > most {
		return fmt.Errorf("a lesson has at most %d servers", most)
	}
	for _, name := range slices.Sorted(maps.Keys(l.Servers)) {
		if !keptName.MatchString(name) {
			return fmt.Errorf("server %q: a name begins with a small letter, and has only letters and digits", name)
		}
		for _, a := range addresses {
			c.known[name+"."+a] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Servers)) {
		s := l.Servers[name]
		if s == nil || len(s.Reviews)+len(s.Routes) == 0 {
			return fmt.Errorf("server %q has neither reviews nor routes", name)
		}
		if err := c.server(s); err != nil {
			return fmt.Errorf("server %q: %w", name, err)
		}
	}
	return nil
}

func (c *scope) server(s *Server) error {
	if len(s.Reviews)+len(s.Routes) > most {
		return fmt.Errorf("it has at most %d answers", most)
	}
	for i := range s.Reviews {
		if err := c.review(&s.Reviews[i]); err != nil {
			return fmt.Errorf("review %d: %w", i+1, err)
		}
	}
	for i := range s.Routes {
		if err := c.route(&s.Routes[i]); err != nil {
			return fmt.Errorf("route %d: %w", i+1, err)
		}
	}
	return nil
}

func (c *scope) review(r *Review) error {
	if r.Path != "" {
		if err := c.path(r.Path); err != nil {
			return err
		}
	}
	if d := r.Deny; d != nil && (d.Message == "" || d.Code != 0 && (d.Code < 400 || d.Code > 599)) {
		return errors.New("deny has a message, and its code is a status between 400 and 599")
	}
	switch {
	case r.Drop && (r.Deny != nil || r.Patch != nil || r.Warnings != nil || r.Audit != nil):
		return errors.New("drop excludes all else, since there is no answer then")
	case r.Deny != nil && r.Patch != nil:
		return errors.New("what is denied is not patched")
	case r.Seconds < 0 || r.Seconds > MaxThink:
		return fmt.Errorf("seconds is a number from 0 to %d", MaxThink)
	}
	if err := c.conditions(r.When); err != nil {
		return err
	}
	patch, err := json.Marshal(r.Patch)
	if err != nil {
		return fmt.Errorf("the patch cannot be JSON: %w", err)
	}
	if r.Deny != nil {
		if err := c.texts(r.Deny.Message); err != nil {
			return err
		}
	}
	return c.texts(slices.Concat([]string{string(patch)}, r.Warnings, slices.Collect(maps.Values(r.Audit)))...)
}

func (c *scope) route(r *Route) error {
	switch {
	case r.Method != "" && !slices.Contains(methods, r.Method):
		return fmt.Errorf("method %q %s", r.Method, document.NoneOf(r.Method, methods))
	case strings.Contains(r.Path, "?"):
		return fmt.Errorf("path %q has a query; a route is for all of them", r.Path)
	case r.Status != 0 && (r.Status < 200 || r.Status > 599):
		return errors.New("status is between 200 and 599")
	case r.Body != nil && r.Text != "":
		return errors.New("an answer has body or text, not both")
	}
	if err := c.path(r.Path); err != nil {
		return err
	}
	body, err := json.Marshal(r.Body)
	if err != nil {
		return fmt.Errorf("the body cannot be JSON: %w", err)
	}
	if err := c.headers(r.Headers); err != nil {
		return err
	}
	return c.texts(string(body), r.Text)
}

// ofServers checks what a step does with the lesson's servers, and says of them.
func (c *scope) ofServers(l *Lesson, s *Step) error {
	for _, name := range []string{s.Stop, s.Start} {
		if name != "" && l.Servers[name] == nil {
			return fmt.Errorf("stop and start: there is no server %q", name)
		}
	}
	if s.Asked == nil {
		return nil
	}
	a := s.Asked
	switch {
	case l.Servers[a.Server] == nil:
		return fmt.Errorf("asked: there is no server %q", a.Server)
	case a.Method != "" && !slices.Contains(methods, a.Method):
		return fmt.Errorf("asked: method %q %s", a.Method, document.NoneOf(a.Method, methods))
	case s.Watch != nil || s.Frames != nil || s.Later != "":
		return errors.New("asked is not for this step: it is looked at when an answer has come")
	}
	if err := c.texts(a.Path); err != nil {
		return err
	}
	for what, cond := range map[string]*expr.Condition{"query": a.Query, "client": a.Client} {
		if cond == nil {
			continue
		}
		if err := c.condition(what, cond); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Headers)) {
		cond := a.Headers[name]
		if err := c.condition(name, &cond); err != nil {
			return err
		}
	}
	return c.conditions(a.Body)
}

// namespaceName is the label by which a selector means one namespace.
const namespaceName = "kubernetes.io/metadata.name"

// guards are the kinds whose objects apply to all namespaces, and where each of their rules has the selector that narrows that down.
var guards = map[string]func(object map[string]any) []any{
	"ValidatingWebhookConfiguration":   webhookSelectors,
	"MutatingWebhookConfiguration":     webhookSelectors,
	"ValidatingAdmissionPolicyBinding": bindingSelector,
	"MutatingAdmissionPolicyBinding":   bindingSelector,
}

func webhookSelectors(object map[string]any) []any {
	hooks, _ := object["webhooks"].([]any)
	out := make([]any, len(hooks))
	for i, h := range hooks {
		out[i], _ = expr.Lookup(h, "namespaceSelector")
	}
	return out
}

func bindingSelector(object map[string]any) []any {
	selector, _ := expr.Lookup(object, "spec.matchResources.namespaceSelector")
	return []any{selector}
}

// guard checks that a webhook or the binding of a policy applies to the lesson alone.
func (c *scope) guard(r *Request) error {
	object, _ := r.Body.(map[string]any)
	kind, _ := object["kind"].(string)
	selectors := guards[kind]
	if selectors == nil {
		return nil
	}
	for _, s := range selectors(object) {
		if label, _ := expr.Lookup(s, "matchLabels['"+namespaceName+"']"); label != "{ns}" {
			return fmt.Errorf("a %s must mean the lesson alone: its namespaceSelector has matchLabels {%s: \"{ns}\"}", kind, namespaceName)
		}
	}
	return nil
}
