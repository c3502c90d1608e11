package explore

import (
	"fmt"

	"kubarium/flow"
	"kubarium/flow/rule"
)

// away plans that the controller is down while another client changes what it watches, as during each rolling update of the
// controller: deletions first, since of them nothing is left to see.
func (p *planner) away() {
	if !p.o.Controller {
		return
	}
	client := map[string]string{} // the first that follows a resource
	for _, w := range p.follows() {
		if client[w.resource] == "" {
			client[w.resource] = w.client
		}
	}
	for _, w := range p.writesOf(func(f *flow.Flow) bool { return !p.tried(f) && !f.Client.Own() }) {
		who := client[w.Effects[0].Commit.Resource]
		if who == "" {
			continue
		}
		tier := w.tier()
		if w.Target.Verb == "create" {
			tier++ // a controller that starts meets new objects anyway
		}
		p.add(Away, tier, w.group(), w.about(), func() Fault {
			r := rule.Rule{Action: rule.Hold, Before: "negotiate", After: w.nth - 1, Times: 1, Name: Leaving, On: w.on}
			return Fault{Kind: Away, Client: who, Rules: []string{r.String()}, Away: true,
				What: fmt.Sprintf("%s is down during the %s%s of %s, and starts again after it", who, ordinal(w.time), w.of, w.Client.UserAgent)}
		})
	}
}
