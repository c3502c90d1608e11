package story_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/tui/story"
)

// req is a request of a client for a deployment or a pod in namespace default, changed by the functions.
func req(who, verb, name string, code int, with ...func(*flow.Flow)) *flow.Flow {
	f := &flow.Flow{
		Client: flow.Client{Tag: who}, Method: "GET", Path: "/apis/apps/v1/namespaces/default/deployments",
		Status: code,
		Target: flow.Target{Verb: verb, Group: "apps", Version: "v1", Resource: "deployments",
			Namespace: "default", Name: name},
		RequestHeader: http.Header{}, ResponseHeader: http.Header{},
	}
	for _, w := range with {
		w(f)
	}
	return f
}

func rv(sent, got int64) func(*flow.Flow) {
	return func(f *flow.Flow) { f.SentRevision, f.Revision = sent, got }
}

func effect(kind flow.ChangeType, revision int64, after string) func(*flow.Flow) {
	return func(f *flow.Flow) {
		f.Revision = revision
		f.Effects = append(f.Effects, flow.Effect{Commit: flow.Commit{Type: kind, Revision: revision},
			After: []byte(after)})
	}
}

func conflict(c flow.Conflict) func(*flow.Flow) { return func(f *flow.Flow) { f.Conflict = &c } }

// change is an effect with the object before it.
func change(kind flow.ChangeType, before, after string) func(*flow.Flow) {
	return func(f *flow.Flow) {
		f.Effects = append(f.Effects, flow.Effect{Commit: flow.Commit{Type: kind, Revision: 4190},
			Before: []byte(before), After: []byte(after)})
	}
}

func unavailable(asked, oldest, newest int64) func(*flow.Flow) {
	return func(f *flow.Flow) { f.Unavailable = &flow.Unavailable{Asked: asked, Oldest: oldest, Newest: newest} }
}

func query(q string) func(*flow.Flow) { return func(f *flow.Flow) { f.Query = q } }

func said(reason, message string) func(*flow.Flow) {
	return func(f *flow.Flow) { f.Reason, f.Message = reason, message }
}

func answer(body string) func(*flow.Flow) {
	return func(f *flow.Flow) { f.ResponseBody = flow.Keep([]byte(body)) }
}

func target(t flow.Target) func(*flow.Flow) { return func(f *flow.Flow) { f.Target = t } }

// watched makes a flow of a watch that has sent two events and a bookmark, and ended with a cause.
func watched(phase flow.Phase, start int64, cause string) func(*flow.Flow) {
	return func(f *flow.Flow) {
		w := flow.NewLog(flow.Limits{}).OpenWatch(flow.WatchInfo{Start: start})
		if phase == flow.WatchClosed {
			w.Wrote(flow.Frame{Type: "ADDED", Revision: 4173})
			w.Wrote(flow.Frame{Type: "MODIFIED", Revision: 4176})
			w.Wrote(flow.Frame{Type: "BOOKMARK", Revision: 4180})
			w.Close(time.Now(), cause)
		}
		f.Watch, f.Phase, f.Duration = w, phase, 12*time.Second
	}
}

