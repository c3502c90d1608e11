package explore

import (
	"fmt"
	"net/http"
	"time"

	"kubarium/flow/rule"
)

// A refusal is how a write may be answered.
type refusal struct {
	rules []rule.Rule
	what  string
	tier  int
}

// webhookTimeout is the time that a webhook has by default.
const webhookTimeout = 10 * time.Second

// refusals are those of a verb, the likeliest first.
func refusals(verb string) (out []refusal) {
	code := func(code int, wait time.Duration, tier int) {
		r := rule.Rule{Action: rule.Refuse, Code: code, RetryAfter: wait}
		out = append(out, refusal{[]rule.Rule{r}, fmt.Sprintf("is answered with %d %s", code, http.StatusText(code)), tier})
	}
	if verb != "create" && verb != "delete" {
		code(http.StatusConflict, 0, 0)
	}
	code(http.StatusInternalServerError, 0, 0)
	code(http.StatusTooManyRequests, time.Second, 1)
	code(http.StatusServiceUnavailable, 0, 1)
	return append(out, refusal{[]rule.Rule{
		{Action: rule.Delay, Least: webhookTimeout, Most: webhookTimeout}, {Action: rule.Refuse, Code: http.StatusInternalServerError},
	}, fmt.Sprintf("waits %s and is answered with 500, as when a webhook does not answer", webhookTimeout), 2})
}

// refused plans that each write of a client is answered once with an error.
func (p *planner) refused() {
	for _, w := range p.writes() {
		for _, way := range refusals(w.Target.Verb) {
			p.add(Refused, w.tier()+way.tier, w.group(), w.about(), func() Fault {
				f := Fault{Kind: Refused, Client: w.Client.UserAgent,
					What: fmt.Sprintf("the %s%s by %s %s", ordinal(w.time), w.of, w.Client.UserAgent, way.what)}
				for _, r := range way.rules {
					r.Before, r.After, r.Times, r.Name, r.On = "negotiate", w.nth-1, 1, "explore-refused", w.on
					f.Rules = append(f.Rules, r.String())
				}
				return f
			})
		}
	}
}
