package story

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"kubarium/analysis/guard"
	"kubarium/flow"
)

func (s *teller) refused() {
	if g, ok := guard.Refused(s.Flow); ok {
		s.guarded(g)
		return
	}
	switch s.Status {
	case 404:
		s.missing()
	case 409:
		s.conflicted()
	case 410:
		s.expired()
	case 422:
		s.say("%s tried to %s, and the server understood every word of it.", s.who(), s.wish())
		s.say("But the object breaks a rule of its kind, so nothing was stored: %s", s.message())
	case 429:
		s.say("%s asked to %s, and the server asked it to come back later.", s.who(), s.wish())
		s.retry()
		s.quote()
	case 504:
		if s.Unavailable != nil {
			s.future()
			return
		}
		fallthrough
	case 503:
		s.say("%s asked to %s, and the server could not answer in time.", s.who(), s.wish())
		s.quote()
		s.retry()
	default:
		s.say("%s tried to %s and got %s.", s.who(), s.wish(), status(s.Status))
		if why := reasons[s.Status]; why != "" {
			s.say("%s", why)
		}
		s.quote()
	}
}

// reasons explain a code where the message alone may not.
var reasons = map[int]string{
	400: "The server could not make sense of the request, so it did not look at what is stored.",
	401: "The server does not know who is asking.",
	403: "The server understood it and will not do it; asking again in the same way will not help.",
	405: "This resource does not have that verb.",
	406: "The server has the answer, but in none of the formats that the Accept header names.",
	413: "The body is larger than the server takes.",
	415: "The server does not read the format that the Content-Type header names.",
	500: "Something in the server went wrong; the request may be fine.",
}

// message is the server's message with a full stop.
func (s *teller) message() string {
	m := s.Message
	if m == "" {
		m = status(s.Status)
	}
	if strings.HasSuffix(m, ".") {
		return m
	}
	return m + "."
}

func (s *teller) quote() {
	if s.Message != "" {
		s.say("The server said: %s", s.message())
	}
}

func (s *teller) retry() {
	if after := s.ResponseHeader.Get("Retry-After"); after != "" {
		s.say("Retry-After asks it to wait %s s.", after)
	}
}

func (s *teller) missing() {
	s.say("%s tried to %s.", s.who(), s.wish())
	switch {
	case s.Target.Resource == "" || s.Reason == "":
		s.say("Nothing is served at %s.", s.Path)
	case strings.HasPrefix(s.Message, "namespaces ") && s.Target.Resource != "namespaces":
		s.say("Namespace %s does not exist, so there is no place for it.", s.Target.Namespace)
	case s.Target.Name == "" || s.Message != "" && !strings.Contains(s.Message, `"`+s.Target.Name+`"`):
		s.quote()
	default:
		s.say("There is no such object, or it is gone.")
	}
}

func (s *teller) conflicted() {
	c := s.Conflict
	if c == nil {
		s.say("%s tried to %s, and the server refused because of the stored state.", s.who(), s.wish())
		s.quote()
		return
	}
	switch c.Kind {
	case flow.AlreadyExists:
		s.say("%s tried to create %s.", s.who(), s.object)
		if c.Stored > 0 {
			s.say("There is one of that name already, stored at rv %d, so the server refused and changed nothing.",
				c.Stored)
		} else {
			s.say("There is one of that name already, so the server refused and changed nothing.")
		}
	case flow.StaleRevision:
		s.stale(c)
	case flow.Precondition:
		s.say("%s tried to %s, but only if it is still the object that it knows.", s.who(), s.wish())
		s.say("Another object of the same name is stored now, with another uid, so the server refused and changed " +
			"nothing.")
	case flow.FieldOwnership:
		s.owned()
	}
}