func TestTell(t *testing.T) {
	shop := flow.Target{Verb: "get", Version: "v1", Resource: "configmaps", Namespace: "shop", Name: "x"}
	for name, c := range map[string]struct {
		flow *flow.Flow
		want string
	}{
		"get": {req("A", "get", "web", 200, rv(0, 4171)),
			`A read deployment web. The version it got is rv 4171: a write that names it succeeds only while nothing newer is stored.`},
		"get from the cache": {req("A", "get", "web", 200, query("resourceVersion=0")),
			`A read deployment web. By resourceVersion=0 it accepted any version that the server had at hand.`},
		"namespace": {req("", "get", "", 200, target(shop)), `A client read configmap x in namespace shop.`},
		"not found": {req("", "get", "", 404, target(shop), said("NotFound", `configmaps "x" not found`)),
			`A client tried to read configmap x in namespace shop. There is no such object, or it is gone.`},
		"no namespace": {req("A", "create", "", 404,
			target(flow.Target{Verb: "create", Resource: "configmaps", Namespace: "shop"}),
			said("NotFound", `namespaces "shop" not found`)),
			`A tried to create a configmap in namespace shop. Namespace shop does not exist, so there is no place for it.`},
		"no path": {req("c1", "get", "", 404, target(flow.Target{Verb: "get"})),
			`c1 tried to GET /apis/apps/v1/namespaces/default/deployments. Nothing is served at /apis/apps/v1/namespaces/default/deployments.`},
		"no resource": {req("c1", "get", "", 200, target(flow.Target{Verb: "get"})),
			`c1 sent GET /apis/apps/v1/namespaces/default/deployments, which is not a resource, and got 200 OK.`},
		"list": {req("k1", "list", "", 200, rv(0, 4182), answer(`{"metadata":{},"items":[{},{}]}`)),
			`k1 listed deployments in namespace default. The answer is 2 objects as things were at rv 4182; a watch from there misses nothing.`},
		"first chunk": {req("k1", "list", "", 200, rv(0, 4182), query("limit=2"),
			answer(`{"metadata":{"continue":"t","remainingItemCount":240},"items":[{},{}]}`)),
			`k1 listed deployments in namespace default. It asked for at most 2 at a time and got the first page: 2 objects, as things were at rv 4182. 240 more are left; the continue token leads on.`},
		"next chunk": {req("k1", "list", "", 200, rv(0, 4182), query("limit=2&continue=t"),
			answer(`{"metadata":{"continue":"u"},"rows":[{}]}`)),
			`k1 listed deployments in namespace default. Its continue token led to the next page of a list begun earlier: one object, as things were at rv 4182, without later writes. The continue token leads on; how many are left is not known, because a selector decides.`},
		"last chunk": {req("k1", "list", "", 200, rv(0, 4182), query("limit=2&continue=t"),
			answer(`{"metadata":{},"items":[{}]}`)),
			`k1 listed deployments in namespace default. Its continue token led to the next page of a list begun earlier: one object, as things were at rv 4182, without later writes. This page is the last.`},
		"list in protobuf": {req("k1", "list", "", 200, rv(0, 4182), answer("k8s\x00")),
			`k1 listed deployments in namespace default. The answer is all of them as they were at rv 4182.`},
		"expired token": {req("k1", "list", "", 410, query("limit=2&continue=t")),
			`k1 wanted the next page of deployments in namespace default, as things were when the list began. That version can no longer be read. The answer carries a token to go on from the newest state instead; or the list begins again.`},
		"expired list": {req("k1", "list", "", 410, query("resourceVersion=7&resourceVersionMatch=Exact")),
			`k1 asked to list deployments in namespace default as of rv 7. That version can no longer be read.`},
		"expired watch": {req("k1", "watch", "", 410, query("watch=1&resourceVersion=7")),
			`k1 wanted to watch deployments in namespace default from rv 7 on. Not all changes since then are still known, so a watch from there would have a gap. It has to list again and watch from that list's version.`},
		"expired token with its version": {req("k1", "list", "", 410, query("limit=2&continue=t"),
			unavailable(12, 40, 0)),
			`k1 wanted the next page of deployments in namespace default, as things were at rv 12, when the list began. That version can no longer be read. The oldest that can still be read is rv 40. The answer carries a token to go on from the newest state instead; or the list begins again.`},
		"expired list with its version": {req("k1", "list", "", 410,
			query("resourceVersion=7&resourceVersionMatch=Exact"), unavailable(7, 40, 0)),
			`k1 asked to list deployments in namespace default as of rv 7. That version can no longer be read. The oldest that can still be read is rv 40.`},
		"expired watch in the stream": {req("k1", "watch", "", 200, query("watch=1&resourceVersion=4171"),
			watched(flow.WatchClosed, 4171, "expired"), unavailable(4171, 5000, 0)),
			`k1 wanted to watch deployments in namespace default from rv 4171 on. The answer is 200 OK, and the stream ends with an ERROR event with code 410. The oldest that a watch can begin from is rv 5000, so one from rv 4171 would have a gap. It has to list again and watch from that list's version.`},
		"watch that lagged": {req("k1", "watch", "", 200, query("watch=1&resourceVersion=4171"),
			watched(flow.WatchClosed, 4171, "expired"), unavailable(4180, 5000, 0)),
			`k1 watched deployments in namespace default and had got as far as rv 4180. The answer is 200 OK, and the stream ends with an ERROR event with code 410. The oldest that a watch can begin from is rv 5000, so one from rv 4180 would have a gap. It has to list again and watch from that list's version.`},
		"list from the future": {req("k1", "list", "", 504, query("resourceVersion=99"), unavailable(99, 0, 40)),
			`k1 asked to list deployments in namespace default, not older than rv 99. The newest is rv 40, and no later one came while the server waited.`},
		"watch from the future": {req("k1", "watch", "", 200, watched(flow.WatchClosed, 99, "x"),
			unavailable(99, 0, 40)),
			`k1 wanted to watch deployments in namespace default, from a state not older than rv 99. The newest is rv 40, so the stream has an ERROR event with code 504 and ends.`},
		"watch opened": {req("k1", "watch", "", 200, watched(flow.WatchOpened, 4171, "")),
			`k1 opened a watch on deployments in namespace default. It begins after rv 4171: every later change reaches it once, in order.`},
		"watch opened from nothing": {req("k1", "watch", "", 200, watched(flow.WatchOpened, 0, "")),
			`k1 opened a watch on deployments in namespace default. It named no version to begin after, so the objects that there are come first, each as an ADDED event.`},
		"watch closed": {req("k1", "watch", "", 200, watched(flow.WatchClosed, 4171, "client went away")),
			`The watch of k1 on deployments in namespace default ended after 12s: client went away. It was sent 2 events, the last at rv 4176. One bookmark reported its position: it would resume at rv 4180.`},
		"create": {req("A", "create", "web", 201, effect(flow.Created, 4171, `{}`),
			func(f *flow.Flow) { f.Batch = &flow.Batch{Writes: 3} }),
			`A created deployment web. It is stored as rv 4171. Its commit made 3 writes durable at once.`},
		"create dry run": {req("A", "create", "web", 201, query("dryRun=All")),
			`A tried a create of deployment web as a dry run: it would succeed, and nothing was stored.`},
		"already exists": {req("A", "create", "web", 409,
			conflict(flow.Conflict{Kind: flow.AlreadyExists, Stored: 4171})),
			`A tried to create deployment web. There is one of that name already, stored at rv 4171, so the server refused and changed nothing.`},
		"update": {req("A", "update", "web", 200, effect(flow.Updated, 4176, `{}`), rv(4171, 4176)),
			`A replaced deployment web, starting from its copy of rv 4171. No other write had come since, so the server stored it as rv 4176.`},
		"update without a version": {req("A", "update", "web", 200, effect(flow.Updated, 4176, `{}`)),
			`A replaced deployment web. It named no resourceVersion, so the server did not check for writes in between: rv 4176 replaces any version.`},
		"update that creates": {req("A", "update", "web", 201, effect(flow.Created, 4176, `{}`)),
			`A replaced deployment web, which did not exist: it was created. It is stored as rv 4176.`},
		"no-op": {req("A", "update", "web", 200, rv(4171, 4171)),
			`A replaced deployment web, starting from its copy of rv 4171. Nothing in it differed from the stored object, so nothing was written: it is still rv 4171, and watchers get no event.`},
		"update dry run": {req("A", "update", "web", 200, rv(4171, 4171), query("dryRun=All")),
			`A replaced deployment web, but as a dry run: the answer shows what would be stored, and nothing was.`},
		"stale": {req("B", "update", "web", 409,
			conflict(flow.Conflict{Kind: flow.StaleRevision, Sent: 4171, Stored: 4176})),
			`B tried to replace deployment web with its copy of rv 4171. By then rv 4176 had been written, so the server refused and stored nothing.`},
		"stale delete": {req("B", "delete", "web", 409,
			conflict(flow.Conflict{Kind: flow.StaleRevision, Sent: 4171, Stored: 4176})),
			`B tried to delete deployment web, but only at rv 4171. By then rv 4176 had been written, so the server refused and stored nothing.`},
		"other uid": {req("B", "delete", "web", 409, conflict(flow.Conflict{Kind: flow.Precondition})),
			`B tried to delete deployment web, but only if it is still the object that it knows. Another object of the same name is stored now, with another uid, so the server refused and changed nothing.`},
		"apply conflict": {req("k2", "apply", "web", 409, conflict(flow.Conflict{Kind: flow.FieldOwnership}),
			query("fieldManager=argocd"),
			answer(`{"details":{"causes":[{"message":"conflict with \"hpa\" using apps/v1","field":".spec.replicas"}]}}`)),
			`k2 tried to apply deployment web as field manager argocd. Manager hpa owns spec.replicas, and it asks for other values, so the server refused and stored nothing. It can leave those fields out, take the same values, or force.`},
		"other conflict": {req("A", "delete", "web", 409, said("Conflict", "it is busy")),
			`A tried to delete deployment web, and the server refused because of the stored state. The server said: it is busy.`},
		"patch": {req("A", "patch", "web", 200, effect(flow.Updated, 4176, `{}`),
			func(f *flow.Flow) { f.RequestHeader.Set("Content-Type", "application/merge-patch+json") }),
			`A patched deployment web with a merge patch. It is stored as rv 4176.`},
		"patch of the status": {req("A", "patch", "web", 200, effect(flow.Updated, 4176, `{}`),
			func(f *flow.Flow) { f.Target.Subresource = "status" }),
			`A patched the status of deployment web. It is stored as rv 4176.`},
		"last finalizer": {req("A", "patch", "web", 200, effect(flow.Deleted, 4176, ``)),
			`A patched deployment web. That took away its last finalizer while it was being deleted, so it is gone now.`},
		"apply": {req("k2", "apply", "web", 200, effect(flow.Updated, 4176, `{}`),
			query("fieldManager=kubectl&force=true")),
			`k2 applied deployment web as field manager kubectl, taking over fields of others. It is stored as rv 4176.`},
		"delete": {req("A", "delete", "web", 200, effect(flow.Deleted, 4190, ``)),
			`A deleted deployment web. It is gone as of rv 4190, and watchers get a DELETED event.`},
		"delete with finalizers": {req("A", "delete", "web", 200,
			effect(flow.Updated, 4190, `{"metadata":{"deletionTimestamp":"x","finalizers":["a/b","c/d"]}}`)),
			`A asked to delete deployment web. It now has a deletionTimestamp (rv 4190), and watchers see a MODIFIED event, not DELETED. It goes when the last of its finalizers is removed: a/b and c/d.`},
		"delete in the foreground": {req("A", "delete", "web", 200, query("propagationPolicy=Foreground"),
			change(flow.Updated, `{"metadata":{}}`, `{"metadata":{"finalizers":["foregroundDeletion"]}}`)),
			`A asked to delete deployment web. It now has a deletionTimestamp (rv 4190), and watchers see a MODIFIED event, not DELETED. What it owns goes first (Foreground, as the request asked): the request added the finalizer foregroundDeletion. It goes when the last of its finalizers is removed: foregroundDeletion.`},
		"delete that orphans by default": {req("A", "delete", "web", 200,
			change(flow.Updated, `{"metadata":{}}`, `{"metadata":{"finalizers":["orphan"]}}`)),
			`A asked to delete deployment web. It now has a deletionTimestamp (rv 4190), and watchers see a MODIFIED event, not DELETED. What it owns stays, without its owner (Orphan, the default of its kind): the request added the finalizer orphan. It goes when the last of its finalizers is removed: orphan.`},
		"delete in the background": {req("A", "delete", "web", 200,
			sent("DELETE", "application/json", `{"propagationPolicy":"Background"}`), query("propagationPolicy=Orphan"),
			change(flow.Deleted, `{"metadata":{}}`, ``)),
			`A deleted deployment web. It is gone as of rv 4190, and watchers get a DELETED event. What it owns is deleted afterwards, in the background (Background, as the request asked).`},
		"delete again": {req("A", "delete", "web", 200),
			`A asked to delete deployment web again. It is being deleted already, so nothing changed.`},
		"deletecollection": {req("A", "deletecollection", "", 200, effect(flow.Deleted, 4190, ``),
			effect(flow.Deleted, 4191, ``)),
			`A deleted all deployments in namespace default that its selectors let through. Each deletion is a change with a version of its own: 2 objects.`},
		"invalid": {req("A", "create", "web", 422, said("Invalid", "spec.replicas: must be positive")),
			`A tried to create deployment web, and the server understood every word of it. But the object breaks a rule of its kind, so nothing was stored: spec.replicas: must be positive.`},
		"too many": {req("A", "list", "", 429, said("TooManyRequests", "later"),
			func(f *flow.Flow) { f.ResponseHeader.Set("Retry-After", "1") }),
			`A asked to list deployments in namespace default, and the server asked it to come back later. Retry-After asks it to wait 1 s. The server said: later.`},
		"forbidden": {req("A", "create", "web", 403, said("Forbidden", "namespace shop is terminating")),
			`A tried to create deployment web and got 403 Forbidden. The server understood it and will not do it; asking again in the same way will not help. The server said: namespace shop is terminating.`},
		"timeout": {req("A", "get", "web", 504, said("Timeout", "Too large resource version")),
			`A asked to read deployment web, and the server could not answer in time. The server said: Too large resource version.`},
		"internal": {req("A", "get", "web", 500),
			`A tried to read deployment web and got 500 Internal Server Error. Something in the server went wrong; the request may be fine.`},
		"panic": {req("A", "get", "web", 500, func(f *flow.Flow) { f.Panic = "index out of range\ngoroutine 1" }),
			`A asked to read deployment web, and the server's own code failed: index out of range. That is a bug of Kubarium: this request got 500 Internal Server Error, and the server went on.`},
		"went away": {req("A", "list", "", 0),
			`A asked to list deployments in namespace default, but went away before there was an answer.`},
	} {
		if got := strings.Join(story.Tell(c.flow), " "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
		if n := len(story.Tell(c.flow)); n < 1 || n > 4 {
			t.Errorf("%s: %d sentences", name, n)
		}
	}
}

// With the writers of revisions the story names the client that came first.
func TestTeller_Tell(t *testing.T) {
	f := req("B", "update", "web", 409, conflict(flow.Conflict{Kind: flow.StaleRevision, Sent: 4171, Stored: 4176}))
	for writer, want := range map[string]string{
		"A": "A had already written rv 4176, so the server refused and stored nothing.",
		"B": "It had itself written rv 4176 since, so the server refused and stored nothing.",
		"":  "By then rv 4176 had been written, so the server refused and stored nothing.",
	} {
		teller := story.Teller{Wrote: func(int64) string { return writer }}
		if got := teller.Tell(f)[1]; got != want {
			t.Errorf("written by %q: %s", writer, got)
		}
	}
}

func TestLine(t *testing.T) {
	for want, f := range map[string]*flow.Flow{
		"409 Conflict: B update deployments/web, stale rv 4171, stored 4176": req("B", "update", "web", 409,
			conflict(flow.Conflict{Kind: flow.StaleRevision, Sent: 4171, Stored: 4176})),
		"409 Conflict: B create deployments/web, already exists": req("B", "create", "web", 409,
			conflict(flow.Conflict{Kind: flow.AlreadyExists})),
		"200 OK: A get deployments/web, rv 4171": req("A", "get", "web", 200,
			rv(0, 4171)),
		"200 OK: A update deployments/web, nothing changed": req("A", "update", "web", 200,
			rv(0, 4171)),
		"200 OK: A update deployments/web, dry run": req("A", "update", "web", 200,
			rv(0, 4171), query("dryRun=All")),
		"200 OK: k1 watch deployments in default, opened": req("k1", "watch", "", 200,
			watched(flow.WatchOpened, 1, "")),
		"200 OK: k1 watch deployments in default, closed after 2 events (timeout)": req("k1", "watch", "", 200,
			watched(flow.WatchClosed, 1, "timeout")),
		`404 Not Found: a client get configmaps/x in shop, configmaps "x" not found`: req("", "get", "", 404,
			target(flow.Target{Verb: "get", Resource: "configmaps", Namespace: "shop", Name: "x"}),
			said("NotFound", `configmaps "x" not found`)),
		"no answer: A list deployments in default": req("A", "list", "", 0),
		"200 OK: c1 GET /apis/apps/v1/namespaces/default/deployments": req("c1", "get", "", 200,
			target(flow.Target{Verb: "get"})),
		"500 Internal Server Error: A get deployments/web, panic: index out of range": req("A", "get", "web", 500,
			func(f *flow.Flow) { f.Panic = "index out of range\nmore" }),
		"200 OK: A update deployments/web/status, rv 4176": req("A", "update", "web", 200,
			effect(flow.Updated, 4176, "{}"), func(f *flow.Flow) { f.Target.Subresource = "status" }),
	} {
		if got := story.Line(f); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Every pane of the inspector and every page with help has a legend.
func TestExplain(t *testing.T) {
	for _, pane := range []string{"traffic", "watches", "versions", "story", "request", "response", "stations", "sql",
		"effects", "raw"} {
		if len(story.Explain(pane)) == 0 {
			t.Errorf("%s has no legend", pane)
		}
		for _, s := range story.Explain(pane) {
			if !strings.HasSuffix(s, ".") {
				t.Errorf("%s: no sentence: %s", pane, s)
			}
		}
	}
	if story.Explain("cellar") != nil {
		t.Error("there is a legend for a pane that does not exist")
	}
}

func TestParameter(t *testing.T) {
	for _, p := range []string{"watch", "resourceVersion", "limit", "continue", "dryRun", "fieldManager",
		"labelSelector"} {
		if story.Parameter(p) == "" {
			t.Errorf("%s has no meaning", p)
		}
	}
	if story.Parameter("colour") != "" {
		t.Error("an unknown parameter has a meaning")
	}
}

// Actions of fault rules come after the result, and an answer of a rule is said not to be the server's own.
func TestTell_faults(t *testing.T) {
	noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	by := func(marks ...flow.FaultMark) func(*flow.Flow) {
		return func(f *flow.Flow) { f.Start, f.Faults = noon, marks }
	}
	stale := conflict(flow.Conflict{Kind: flow.StaleRevision, Sent: 4171, Stored: 4176})
	for name, c := range map[string]struct {
		f    *flow.Flow
		want string
	}{
		"held": {req("B", "update", "web", 409, stale,
			by(flow.FaultMark{Action: "hold", Station: "rv check", At: time.Millisecond,
				Waited: 8200 * time.Millisecond, Outcome: "let go"})),
			"A rule held it 8.2s before rv check; during that time A wrote rv 4176."},
		"held after": {req("B", "update", "web", 409, stale,
			by(flow.FaultMark{Action: "hold", Station: "store", At: 5 * time.Second, Waited: time.Second,
				Outcome: "let go"})),
			"A rule held it 1s before store."},
		"edited": {req("B", "update", "web", 200,
			by(flow.FaultMark{Name: "door", Action: "hold", Waited: time.Second, Edited: "body",
				Outcome: "let go, edited"})), "The rule door held it 1s; its body was edited before it went on."},
		"waited": {req("B", "get", "web", 200,
			by(flow.FaultMark{Action: "delay", Station: "cache", Waited: 200 * time.Millisecond})),
			"A rule let it wait 200ms before cache."},
		"refused": {req("B", "list", "", 429,
			by(flow.FaultMark{Action: "refuse", Station: "negotiate", Outcome: "refused 429"})),
			"The answer 429 Too Many Requests is not the server's own."},
		"at hand": {req("B", "update", "web", 503,
			by(flow.FaultMark{Action: "hold", Waited: time.Second, Outcome: "refused 503"})),
			"A rule held it 1s; refused 503."},
		"cut": {req("B", "get", "web", 0,
			by(flow.FaultMark{Action: "cut", Station: "decode", Outcome: "connection cut"})),
			"A rule cut its connection before decode, so there was no answer."},
		"lost": {req("B", "update", "web", 0, effect(flow.Updated, 4177, "{}"),
			by(flow.FaultMark{Action: "lose", Outcome: "the answer was lost"})),
			"That was committed at rv 4177. A rule lost the answer: the client does not know that it was committed."},
		"lagging": {req("B", "get", "web", 200, rv(0, 4100), by(flow.FaultMark{Action: "lag", Seen: 4100})),
			"A rule showed it the server as it was at rv 4100."},
	} {
		teller := story.Teller{Wrote: func(int64) string { return "A" },
			Committed: func(int64) time.Time { return noon.Add(3 * time.Second) }}
		if got := strings.Join(teller.Tell(c.f), " "); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q is not in %q", name, c.want, got)
		}
	}
	for _, action := range []string{"cut", "refuse", "lose"} {
		f := req("B", "get", "web", 0, by(flow.FaultMark{Action: action}))
		if got := strings.Join(story.Tell(f), " "); strings.Contains(got, "went away") {
			t.Errorf("%s: the client is said to have gone: %s", action, got)
		}
	}
}
