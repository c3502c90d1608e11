package compare_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/analysis/compare"
	"kubarium/flow"
	"kubarium/flow/object"
)

// rows writes rows down, a mark and what was asked for each.
func rows(c *compare.Comparison) string {
	mark := map[compare.Kind]string{compare.Same: "=", compare.OnlyLeft: "<", compare.OnlyRight: ">",
		compare.Different: "!"}
	var out []string
	for _, r := range c.Rows {
		f := r.Left
		if f == nil {
			f = r.Right
		}
		s := fmt.Sprintf("%s %s %s/%s", mark[r.Kind], f.Target.Verb, f.Target.Resource, f.Target.Name)
		if r.Soft != "" {
			s += " (" + string(r.Soft) + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

// trimmed are lines without what surrounds them.
func trimmed(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func TestRuns(t *testing.T) {
	for name, c := range map[string]struct{ left, right, rows, why string }{
		"nothing": {"", "", "", ""},
		"the same": {
			`a get pods/x
			 a update pods/x body={"a":1}`,
			`a get pods/x ms=500
			 a update pods/x body={"a":1}`,
			`= get pods/x
			 = update pods/x`, "",
		},
		"another answer": {
			`a get deployments/web
			 a update deployments/web body={"a":1}
			 a get pods/x`,
			`a get deployments/web
			 a update deployments/web body={"a":1} 409 Conflict sent=210 stored=214
			 a get deployments/web
			 a update deployments/web body={"a":1}
			 a get pods/x`,
			`= get deployments/web
			 ! update deployments/web
			 > get deployments/web (read again)
			 > update deployments/web (retried)
			 = get pods/x`,
			"in the second run the PUT of deployments default/web met 409 Conflict: resourceVersion 214 was stored, 210 " +
				"sent; in the first run the same request was answered 200",
		},
		"another answer in the first run": {
			`a delete pods/x 404 NotFound`, `a delete pods/x`, `! delete pods/x`,
			"in the first run the DELETE of pods default/x met 404 NotFound; in the second run the same request was answered 200",
		},
		"two errors": {
			`a get pods/x 404 NotFound`, `a get pods/x 403 Forbidden`, `! get pods/x`,
			"in the second run the GET of pods default/x met 403 Forbidden; in the first run the same request met 404 NotFound",
		},
		"no answer": {
			`a update pods/x`, `a update pods/x 0`, `! update pods/x`,
			"in the second run the PUT of pods default/x got no answer; in the first run the same request was answered 200",
		},
		"another body": {
			`a update pods/x body={"metadata":{"resourceVersion":"7"},"spec":{"replicas":3}}`,
			`a update pods/x body={"metadata":{"resourceVersion":"9"},"spec":{"replicas":5}}`,
			`! update pods/x`,
			"the PUT of pods default/x was sent with spec.replicas 3 in the first run and 5 in the second",
		},
		"another user": {
			`a update pods/x user=alice`, `a update pods/x user=bob`, `! update pods/x`,
			"the PUT of pods default/x was sent by alice, then by bob",
		},
		"one more": {
			`a create pods body={"metadata":{"name":"x"}}
			 a get pods/y`,
			`a create pods body={"metadata":{"name":"x"}}
			 a delete pods/x
			 a get pods/y`,
			`= create pods/
			 > delete pods/x
			 = get pods/y`,
			"only the second run has the DELETE of pods default/x by a, which was answered 200; in the first run a goes on " +
				"with the GET of pods default/y",
		},
		"another object made": {
			`a create pods 201 body={"metadata":{"name":"x"}}`, `a create pods 201 body={"metadata":{"name":"y"}}`,
			`< create pods/
			 > create pods/`,
			"only the first run has the POST of pods default/x by a, which was answered 201; in the second run a goes on " +
				"with the POST of pods default/y",
		},
		"the end of a run": {
			`a update pods/x
			 a update pods/y`, `a update pods/x`,
			`= update pods/x
			 < update pods/y`,
			"only the first run has the PUT of pods default/y by a, which was answered 200; in the second run a asks for " +
				"nothing more",
		},
		"a client more": {
			`a update pods/x`,
			`a update pods/x
			 b update pods/x`,
			`= update pods/x
			 > update pods/x`,
			"only the second run has the PUT of pods default/x by b, which was answered 200; there is no b in the first run",
		},
		"other order of clients": {
			`a update pods/x
			 b update pods/y`,
			`b update pods/y
			 a update pods/x`,
			`= update pods/x
			 = update pods/y`, "",
		},
		"other order in a client": {
			`a list pods
			 a list secrets
			 a list nodes`,
			`a list secrets
			 a list nodes
			 a list pods`,
			`! list pods/ (reordered)
			 = list secrets/
			 = list nodes/`, "",
		},
		"an older version": {
			`a get pods/x q=resourceVersion=7`, `a get pods/x q=resourceVersion=12`, `= get pods/x`, "",
		},
		"another selector": {
			`a list pods q=labelSelector=a%3Db`, `a list pods q=labelSelector=a%3Dc`,
			`< list pods/
			 > list pods/`,
			"only the first run has the list of pods in default by a, which was answered 200; in the second run a goes on " +
				"with the list of pods in default",
		},
		"waiting": {
			`a create pods body={"metadata":{"name":"x"}}
			 a get pods/x 404 NotFound
			 a get pods/x 404 NotFound
			 a get pods/x
			 a update pods/x`,
			`a create pods body={"metadata":{"name":"x"}}
			 a get pods/x
			 a get pods/x
			 a update pods/x`,
			`= create pods/
			 < get pods/x (read again)
			 < get pods/x (read again)
			 = get pods/x
			 > get pods/x (read again)
			 = update pods/x`, "",
		},
		"refused for the time being": {
			`a update pods/x body={}`,
			`a update pods/x body={} 429 TooManyRequests
			 a update pods/x body={}`,
			`> update pods/x (retried)
			 = update pods/x`, "",
		},
		"refused and given up": {
			`a update pods/x body={}`, `a update pods/x body={} 503 ServiceUnavailable`, `! update pods/x`,
			"in the second run the PUT of pods default/x met 503 ServiceUnavailable; in the first run the same request was " +
				"answered 200",
		},
		"watches": {
			`a list pods
			 a watch pods
			 a watch pods`,
			`a list pods
			 a watch pods
			 a list pods
			 a watch pods
			 a watch pods`,
			`= list pods/
			 = watch pods/
			 > list pods/ (read again)
			 = watch pods/
			 > watch pods/ (rewatched)`, "",
		},
		"a watch that failed": {
			`a watch pods`, `a watch pods 410 Expired`, `! watch pods/`,
			"in the second run the watch of pods in default met 410 Expired; in the first run the same request was answered 200",
		},
		"leases, events, discovery": {
			`a update leases/a body={"a":1}
			 a get /api`,
			`a update leases/a body={"a":2}
			 a update leases/a body={"a":3}
			 a create events body={"metadata":{"name":"e.1"}} 201`,
			`! update leases/a (renewed)
			 < get / (discovery)
			 > update leases/a (renewed)
			 > create events/ (evented)`, "",
		},
		"a write once more": {
			`a update pods/x body={"a":1}`,
			`a update pods/x body={"a":1}
			 a update pods/x body={"a":1}`,
			`= update pods/x
			 > update pods/x`,
			"only the second run has the PUT of pods default/x by a, which was answered 200; in the first run a asks for " +
				"nothing more",
		},
		"a write once more that changes nothing": {
			`a patch pods/x body={"a":1}`,
			`a patch pods/x body={"a":1}
			 a patch pods/x body={"a":1} unchanged`,
			`= patch pods/x
			 > patch pods/x (sent again)`, "",
		},
		"a conflict more": {
			`a update pods/x body={"a":1} 409 Conflict
			 a update pods/x body={"a":1}`,
			`a update pods/x body={"a":1} 409 Conflict
			 a update pods/x body={"a":1} 409 Conflict
			 a update pods/x body={"a":1}`,
			`= update pods/x
			 > update pods/x (retried)
			 = update pods/x`, "",
		},
		"a conflict of another try more": {
			`a update pods/x body={"a":1} 409 Conflict
			 a update pods/x body={"a":2}`,
			`a update pods/x body={"a":1} 409 Conflict
			 a update pods/x body={"a":1} 409 Conflict
			 a update pods/x body={"a":2}`,
			`= update pods/x
			 > update pods/x (retried)
			 = update pods/x`, "",
		},
		"a race lost on the way to the same": {
			`a update pods/x body={"a":1}
			 a update pods/x body={"a":3}`,
			`a update pods/x body={"a":1}
			 a update pods/x body={"a":2} 409 Conflict
			 a update pods/x body={"a":3}`,
			`= update pods/x
			 > update pods/x (retried)
			 = update pods/x`, "",
		},
		"a race lost, and another body then": {
			`a update pods/x body={"a":1}`,
			`a update pods/x body={"a":1} 409 Conflict
			 a get pods/x
			 a update pods/x body={"a":1,"b":2}`,
			`! update pods/x
			 > get pods/x
			 > update pods/x`,
			"in the second run the PUT of pods default/x met 409 Conflict; in the first run the same request was answered 200",
		},
		"a client more that reads what others read": {
			`k1 get pods/x agent=kubectl/v1
			 k2 delete pods/x agent=kubectl/v1`,
			`k1 get pods/x agent=kubectl/v1
			 k2 get pods/x agent=kubectl/v1
			 k3 delete pods/x agent=kubectl/v1`,
			`= get pods/x
			 > get pods/x (read again)
			 = delete pods/x`, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := compare.Runs(run(c.left), run(c.right), compare.Options{})
			if rows, want := rows(got), trimmed(c.rows); rows != want {
				t.Errorf("rows:\n%s\nwant:\n%s", rows, want)
			}
			why := ""
			if got.Parted != nil {
				why = got.Parted.Why
			}
			if why != c.why {
				t.Errorf("parted: %s\nwant: %s", why, c.why)
			}
		})
	}
}

// What a passing run does as the right one does is no parting; what the right one does alone is.
func TestRuns_Also(t *testing.T) {
	const (
		calm  = "a update pods/x body={\"a\":1}\na update pods/y body={\"a\":1}\n"
		racy  = "a update pods/x body={\"a\":1} 409 Conflict\na get pods/x\na update pods/x body={\"a\":1,\"b\":2}\na update pods/y body={\"a\":1}\n"
		other = "a update pods/x body={\"a\":1}\na update pods/y body={\"a\":1} 409 Conflict\na get pods/y\na update pods/y body={\"a\":1,\"b\":2}\n"
		both  = "a update pods/x body={\"a\":1} 409 Conflict\na get pods/x\na update pods/x body={\"a\":1,\"b\":2}\n" +
			"a update pods/y body={\"a\":1} 409 Conflict\na get pods/y\na update pods/y body={\"a\":1,\"b\":2}\n"
	)
	for name, c := range map[string]struct {
		left, right string
		also        []string
		aside       int
		parts       bool
	}{
		"none":                      {calm, racy, nil, 0, true},
		"one like the left":         {calm, racy, []string{calm}, 0, true},
		"one like the right":        {calm, racy, []string{racy}, 3, false},
		"exchanged":                 {racy, calm, []string{calm}, 3, false},
		"two, each with a part":     {calm, both, []string{racy, other}, 5, false},
		"one of two parts is new":   {calm, both, []string{racy}, 3, true},
		"another body":              {calm, strings.Replace(racy, `"b":2`, `"b":3`, 1), []string{racy}, 2, true},
		"another answer":            {calm, strings.Replace(racy, "409 Conflict", "403 Forbidden", 1), []string{racy}, 2, true},
		"one write more":            {calm, racy + "a delete pods/x", []string{racy}, 3, true},
		"one write less":            {calm, strings.Split(calm, "\n")[0], []string{racy}, 0, true},
		"given up":                  {calm, "a update pods/x body={\"a\":1} 409 Conflict\na update pods/y body={\"a\":1}", []string{racy}, 0, true},
		"given up a retry":          {"a update pods/x body={}", "a update pods/x body={} 409 Conflict", []string{"a update pods/x body={} 409 Conflict\na update pods/x body={}"}, 0, true},
		"less than both passing":    {calm + "a delete pods/x", calm, []string{calm + "a patch pods/x"}, 0, true},
		"less, as one that passes":  {calm + "a delete pods/x", calm, []string{calm}, 1, false},
		"another name in each run":  {strings.ReplaceAll(calm, "pods/x", "pods/x-b2cd4"), strings.ReplaceAll(racy, "pods/x", "pods/x-k9k2m"), []string{strings.ReplaceAll(racy, "pods/x", "pods/x-zz2cc")}, 3, false},
		"given up, of another name": {strings.ReplaceAll(calm, "pods/x", "pods/x-b2cd4"), "a update pods/x-k9k2m body={\"a\":1} 409 Conflict\na update pods/y body={\"a\":1}", []string{strings.ReplaceAll(racy, "pods/x", "pods/x-zz2cc")}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			var o compare.Options
			for _, text := range c.also {
				o.Also = append(o.Also, run(text))
			}
			got := compare.Runs(run(c.left), run(c.right), o)
			if _, soft := got.Count(); soft[compare.Also] != c.aside || (got.Parted != nil) != c.parts {
				t.Errorf("%d set aside, parted %+v:\n%s", soft[compare.Also], got.Parted, rows(got))
			}
		})
	}
}

// Sides can be exchanged: the runs part at the same request.
func TestRuns_Exchanged(t *testing.T) {
	left := run("a get pods/x\na update pods/x body={\"a\":1}\na delete pods/x")
	right := run("a get pods/x\na update pods/x body={\"a\":2}\na delete pods/x")
	for _, c := range []*compare.Comparison{compare.Runs(left, right, compare.Options{}),
		compare.Runs(right, left, compare.Options{})} {
		if c.Parted == nil || c.Parted.Row != 1 {
			t.Errorf("%+v", c.Parted)
		}
	}
}

// Random names of one run are found in the other, wherever they are.
func TestRuns_Names(t *testing.T) {
	made := func(ns, hash, one, two, uid, volume, at string) []*flow.Flow {
		text := `a create namespaces 201 body={"metadata":{"generateName":"test-"}}
		a create replicasets ns=NS 201 body={"metadata":{"name":"web-HASH","namespace":"NS","labels":{"pod-template-hash":"HASH"},"uid":"UID"}}
		rs create pods ns=NS 201 body={"metadata":{"generateName":"web-HASH-","ownerReferences":[{"name":"web-HASH","uid":"UID"}]}}
		rs update pods/web-HASH-ONE ns=NS body={"spec":{"volumes":[{"name":"kube-api-access-VOL"}]},"status":{"startTime":"AT"}}
		rs update pods/web-HASH-TWO ns=NS user=system:serviceaccount:NS:default body={"metadata":{"annotations":{"of":"NS/web-HASH-ONE","last":"{\"uid\":\"UID\"}"}}}
		rs list pods ns=NS q=labelSelector=pod-template-hash%3DHASH
		rs patch pods/web-HASH-TWO/status ns=NS body=[{"op":"test","path":"/metadata/resourceVersion","value":"AT"},{"op":"add","path":"/spec","value":1}]
		a create hooks 201 body={"url":"https://127.0.0.1:PORT/mutate","caBundle":"AT","id":"x-UID"}`
		text = strings.NewReplacer("NS", ns, "HASH", hash, "ONE", one, "TWO", two, "UID", uid, "VOL", volume, "AT", at,
			"PORT", fmt.Sprint(len(volume)+len(at)*997)).Replace(text)
		flows := run(text)
		effect := func(i int, resource, namespace, name string) {
			flows[i].Effects = []flow.Effect{{Commit: flow.Commit{Resource: resource, Namespace: namespace, Name: name}}}
		}
		effect(0, "namespaces", "", ns)
		effect(1, "replicasets.apps", ns, "web-"+hash)
		return flows
	}
	left := made("test-x7k2p", "7d4b9c8f6", "abcde", "x2x4z", "11111111-2222-3333-4444-555555555555", "zzzzz",
		"2026-11-22T12:00:00Z")
	right := made("test-bbbbb", "66c9d8f5b7", "k9k2m", "zz2cc", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", "bcdfg",
		"2026-11-23T13:14:15.123Z")
	// "abcde" has vowels, which no generated name has: the right run's first pod has one that does look so.
	right[3].Target.Name, left[3].Target.Name = "web-66c9d8f5b7-k9k2m", "web-7d4b9c8f6-b2cd4"
	for _, f := range left {
		f.RequestBody = flow.Keep([]byte(strings.ReplaceAll(string(f.RequestBody.Kept), "abcde", "b2cd4")))
	}
	c := compare.Runs(left, right, compare.Options{})
	if c.Parted != nil || len(c.Rows) != len(left) {
		t.Errorf("%s\n%+v\n%v", rows(c), c.Parted, c.Names)
	}
	want := map[string]string{"test-x7k2p": "test-bbbbb", "web-7d4b9c8f6": "web-66c9d8f5b7",
		"web-7d4b9c8f6-b2cd4": "web-66c9d8f5b7-k9k2m", "web-7d4b9c8f6-x2x4z": "web-66c9d8f5b7-zz2cc"}
	if !maps.Equal(c.Names, want) {
		t.Errorf("%v", c.Names)
	}
}

// Names that do not look random are names, and so are random ones when another of them is meant.
func TestRuns_OtherNames(t *testing.T) {
	for _, c := range [][2]string{
		{"a delete pods/web-green", "a delete pods/web-amber"},
		{"a delete pods/web-1", "a delete pods/web-2"},
		{"a delete pods/crd-v1beta1", "a delete pods/crd-v2alpha1"},
		{"a get pods/w-x2x4z\na get pods/w-b2cd4\na delete pods/w-x2x4z",
			"a get pods/w-k9k2m\na get pods/w-zz2cc\na delete pods/w-zz2cc"},
	} {
		if got := compare.Runs(run(c[0]), run(c[1]), compare.Options{}); got.Parted == nil {
			t.Errorf("%q and %q are the same:\n%s", c[0], c[1], rows(got))
		}
	}
}

// Clients are found by their programs, whatever their version, and those of one program by what they ask first.
func TestRuns_Clients(t *testing.T) {
	left := run(`m update pods/x agent=manager/v0.0.0
		e2e update pods/y agent=e2e.test-4711/v1
		k1 get pods/x agent=kubectl/v1.37.0
		k2 delete pods/x agent=kubectl/v1.37.0
		k3 get nodes/x agent=kubectl/v1.37.0`)
	right := run(`m update pods/x agent=manager/v1.2.3-rc.1+abc
		e2e update pods/y agent=e2e.test-815/v1
		k1 delete pods/x agent=kubectl/v1.38.0
		k2 get nodes/x agent=kubectl/v1.38.0`)
	left[0].Client.UserAgent += " (linux/amd64) kubernetes/$Format"
	right[0].Client.UserAgent += " (darwin/arm64) kubernetes/0123abc"
	c := compare.Runs(left, right, compare.Options{})
	kinds, _ := c.Count()
	if kinds[compare.Same] != 4 || kinds[compare.OnlyLeft] != 1 {
		t.Errorf("%s", rows(c))
	}
	var names []string
	for _, r := range c.Rows {
		names = append(names, r.Client)
	}
	if want := []string{"manager", "e2e.test", "kubectl 1", "kubectl 2", "kubectl 3"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// Kubarium's own requests are left out, and the end of a watch is no request of its own.
func TestRuns_Own(t *testing.T) {
	left := run("a watch pods\na watch pods")
	right := run("c list pods agent=kubarium-controller/namespace\na watch pods\nx get /debug/flows")
	w := flow.NewLog(flow.Limits{}).OpenWatch(flow.WatchInfo{})
	left[0].Phase, left[0].Watch = flow.WatchOpened, w
	left[1].Phase, left[1].Watch = flow.WatchClosed, w
	right[1].Phase, right[1].Watch = flow.WatchClosed, w // its opening is not in the run
	if c := compare.Runs(left, right, compare.Options{}); rows(c) != "= watch pods/" || c.Left != 1 || c.Right != 1 {
		t.Errorf("%s", rows(c))
	}
	if c := compare.Runs(left, right, compare.Options{Own: true}); c.Right != 3 || c.Parted == nil {
		t.Errorf("%s", rows(c))
	}
}

// Rows come in the order of time, also where one run was slower, and where runs come in any order.
func TestRuns_Order(t *testing.T) {
	left := run("a update pods/1\nb update pods/2 ms=100\na update pods/3 ms=100\nb update pods/4 ms=100")
	right := run("a update pods/1\nb update pods/2 ms=900\na delete pods/5 ms=900\na update pods/3 ms=900\nb update " +
		"pods/4 ms=1")
	slices.Reverse(right)
	want := "= update pods/1\n= update pods/2\n> delete pods/5\n= update pods/3\n= update pods/4"
	c := compare.Runs(left, right, compare.Options{})
	if rows(c) != want {
		t.Errorf("%s", rows(c))
	}
	if r := c.Rows[2]; r.RightAt != 1800*time.Millisecond || c.Rows[3].LeftAt != 200*time.Millisecond {
		t.Errorf("%+v", r)
	}
}

// Bodies of which not all was kept are not compared, and bytes that do not read are compared as they are.
func TestRuns_Bodies(t *testing.T) {
	both := func() (l, r []*flow.Flow) { return run("a update pods/x"), run("a update pods/x") }
	l, r := both()
	l[0].RequestBody, r[0].RequestBody = flow.Body{Kept: []byte("a"), Total: 9, Cut: true}, flow.Keep([]byte("b"))
	if c := compare.Runs(l, r, compare.Options{}); c.Parted != nil {
		t.Errorf("cut: %+v", c.Parted)
	}
	l, r = both()
	l[0].RequestBody, r[0].RequestBody = flow.Keep([]byte("a")), flow.Keep([]byte("bc"))
	if c := compare.Runs(l, r, compare.Options{}); c.Parted == nil ||
		!strings.Contains(c.Parted.Why, "sent with 1 bytes in the first run and other 2 bytes in the second") {
		t.Errorf("bytes: %+v", c.Parted)
	}
}

// How a body is written does not matter, whatever is in it.
func FuzzRuns_Bodies(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, `{"a":[1,-2.5e3,true,null,"x\"\\y"],"b":{"c":{}}}`, `[{"op":"test","path":"/metadata/uid","value":"x"}]`,
		`{"value":1,"path":"uid"}`,
		`{"path":{"uid":1},"value":[]}`, `{"last":"{\"a\":\"b-x2x4z\"}","at":"2026-11-22T12:00:00Z"}`,
		`{"é":"127.0.0.1:1 localhost: [::1]:"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := object.Parse([]byte(text))
		if v == nil || !json.Valid([]byte(text)) {
			return
		}
		left, right := run("a update pods/x"), run("a update pods/x")
		short, err := json.Marshal(v)
		if err != nil {
			return
		}
		long, err := json.MarshalIndent(v, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		left[0].RequestBody, right[0].RequestBody = flow.Keep(short), flow.Keep(long)
		if c := compare.Runs(left, right, compare.Options{}); c.Parted != nil && (short[0] == '{' || short[0] == '[') {
			t.Errorf("%s\n%s\n%s", short, long, c.Parted.Why)
		}
	})
}
