package doctor_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/analysis/doctor"
	"kubarium/flow"
)

// A story makes flows by hand: requests one after another, each of a millisecond, on objects that it keeps.
type story struct {
	flows   []*flow.Flow
	now     time.Time
	rv      int64
	uids    int
	watches uint64
	log     *flow.Log
	stored  map[string]*stored
	missed  map[int]uint64 // before which flow so many are missing
}

// A stored object of a story.
type stored struct {
	text string
	rv   int64
	uid  string
	meta string
}

func newStory() *story {
	return &story{now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), rv: 100, log: flow.NewLog(flow.Limits{}),
		stored: map[string]*stored{}, missed: map[int]uint64{}}
}

// wait lets time pass.
func (s *story) wait(d time.Duration) { s.now = s.now.Add(d) }

// miss lets flows be missing here.
func (s *story) miss(n uint64) { s.missed[len(s.flows)] = n }

// An actor sends requests.
type actor struct {
	s     *story
	agent string
}

func (s *story) client(agent string) *actor { return &actor{s, agent} }

// A change of a flow before it is added.
type change = func(*flow.Flow)

func query(q string) change { return func(f *flow.Flow) { f.Query = q } }

func dry(f *flow.Flow) { f.Query = "dryRun=All" }

// sent is the body as it was sent.
func sent(body string) change { return func(f *flow.Flow) { f.RequestBody = flow.Keep([]byte(body)) } }

// versioned names the stored version.
func (s *story) versioned(resource, object string) change {
	o := s.stored[resource+" "+object]
	rv := s.rv
	if o != nil {
		rv = o.rv
	}
	return func(f *flow.Flow) { f.SentRevision = rv }
}

// tell adds a request about a resource "deployments.apps" and an object "default/web".
func (a *actor) tell(verb, resource, object string, status int, changes ...change) *flow.Flow {
	s := a.s
	name, group, _ := strings.Cut(resource, ".")
	name, sub, _ := strings.Cut(name, "/")
	ns, obj, found := strings.Cut(object, "/")
	if !found {
		ns, obj = "", object
	}
	f := &flow.Flow{Seq: uint64(len(s.flows) + 1), Start: s.now, Duration: time.Millisecond, Status: status}
	f.Client = flow.Client{Tag: strings.ToLower(a.agent), UserAgent: a.agent}
	f.Target = flow.Target{Verb: verb, Group: group, Version: "v1", Resource: name, Subresource: sub, Namespace: ns,
		Name: obj}
	f.Path = "/api/v1/" + name + "/" + object
	if sub != "" {
		f.Path += "/" + sub
	}
	for _, c := range changes {
		c(f)
	}
	s.flows = append(s.flows, f)
	s.now = s.now.Add(f.Duration)
	return f
}

func (a *actor) get(resource, object string) *flow.Flow {
	f := a.tell("get", resource, object, 200)
	if o := a.s.stored[resource+" "+object]; o != nil {
		f.Revision = o.rv
	} else {
		f.Status = 404
	}
	return f
}

// list of so many objects; object is "" or "default/".
func (a *actor) list(resource, object string, items int, changes ...change) *flow.Flow {
	f := a.tell("list", resource, object, 200)
	f.Revision, f.Page = a.s.rv, &flow.Page{Source: "cache", Snapshot: a.s.rv, Items: items}
	f.ResponseBody.Total = int64(100 * items)
	for _, c := range changes {
		c(f)
	}
	return f
}

// watch opens a watch; end closes it.
func (a *actor) watch(resource, object, q string) (end func(cause string)) {
	s := a.s
	f := a.tell("watch", resource, object, 200, query(q))
	s.watches++
	info := flow.WatchInfo{ID: s.watches, Client: f.Client, Target: f.Target, Query: q, Opened: f.Start}
	if !strings.Contains(q, "sendInitialEvents") {
		info.Start = s.rv
	}
	f.Phase, f.Watch = flow.WatchOpened, s.log.OpenWatch(info)
	return func(cause string) {
		g := a.tell("watch", resource, object, 200, query(q))
		f.Watch.Close(s.now, cause)
		g.Phase, g.Watch, g.Start = flow.WatchClosed, f.Watch, f.Start
		g.Duration = s.now.Sub(f.Start)
	}
}

