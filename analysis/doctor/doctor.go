package doctor

import (
	"cmp"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// Options say what is reported.
type Options struct {
	// Since is the last flow that is history: the rules read flows up to it, but do not report them. 0 reports all.
	Since uint64
	// Own reports Kubarium's own requests as well. The rules read them in any case.
	Own bool
}

// A Doctor follows the flows of a run. It is not safe for concurrent use.
type Doctor struct {
	options Options
	rules   []namedRule
	run     run
	clients clients
	writes  sequence
	flows   int
	missed  uint64
	from    time.Time
}

// A namedRule is a rule under its name in rules.yaml.
type namedRule struct {
	name string
	rule
}

// allRules returns the rules with nothing seen, in the order of rules.yaml.
func allRules() []namedRule {
	return []namedRule{
		{"conflicts", &conflicts{}},
		{"writes-that-change-nothing", &unchangedWrites{}},
		{"write-circles", &circles{}},
		{"updates-without-version", &unversioned{}},
		{"repeated-lists", &repeatedLists{}},
		{"lists-without-limit", &unlimitedLists{}},
		{"polling", &polling{}},
		{"watches-without-bookmarks", &unmarkedWatches{}},
		{"expired-versions", &expired{}},
		{"status-through-main-resource", &statusWrites{}},
		{"recreated-objects", &recreated{}},
		{"forced-applies", &forcedApplies{}},
		{"fought-fields", &foughtFields{}},
		{"finalizers-left", &finalizersLeft{}},
		{"owners-left", &ownersLeft{}},
		{"bursts", &bursts{}},
		{"throttled-waits", &throttledWaits{}},
	}
}

// New returns a Doctor that has seen nothing.
func New(o Options) *Doctor {
	return &Doctor{options: o, rules: allRules()}
}

// Add reads the next flow.
func (d *Doctor) Add(f *flow.Flow) { d.read(d.writes.add(f)) }

// read hands flows to the rules.
func (d *Doctor) read(flows []*flow.Flow) {
	for _, f := range flows {
		d.readOne(f)
	}
}

func (d *Doctor) readOne(f *flow.Flow) {
	c := d.clients.get(f.Client)
	r := &request{Flow: f, client: c, end: f.Start.Add(f.Duration)}
	if f.Target.Resource != "" {
		r.ref = object.RefOfTarget(f.Target)
	}
	if r.reported = f.Seq > d.options.Since && (d.options.Own || !c.own); r.reported {
		d.count(r)
	}
	d.run.note(r)
	for _, rule := range d.rules {
		rule.add(r)
	}
}

// count notes a flow for the head of the report.
func (d *Doctor) count(r *request) {
	d.flows++
	if d.from.IsZero() || r.Start.Before(d.from) {
		d.from = r.Start
	}
	r.client.count(r)
}

// count notes a request of it.
func (c *client) count(r *request) {
	n := &c.counted
	if n.Verbs == nil {
		n.Verbs = map[string]int{}
	}
	if r.Phase == flow.WatchClosed {
		n.Bytes += r.ResponseBody.Total
		return // its opening was counted
	}
	n.Requests++
	n.Verbs[cmp.Or(r.Target.Verb, strings.ToLower(r.Method))]++
	n.Bytes += r.RequestBody.Total + r.ResponseBody.Total
	switch {
	case r.Status == 409:
		n.Conflicts++
	case r.unchanged():
		n.Unchanged++
	case r.Target.Verb == "list":
		n.Lists++
	case r.Target.Verb == "watch":
		n.Watches++
	}
}

// Missed notes that so many flows before the next one are not known.
func (d *Doctor) Missed(n uint64) {
	if n == 0 {
		return
	}
	d.read(d.writes.forget())
	d.missed += n
	d.run.missed += n
	d.run.rhythms.forget()
	for _, rule := range d.rules {
		rule.forget()
	}
}

// Report returns what was found so far.
func (d *Doctor) Report() *Report {
	d.read(d.writes.flush())
	p := &Report{From: d.from, To: d.run.now, Flows: d.flows, Missed: d.missed, Clients: d.clients.report()}
	if d.flows == 0 {
		p.To = time.Time{}
	}
	for _, rule := range d.rules {
		found := rule.report(&d.run)
		for i := range found {
			found[i].Rule = rule.name
			found[i].finish()
		}
		p.Findings = append(p.Findings, merge(found)...)
	}
	order(p.Findings)
	return p
}
