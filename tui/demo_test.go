package tui

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/tui/term"
)

// noon is the fixed clock of the tests.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// A clockwork is a clock that only the test moves.
type clockwork struct{ at time.Time }

func (c *clockwork) now() time.Time { return c.at }

// A demo publishes flows as a server would.
type demo struct {
	log *flow.Log
	at  time.Time
	rv  int64

	etcd bool        // the objects are there
	gate *rule.State // of the server; nil while it has told nothing
}

func newDemo(limits flow.Limits) *demo {
	d := &demo{log: flow.NewLog(limits), at: noon.Add(-20 * time.Second), rv: 4170}
	d.log.SetHead(4170, 4096)
	return d
}

const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default","labels":{"app":"web"}},"spec":{"replicas":%d,"template":{"spec":{"containers":[{"name":"web","image":"web:1.%d"}]}}}}`

func stations(failAt string, ms float64) []flow.Station {
	var out []flow.Station
	at := time.Duration(0)
	share := map[string]float64{"decode": .25, "mutate": .05, "validate": .1, "store": .35, "encode": .2, "respond": .05}
	for _, name := range flow.Stations {
		part, ok := share[name]
		if !ok {
			continue
		}
		n := time.Duration(part * ms * float64(time.Millisecond))
		s := flow.Station{Name: name, Start: at, Length: n, Note: map[string]string{"decode": "312 B", "store": "1 SQL", "encode": "412 B"}[name]}
		s.Failed = name == failAt
		if s.Failed {
			s.Note = "4171≠4176"
		}
		out = append(out, s)
		at += n
		if s.Failed {
			break
		}
	}
	return out
}

// request makes a finished flow of a client on a named object.
func (d *demo) request(who, verb, resource, name string, status int, ms float64) *flow.Flow {
	d.at = d.at.Add(137 * time.Millisecond)
	way := stations("", ms)
	if d.etcd {
		way[slices.IndexFunc(way, func(s flow.Station) bool { return s.Name == "store" })].Note = ""
	}
	method := map[string]string{"get": "GET", "list": "GET", "watch": "GET", "create": "POST", "update": "PUT", "apply": "PATCH", "delete": "DELETE"}[verb]
	path := "/apis/apps/v1/namespaces/default/" + resource
	if name != "" {
		path += "/" + name
	}
	return &flow.Flow{
		Start: d.at, Duration: time.Duration(ms * float64(time.Millisecond)),
		Client: flow.Client{Tag: who, UserAgent: "kubectl/v1.37.0", Remote: "127.0.0.1:51000", Session: fmt.Sprintf("run-%d", d.at.UnixMilli()%1e6)},
		Method: method, Path: path, Proto: "HTTP/1.1", Status: status,
		Target:         flow.Target{Verb: verb, Group: "apps", Version: "v1", Resource: resource, Namespace: "default", Name: name},
		RequestHeader:  http.Header{"Accept": {"application/json"}, "Authorization": {"Bearer s3cr3t"}, "User-Agent": {"kubectl/v1.37.0"}},
		ResponseHeader: http.Header{"Content-Type": {"application/json"}},
		Stations:       way, Revision: d.rv,
	}
}

// write publishes a write that was stored.
func (d *demo) write(who, verb string, kind flow.ChangeType, name string, replicas int) *flow.Flow {
	f := d.request(who, verb, "deployments", name, 200, 2.7)
	d.rv++
	c := flow.Commit{Revision: d.rv, Type: kind, Resource: "deployments.apps", Namespace: "default", Name: name, At: d.at}
	before, after := []byte(fmt.Sprintf(deployment, replicas-1, 0)), []byte(fmt.Sprintf(deployment, replicas, 0))
	f.Revision, f.SentRevision = d.rv, d.rv-1
	f.RequestHeader.Set("Content-Type", "application/json")
	f.RequestBody, f.ResponseBody = flow.Keep(after), flow.Keep(after)
	f.Effects = []flow.Effect{{Commit: c, Before: before, After: after}}
	f.Statements = []flow.Statement{{SQL: "UPDATE objects SET value = ?1 WHERE key = ?2 AND revision = ?3", Args: []string{string(after), "default/" + name, fmt.Sprint(d.rv - 1)}, Rows: 1, Start: time.Millisecond, Length: 90 * time.Microsecond}}
	f.Batch = &flow.Batch{ID: 7, Writes: 2, Commit: time.Millisecond, Waited: 100 * time.Microsecond, Outcome: "committed"}
	if d.etcd {
		f.Statements, f.Batch = []flow.Statement{newestAsked, updateAsked(name, d.rv-1, string(after))}, nil
	}
	d.log.Committed(c)
	d.log.Publish(f)
	return f
}