// text is an object of a story as it is stored.
func (s *story) text(resource, object string, o *stored, rest string) string {
	ns, name, found := strings.Cut(object, "/")
	meta := fmt.Sprintf(`"name":%q`, name)
	if found {
		meta += fmt.Sprintf(`,"namespace":%q`, ns)
	} else {
		meta = fmt.Sprintf(`"name":%q`, object)
	}
	meta += fmt.Sprintf(`,"uid":%q`, o.uid)
	if o.meta != "" {
		meta += "," + o.meta
	}
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"%s","metadata":{%s},%s}`,
		strings.ToUpper(resource[:1])+strings.TrimSuffix(resource[1:], "s"), meta, rest)
}

// write stores an object with such fields, and adds the request that did so; meta is more metadata, as
// "finalizers":["a"].
func (a *actor) write(verb, resource, object, meta, rest string, changes ...change) *flow.Flow {
	s := a.s
	storedAs, _, _ := strings.Cut(resource, "/")
	if _, group, ok := strings.Cut(resource, "."); ok {
		storedAs, _, _ = strings.Cut(resource[:strings.Index(resource, ".")], "/")
		storedAs += "." + group
	}
	key := storedAs + " " + object
	was := s.stored[key]
	o := &stored{meta: meta}
	code, kind := 200, flow.Updated
	if was == nil {
		s.uids++
		o.uid, code, kind = fmt.Sprintf("uid-%d", s.uids), 201, flow.Created
	} else {
		o.uid = was.uid
	}
	o.text = s.text(storedAs, object, o, rest)
	f := a.tell(verb, resource, object, code)
	f.RequestBody = flow.Keep([]byte(o.text))
	if verb == "create" {
		f.Target.Name = ""
	}
	if was != nil && was.text == o.text {
		f.Revision, o.rv = was.rv, was.rv
	} else {
		f.Effects = []flow.Effect{s.effect(f, kind, storedAs, object, was, o)}
	}
	s.stored[key] = o
	for _, c := range changes {
		c(f)
	}
	return f
}

func (s *story) effect(f *flow.Flow, kind flow.ChangeType, resource, object string, was, now *stored) flow.Effect {
	s.rv++
	ns, name, found := strings.Cut(object, "/")
	if !found {
		ns, name = "", object
	}
	e := flow.Effect{Commit: flow.Commit{Revision: s.rv, Type: kind, Resource: resource, Namespace: ns, Name: name,
		At: f.Start}}
	if was != nil {
		e.Before = flow.Bytes(was.text)
	}
	if now != nil {
		now.rv = s.rv
		e.After = flow.Bytes(now.text)
	}
	f.Revision = s.rv
	return e
}

// remove deletes an object at once.
func (a *actor) remove(resource, object string, changes ...change) *flow.Flow {
	key := resource + " " + object
	f := a.tell("delete", resource, object, 200, changes...)
	f.Effects = []flow.Effect{a.s.effect(f, flow.Deleted, resource, object, a.s.stored[key], nil)}
	delete(a.s.stored, key)
	return f
}

// refuse answers a write with a 409.
func (a *actor) refuse(verb, resource, object string, kind flow.ConflictKind, changes ...change) *flow.Flow {
	f := a.tell(verb, resource, object, 409)
	f.Reason, f.Conflict = "Conflict", &flow.Conflict{Kind: kind}
	if o := a.s.stored[resource+" "+object]; o != nil {
		f.Conflict.Object = flow.Bytes(o.text)
	}
	if verb == "create" {
		f.Target.Name = ""
	}
	for _, c := range changes {
		c(f)
	}
	return f
}

// report is what the doctor says of the story.
func (s *story) report(o doctor.Options) *doctor.Report {
	d := doctor.New(o)
	for i, f := range s.flows {
		d.Missed(s.missed[i])
		d.Add(f)
	}
	d.Missed(s.missed[len(s.flows)])
	first := d.Report()
	if again := d.Report(); fmt.Sprint(*again) != fmt.Sprint(*first) { // a page asks once a second
		panic("a second report differs from the first: " + fmt.Sprint(*first) + fmt.Sprint(*again))
	}
	return first
}

// A tale is a story of one rule: what it must say, or that it must be silent.
type tale struct {
	tell func(s *story)
	want []string // "severity client object: part of the sentence", for each finding of the rule
}

// hear tells tales and compares the findings of one rule.
func hear(t *testing.T, rule string, tales map[string]tale) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(tales)) {
		t.Run(name, func(t *testing.T) {
			s := newStory()
			tales[name].tell(s)
			s.check(t, rule, tales[name].want, doctor.Options{})
			if got := findings(s.report(doctor.Options{Since: uint64(len(s.flows))}), rule); len(got) > 0 {
				t.Errorf("history is reported: %v", got)
			}
		})
	}
}

func (s *story) check(t *testing.T, rule string, want []string, o doctor.Options) {
	t.Helper()
	got := findings(s.report(o), rule)
	if len(got) != len(want) {
		t.Errorf("%d findings, want %d: %+v", len(got), len(want), got)
		return
	}
	for i, f := range got {
		head, text, _ := strings.Cut(want[i], ": ")
		if is := fmt.Sprintf("%s %s %s", f.Severity, f.Client, f.Object); is != head || !strings.Contains(f.What, text) {
			t.Errorf("%s: %s\nwant %s", is, f.What, want[i])
		}
		if f.Count == 0 || len(f.Records) == 0 || f.First.IsZero() || f.Last.Before(f.First) ||
			!strings.HasSuffix(f.What, ".") {
			t.Errorf("incomplete: %+v", f)
		}
	}
}

func findings(p *doctor.Report, rule string) (out []doctor.Finding) {
	for _, f := range p.Findings {
		if f.Rule == rule {
			out = append(out, f)
		}
	}
	return out
}
