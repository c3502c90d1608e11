package rule

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Sentence describes the rule in plain English.
func (r Rule) Sentence() string {
	s := r.deed()
	switch {
	case r.After > 0 && r.Times > 0:
		s += fmt.Sprintf(" The first %d pass, then it acts %s.", r.After, times(r.Times))
	case r.After > 0:
		s += fmt.Sprintf(" The first %d pass.", r.After)
	case r.Times > 0:
		s += fmt.Sprintf(" It acts %s.", times(r.Times))
	}
	if r.Chance > 0 {
		s += fmt.Sprintf(" It does so with a chance of %s %%, decided by the seed.",
			strconv.FormatFloat(100*r.Chance, 'g', 4, 64))
	}
	return s
}

func times(n int) string {
	if n == 1 {
		return "only once"
	}
	return fmt.Sprintf("%d times at most", n)
}

// deed describes what the rule does each time.
func (r Rule) deed() string {
	whom, where := r.whom(), "before "+r.Before
	if r.Before == Frame {
		whom, where = "every event of "+r.watches(), "before it is written"
	}
	switch r.Action {
	case Hold:
		if r.Most > 0 {
			return fmt.Sprintf("Stops %s %s until it is let go, for %s at most.", whom, where, r.Most)
		}
		return fmt.Sprintf("Stops %s %s until it is let go.", whom, where)
	case Delay:
		return fmt.Sprintf("Lets %s wait %s %s.", whom, r.span(), where)
	case Refuse:
		return r.refusing(whom, where)
	case Cut:
		return r.cutting(whom, where)
	case Lose:
		return fmt.Sprintf("Loses the answer of %s that has committed: "+
			"the change is stored, and the client does not learn it.", whom)
	case Coalesce:
		return fmt.Sprintf("Sends %s only the last change of an object within %s: they never see the versions between.",
			r.watches(), r.Most)
	case Lag:
		return r.lagging(whom)
	}
	return ""
}

func (r Rule) refusing(whom, where string) string {
	code := strings.TrimSpace(fmt.Sprintf("%d %s", r.Code, http.StatusText(r.Code)))
	if r.Before == Frame {
		return fmt.Sprintf("Ends %s with an ERROR event, %s, in the place of an event.", r.watches(), code)
	}
	s := fmt.Sprintf("Answers %s with %s %s", whom, code, where)
	if r.RetryAfter > 0 {
		s += fmt.Sprintf(", and asks to wait %s", r.RetryAfter)
	}
	return s + "."
}

func (r Rule) cutting(whom, where string) string {
	s := fmt.Sprintf("Ends the connection of %s %s, without an answer", whom, where)
	if r.Before == Frame {
		s = fmt.Sprintf("Ends %s at an event, which is not sent", r.watches())
	}
	if r.Client {
		s += "; all watches of its client end as well"
	}
	return s + "."
}

func (r Rule) lagging(whom string) string {
	const writes = "and its watches too; writes see the present state."
	s := fmt.Sprintf("Shows %s the server as it was %s before, %s", whom, r.Most, writes)
	if r.Revision > 0 {
		s = fmt.Sprintf("Shows %s the server as it was at version %d, %s", whom, r.Revision, writes)
		if r.Most > 0 {
			s += fmt.Sprintf(" That ends %s after it began.", r.Most)
		}
	}
	return s
}

// span describes how long a delay is.
func (r Rule) span() string {
	if r.Least == r.Most {
		return r.Most.String()
	}
	return fmt.Sprintf("between %s and %s", r.Least.Round(time.Microsecond), r.Most)
}

// whom describes the matching requests as one of them.
func (r Rule) whom() string {
	terms, plain := r.terms()
	switch {
	case !plain:
		return "every request with " + r.On.String()
	case len(terms) == 0:
		return "every request"
	}
	verb, rest := "request", ""
	for _, t := range terms {
		switch t.field {
		case "verb":
			verb = strings.ReplaceAll(t.value, ",", " or ") + " request"
		case "res":
			rest += " for " + strings.ReplaceAll(t.value, ",", " or ")
		default:
			rest += t.words()
		}
	}
	return "every " + verb + rest
}

// watches describes the matching watches.
func (r Rule) watches() string {
	terms, plain := r.terms()
	if !plain {
		return "watches with " + r.On.String()
	}
	s := "watches"
	for _, t := range terms {
		switch {
		case t.field == "verb" && t.value == "watch":
		case t.field == "res":
			s += " on " + strings.ReplaceAll(t.value, ",", " or ")
		default:
			s += t.words()
		}
	}
	return s
}

// A part is a field of a filter with its value.
type part struct{ field, value string }

// words describes a part, after the requests.
func (t part) words() string {
	value := strings.ReplaceAll(t.value, ",", " or ")
	switch t.field {
	case "ns":
		return " in namespace " + value
	case "name":
		return " named " + value
	case "who":
		return " of " + value
	case "user":
		return " of user " + value
	case "sub":
		return " with subresource " + value
	case "code":
		return " answered with " + value
	}
	return fmt.Sprintf(" with %s %s", t.field, value)
}

// terms returns the parts of a filter that is a conjunction of plain values; plain is false for any other filter.
func (r Rule) terms() (out []part, plain bool) {
	if r.On.Empty() {
		return nil, true
	}
	text := r.On.String()
	if strings.ContainsAny(text, `|()!~<>"`) {
		return nil, false
	}
	for _, term := range strings.Fields(text) {
		field, value, ok := strings.Cut(term, ":")
		if !ok {
			return nil, false
		}
		out = append(out, part{field, value})
	}
	return out, true
}
