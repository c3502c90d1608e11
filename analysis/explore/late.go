package explore

import (
	"fmt"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/flow/rule"
)

// LateBy is how late events come: longer than a controller takes for a round, shorter than tests wait for it.
const LateBy = 3 * time.Second

// late plans that all events of one resource come late to a client, while its reads and writes see the present: first of
// resources that the client writes itself, of which it may decide again before it has seen its own write.
func (p *planner) late() {
	writes := map[[2]string]bool{}
	for _, f := range p.server.Flows {
		if p.tried(f) && len(f.Effects) > 0 {
			writes[[2]string{f.Client.UserAgent, resourceOf(&f.Target)}] = true
		}
	}
	for _, w := range p.follows() {
		own := writes[[2]string{w.client, w.resource}]
		tier := 1
		if own {
			tier = 0
		}
		p.add(Late, tier, w.client+"\x00"+w.resource, object.Ref{Resource: w.resource, Namespace: w.namespace}, func() Fault {
			on := meant("ua", w.client, "who", p.via(), "verb", "watch", "res", w.resource, "ns", p.namespace(w.namespace))
			r := rule.Rule{Action: rule.Lag, Before: "cache", Most: LateBy, Name: "explore-late", On: on}
			what := fmt.Sprintf("the watch of %s sends each event of %s %s late", w.client, w.resource, LateBy)
			if own {
				what += ", those of its own writes too"
			}
			return Fault{Kind: Late, Client: w.client, Rules: []string{r.String()}, What: what}
		})
	}
}

// via is what filters call the controller's port; "" where it has none.
func (p *planner) via() string {
	if p.known {
		return flow.ViaRun
	}
	return ""
}