// story publishes two writers, a lost update that is refused, a Secret, and two watches.
func (d *demo) story() {
	d.log.Publish(d.request("k1", "list", "pods", "", 200, 4.8))
	pods := d.watch("k1", "pods", 4170)
	slow := d.watch("inf", "deployments", 4171)
	d.write("A", "create", flow.Created, "web", 1)
	d.log.Publish(d.request("A", "get", "deployments", "web", 200, 0.6))
	d.log.Publish(d.request("B", "get", "deployments", "web", 200, 0.5))
	for i := range 5 {
		d.write("A", "update", flow.Updated, "web", 2+i)
	}
	d.log.Publish(d.refused())
	slow.Wrote(flow.Frame{Type: "MODIFIED", Revision: 4172, Name: "web", Namespace: "default", Size: 611, Committed: d.at, Written: d.at.Add(3 * time.Millisecond)})
	slow.Reached(4172, 3)
	pods.Wrote(flow.Frame{Type: "ADDED", Revision: 4171, Name: "web-0", Namespace: "default", Size: 900, Written: d.at})
	pods.Wrote(flow.Frame{Type: "BOOKMARK", Revision: 4175, Size: 120, Written: d.at.Add(time.Second)})
	d.log.Publish(d.request("B", "get", "deployments", "web", 200, 0.5))
	d.write("B", "update", flow.Updated, "web", 8)
	s := d.request("k2", "create", "secrets", "token", 201, 1.2)
	s.Target.Group = ""
	s.RequestBody = flow.Keep([]byte(`{"kind":"Secret","data":{"password":"aHVudGVyMg=="}}`))
	d.log.Publish(s)
	d.log.Publish(d.request("k2", "get", "deployments", "gone", 404, 0.3))
	pods.Reached(d.rv, 0)
}

func (d *demo) watch(who, resource string, start int64) *flow.Watch {
	f := d.request(who, "watch", resource, "", 200, 1.1)
	f.Phase = flow.WatchOpened
	f.Watch = d.log.OpenWatch(flow.WatchInfo{Client: f.Client, Target: f.Target, Media: "application/json", Opened: d.at, Start: start})
	d.log.Publish(f)
	return f.Watch
}

// refused is the lost update: B replaces what A has changed since B read it.
func (d *demo) refused() *flow.Flow {
	f := d.request("B", "update", "deployments", "web", 409, 1.1)
	f.Reason, f.Message = "Conflict", `Operation cannot be fulfilled on deployments.apps "web": the object has been modified`
	f.SentRevision, f.Revision = 4171, 0
	f.Stations = stations("store", 1.1)
	f.RequestBody = flow.Keep([]byte(fmt.Sprintf(deployment, 1, 1)))
	if d.etcd {
		lost := updateAsked("web", 4171, fmt.Sprintf(deployment, 1, 1))
		lost.Lost = true
		f.Statements = []flow.Statement{newestAsked, lost}
	}
	f.Conflict = &flow.Conflict{Kind: flow.StaleRevision, Sent: 4171, Stored: d.rv, Base: []byte(fmt.Sprintf(deployment, 1, 0)), Object: []byte(fmt.Sprintf(deployment, 6, 0))}
	return f
}

// fullUI is a ui that shows more than a quiet screen does.
func fullUI(o Options, th *term.Theme) *ui {
	u := newUI(o, th)
	u.quiet, u.chosen = false, true
	u.Relayout()
	return u
}

// testUI is a ui of the demo's story at a size, with a fixed clock.
func testUI(d *demo, themeName string, w, h int) (*ui, *clockwork) {
	c := &clockwork{noon}
	u := fullUI(Options{Log: d.log, URL: "http://127.0.0.1:8080", DB: term.Pick(d.etcd, "etcd://10.0.0.1:2379,10.0.0.2:2379/kubarium", "/data/kubarium.db"), Version: "v0.1.0", NoIntro: true, Now: c.now}, term.NewTheme(themeName))
	u.API.Transport = &fakeAPI{envelope: term.Pick(d.etcd, "kubarium 1763900000000 FVMZ5YQ3EX 17 4176", "")}
	u.resize(w, h)
	if d.gate != nil {
		u.Gate.Tell(*d.gate)
	}
	u.fold()
	return u, c
}

// keys presses keys one after the other.
func (u *ui) keys(ks ...string) {
	for _, k := range ks {
		u.key(k)
	}
}
