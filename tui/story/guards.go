package story

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/analysis/guard"
	"kubarium/flow"
)

// guarded describes a request that authentication, authorization or admission refused.
func (s *teller) guarded(g guard.Refusal) {
	s.say("%s tried to %s.", s.who(), s.wish())
	switch g.Guard {
	case guard.Authentication:
		s.say("The server does not know who is asking, so it answered 401 and looked at nothing else.")
		if i := s.Identity; i != nil && i.Failure != "" {
			s.say("The reason, which the client does not learn: %s.", trimStop(i.Failure))
		}
	case guard.Authorization:
		s.say("%s The answer is 403, and nothing was stored.", s.denial())
		s.quote()
	default:
		s.byPlugin(g)
	}
}

// denial says why a request is not allowed.
func (s *teller) denial() string {
	for i := range s.Rights {
		q := &s.Rights[i]
		if q.Decision == flow.Allowed {
			continue
		}
		who := q.User
		if who == "" && s.Identity != nil {
			who = s.Identity.User
		}
		switch n := len(q.Looked) + q.More; {
		case q.Decision == flow.Denied:
			return fmt.Sprintf("%s forbids it.", q.By)
		case n > 0:
			return fmt.Sprintf("%s has %s, and no rule of their roles allows it.", who, plural(n, "binding"))
		default:
			return fmt.Sprintf("No binding gives %s a role that allows it.", who)
		}
	}
	return "The authorizers do not allow it."
}

// byPlugin describes a refusal by a plugin, a policy or a webhook.
func (s *teller) byPlugin(g guard.Refusal) {
	o := guard.Denying(&s.Plugins[len(s.Plugins)-1])
	switch {
	case o == nil:
		s.say("The admission plugin %s refused it, so nothing was stored.", g.Guard)
	case o.Kind == flow.PolicyPart && o.Expression != "":
		s.say("The policy %s refused it: its expression %s is not true of this object. Nothing was stored.", o.Name,
			oneLine(o.Expression))
	case o.Kind == flow.PolicyPart:
		s.say("The policy %s refused it, so nothing was stored.", o.Name)
	case o.Said == flow.SaidFailed:
		s.say("The webhook %s could not be asked, and its failurePolicy says Fail: so the request fails. Nothing was "+
			"stored.", o.Name)
	default:
		s.say("The webhook %s denied it, so nothing was stored.", o.Name)
	}
	s.quote()
}

// changedOnTheWay says which plugins changed the object between the client and the store.
func (s *teller) changedOnTheWay() {
	var who []string
	add := func(name string) {
		if !slices.Contains(who, name) {
			who = append(who, name)
		}
	}
	for i := range s.Plugins {
		m := &s.Plugins[i]
		parts := 0
		for k := range m.Opinions {
			o := &m.Opinions[k]
			if o.Said == flow.SaidChanged {
				add("the " + o.Kind + " " + o.Name)
				parts++
			}
		}
		if parts == 0 && len(m.Changes) > 0 {
			add(m.Plugin)
		}
	}
	if len(who) > 0 {
		s.say("On its way %s changed it.", and(who))
	}
}

// trimStop removes a full stop at the end of a message.
func trimStop(m string) string { return strings.TrimSuffix(m, ".") }