func (s *teller) stale(c *flow.Conflict) {
	if s.Target.Verb == "delete" {
		s.say("%s tried to delete %s, but only at rv %d.", s.who(), s.object, c.Sent)
	} else {
		s.say("%s tried to %s with %s.", s.who(), s.wish(), s.copyOf(c.Sent))
	}
	writer := ""
	if s.Wrote != nil {
		writer = s.Wrote(c.Stored)
	}
	switch {
	case writer == s.who():
		s.say("It had itself written rv %d since, so the server refused and stored nothing.", c.Stored)
	case writer != "":
		s.say("%s had already written rv %d, so the server refused and stored nothing.", writer, c.Stored)
	default:
		s.say("By then rv %d had been written, so the server refused and stored nothing.", c.Stored)
	}
}

func (s *teller) owned() {
	s.say("%s tried to apply %s as field manager %s.", s.who(), s.object, s.parameter("fieldManager"))
	managers := s.rivals()
	if len(managers) == 0 {
		s.say("Other managers own fields that it wants to set differently, so the server refused and stored nothing.")
	} else {
		s.say("%s, and it asks for other values, so the server refused and stored nothing.", capital(and(managers)))
	}
	s.say("It can leave those fields out, take the same values, or force.")
}

// rivals describes which manager owns which fields, from the causes of the Status that refused an apply.
func (s *teller) rivals() []string {
	var st struct {
		Details struct {
			Causes []struct {
				Message string `json:"message"` // `conflict with "hpa" using apps/v1`
				Field   string `json:"field"`
			} `json:"causes"`
		} `json:"details"`
	}
	if json.Unmarshal(s.ResponseBody.Kept, &st) != nil {
		return nil
	}
	fields := map[string][]string{}
	var order []string
	for _, c := range st.Details.Causes {
		_, rest, _ := strings.Cut(c.Message, `"`)
		manager, _, ok := strings.Cut(rest, `"`)
		if !ok {
			continue
		}
		if fields[manager] == nil {
			order = append(order, manager)
		}
		fields[manager] = append(fields[manager], strings.TrimPrefix(c.Field, "."))
	}
	out := make([]string, len(order))
	for i, m := range order {
		out[i] = fmt.Sprintf("manager %s owns %s", m, and(fields[m]))
	}
	return out
}

func (s *teller) expired() {
	asked, oldest := s.parameter("resourceVersion"), ""
	if u := s.Unavailable; u != nil {
		asked = strconv.FormatInt(u.Asked, 10)
		oldest = fmt.Sprintf(" The oldest that can still be read is rv %d.", u.Oldest)
	}
	switch {
	case s.parameter("continue") != "" && s.Unavailable != nil:
		s.say("%s wanted the next page of %s, as things were at rv %s, when the list began.", s.who(),
			collection(&s.Target), asked)
		s.say("That version can no longer be read.%s", oldest)
		s.say("The answer carries a token to go on from the newest state instead; or the list begins again.")
	case s.parameter("continue") != "":
		s.say("%s wanted the next page of %s, as things were when the list began.", s.who(), collection(&s.Target))
		s.say("That version can no longer be read.")
		s.say("The answer carries a token to go on from the newest state instead; or the list begins again.")
	case s.Target.Verb == "watch":
		s.say("%s wanted to watch %s from rv %s on.", s.who(), collection(&s.Target), asked)
		s.gap()
	default:
		s.say("%s asked to %s as of rv %s.", s.who(), s.wish(), asked)
		s.say("That version can no longer be read.%s", oldest)
	}
}

// gap says why a watch cannot go on from its version.
func (s *teller) gap() {
	if u := s.Unavailable; u != nil && u.Oldest > 0 {
		s.say("The oldest that a watch can begin from is rv %d, so one from rv %d would have a gap.", u.Oldest, u.Asked)
	} else {
		s.say("Not all changes since then are still known, so a watch from there would have a gap.")
	}
	s.say("It has to list again and watch from that list's version.")
}

// future describes a read of a revision that does not exist yet.
func (s *teller) future() {
	s.say("%s asked to %s, not older than rv %d.", s.who(), s.wish(), s.Unavailable.Asked)
	s.say("The newest is rv %d, and no later one came while the server waited.", s.Unavailable.Newest)
	s.retry()
}
