package explore

import (
	"slices"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/flow/object"
)

// Options say what is planned.
type Options struct {
	Kinds []Kind // nil is all
	Most  int    // faults; 0 is all
	// Client says who is tried, by their requests; nil is every client that watches and writes, as controllers do, except
	// kubectl.
	Client *filter.Filter
	// Controller says that there is one that can be killed and started again.
	Controller bool
	Only       *filter.Filter // of the objects that faults are about; nil is all
	From       time.Time      // of the requests that faults are about: what came before made all ready
	Seed       uint64         // of the choice where there are more faults than Most
	// StaleFor is how long a client that starts again sees nothing new; 0 is DefaultStale.
	StaleFor time.Duration
}

// DefaultStale is long enough for a controller to look at everything once, and to act.
const DefaultStale = 3 * time.Second

// A candidate is a fault that may be chosen.
type candidate struct {
	kind  Kind
	group string // of what is alike: who does what to which resource
	tier  int    // 0 is tried first
	fault func() Fault
}

// A planner reads one run.
type planner struct {
	o          Options
	server     *Server
	targets    map[string]bool     // User-Agents
	random     map[object.Ref]bool // objects whose names were generated
	known      bool                // whether the controller's requests are known by their port
	candidates []candidate
}

// clients are those who are tried: with a controller its own.
func (p *planner) clients() map[string]bool {
	watches, writes, asked := map[string]bool{}, map[string]bool{}, map[string]bool{}
	p.known = p.o.Controller && slices.ContainsFunc(p.server.Flows, isControllers)
	for _, f := range p.server.Flows {
		agent := f.Client.UserAgent
		switch {
		case f.Client.Own() || agent == "" || p.known && !isControllers(f):
		case p.o.Client != nil:
			asked[agent] = asked[agent] || p.o.Client.Match(f)
		case isKubectl(agent):
		case f.Target.Verb == "watch":
			watches[agent] = true
		case len(f.Effects) > 0:
			writes[agent] = true
		}
	}
	for agent := range watches {
		asked[agent] = writes[agent]
	}
	for agent, wanted := range asked {
		if !wanted {
			delete(asked, agent)
		}
	}
	return asked
}

// isControllers reports whether a request came by the port that only the controller knows.
func isControllers(f *flow.Flow) bool { return f.Client.Via == flow.ViaRun }

// tried reports whether a request is of a client that is tried. A driver of the test may have the controller's name.
func (p *planner) tried(f *flow.Flow) bool { return p.triedClient(f.Client) }

func (p *planner) triedClient(c flow.Client) bool {
	return p.targets[c.UserAgent] && (!p.known || c.Via == flow.ViaRun)
}

func isKubectl(agent string) bool { return strings.HasPrefix(agent, "kubectl") }

// generated notes which objects have names that no other run has.
func (p *planner) generated() {
	for i := range p.server.Changes {
		c := &p.server.Changes[i]
		if e := newEntry(c); e != nil && namesOf([]*entry{e}).of(c.Name) != c.Name {
			p.random[object.RefOf(c.Commit)] = true
		}
	}
}

// named reports whether an object has the same name in every run.
func (p *planner) named(at object.Ref) bool { return !p.random[at] }

// add adds a candidate that is about an object, or with no name about all of a resource.
func (p *planner) add(k Kind, tier int, group string, about object.Ref, fault func() Fault) {
	if p.o.Only != nil {
		group, resource := "", about.Resource
		if i := strings.IndexByte(resource, '.'); i >= 0 {
			resource, group = resource[:i], resource[i+1:]
		}
		if !p.o.Only.Match(&flow.Flow{Target: flow.Target{Group: group, Resource: resource, Namespace: about.Namespace, Name: about.Name}}) {
			return
		}
	}
	p.candidates = append(p.candidates, candidate{k, group, tier, fault})
}

// meant is a filter of requests: terms are fields and values in turn; an empty value is left away.
func meant(terms ...string) *filter.Filter {
	var f *filter.Filter
	for i := 0; i+1 < len(terms); i += 2 {
		if terms[i+1] != "" {
			f = filter.And(f, terms[i], terms[i+1], false)
		}
	}
	return f
}

// namespace is one that has the same name in every run, "" for another.
func (p *planner) namespace(name string) string {
	if !p.named(object.Ref{Resource: "namespaces", Name: name}) {
		return ""
	}
	return name
}
