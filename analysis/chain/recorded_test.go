package chain_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"kubarium/analysis/chain"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// Runs of kube-controller-manager and kube-scheduler 1.37 (a Deployment is made, scaled, given another image, and
// deleted, a Job, a Namespace; the statuses of Pods are patched by hand), and of the controller of package planted, with
// client-go. What each write is ascribed to agrees with the logs of these programs.
func TestReader_Add_recorded(t *testing.T) {
	for name, want := range map[string]map[uint64]string{
		"controllers": {
			376: "201 create replicasets ← owner:deployments.apps/web@230 ADDED #375",
			379: "200 update deployments/status ← version:deployments.apps/web@230 ADDED #375, " +
				"owned:replicasets.apps/web-5fc9f4bf66@231 ADDED #376 (its own)",
			381: "200 update deployments/status ← version:deployments.apps/web@232 MODIFIED #379 (its own), " +
				"owned:replicasets.apps/web-5fc9f4bf66@231 ADDED #376 (its own), again #380",
			382: "201 create pods ← owner:replicasets.apps/web-5fc9f4bf66@231 ADDED #376",
			389: "201 create pods/binding ← object:pods/web-5fc9f4bf66-k4nh5@237 ADDED #385",
			392: "200 update replicasets/status ← owned:pods/web-5fc9f4bf66-p9cbn@241 MODIFIED #388, " +
				"owned:pods/web-5fc9f4bf66-k4nh5@240 MODIFIED #389, " +
				"version:replicasets.apps/web-5fc9f4bf66@239 MODIFIED #387 (its own), " +
				"owned:pods/web-5fc9f4bf66-k4nh5@237 ADDED #385 (its own), and 1 more",
			397: "201 create endpoints ← named:services/web@247 ADDED #399",
			398: "201 create endpointslices ← owner:services/web@247 ADDED #399",
			405: "200 patch pods/status ← version:get#404",
			409: "200 update deployments/status ← owned:replicasets.apps/web-5fc9f4bf66@252 MODIFIED #406, " +
				"version:deployments.apps/web@245 MODIFIED #393 (its own)",
			420: "200 update replicasets ← owner:deployments.apps/web@261 MODIFIED #419, " +
				"version:replicasets.apps/web-5fc9f4bf66@259 MODIFIED #415",
			428: "200 update replicasets/status ← version:replicasets.apps/web-5fc9f4bf66@268 MODIFIED #426 (its own), " +
				"owned:pods/web-5fc9f4bf66-8hdg6@266 MODIFIED #424, owned:pods/web-5fc9f4bf66-8hdg6@265 ADDED #423 (its own)",
			434: "201 create replicasets ← owner:deployments.apps/web@273 MODIFIED #433",
			448: "201 create pods ← owner:jobs.batch/once@285 ADDED #447",
			451: "201 create events ← named:pods/once-grwg8@287 MODIFIED #449, named:jobs.batch/once@285 ADDED #447, " +
				"named:pods/once-grwg8@286 ADDED #448 (its own)",
			458: "200 update jobs/status ← owned:pods/once-grwg8@291 MODIFIED #457, " +
				"version:jobs.batch/once@290 MODIFIED #452 (its own)",
			464: "201 create configmaps ← named:namespaces/shop@296 ADDED #463",
			465: "201 create serviceaccounts ← named:namespaces/shop@296 ADDED #463",
			468: "200 delete pods ← object:list#467",
			470: "200 update endpointslices ← named:pods/web-5fc9f4bf66-k4nh5@302 DELETED #469, " +
				"named:pods/web-5fc9f4bf66-k4nh5@301 MODIFIED #469, " +
				"version:endpointslices.discovery.k8s.io/web-9p488@257 MODIFIED #413 (its own)",
			474: "201 create pods ← sibling:pods/web-5fc9f4bf66-8hdg6@300 DELETED #468, " +
				"sibling:pods/web-5fc9f4bf66-8hdg6@299 MODIFIED #468",
			509: "200 delete replicasets ← owner:deployments.apps/web@337 DELETED #503, object:get#507",
		},
		"site": {
			252: "200 update sites ← version:sites.planted.example.com/shop@213 ADDED #251",
			253: "201 create deployments ← owner:sites.planted.example.com/shop@213 ADDED #251, " +
				"owner:sites.planted.example.com/shop@214 MODIFIED #252 (its own)",
			255: "409 update sites/status ← version:sites.planted.example.com/shop@213 ADDED #251, " +
				"object:sites.planted.example.com/shop@214 MODIFIED #252 (its own), " +
				"owned:services/shop@216 ADDED #254 (its own), owned:deployments.apps/shop@215 ADDED #253 (its own)",
			259: "200 update deployments ← owner:sites.planted.example.com/shop@218 MODIFIED #257, " +
				"version:deployments.apps/shop@215 ADDED #253 (its own), " +
				"owner:sites.planted.example.com/shop@219 MODIFIED #258 (its own), " +
				"owner:sites.planted.example.com/shop@217 MODIFIED #256 (its own), and 2 more",
		},
	} {
		log := load(t, filepath.Join("testdata", name+".kubarium"))
		r := chain.NewReader(func() []*flow.Watch { return log.Watches(flow.Forever) })
		flows, _ := log.Since(0, 0)
		for _, f := range flows {
			if made := r.Add(f); made != nil && made.Write != f.Seq {
				t.Fatalf("%s #%d has the chain of #%d", name, f.Seq, made.Write)
			}
		}
		for seq, want := range want {
			if got := ascribed(log.Get(seq), r.Of(seq)); got != want {
				t.Errorf("%s #%d:\n got %s\nwant %s", name, seq, got, want)
			}
		}
	}
}

// No write of a real controller is ascribed to what came after it, and few to nothing or to time alone.
func TestReader_Add_sane(t *testing.T) {
	for _, name := range []string{"controllers", "site"} {
		log := load(t, filepath.Join("testdata", name+".kubarium"))
		r := chain.NewReader(func() []*flow.Watch { return log.Watches(flow.Forever) })
		flows, _ := log.Since(0, 0)
		writes, unsure := 0, 0
		for _, f := range flows {
			made := r.Add(f)
			if len(f.Effects) == 0 || !controllers.MatchString(f.Client.UserAgent) {
				continue
			}
			writes++
			if made == nil || len(made.Events) == 0 || made.Events[0].Link == chain.Time {
				unsure++
				continue
			}
			for _, e := range made.Events {
				if e.By >= f.Seq && e.Before < 0 || e.Revision >= f.Effects[0].Commit.Revision || e.Before < -time.Millisecond {
					t.Errorf("%s #%d is ascribed to %+v", name, f.Seq, e)
				}
			}
		}
		if writes < 40 || unsure*20 > writes {
			t.Errorf("%s: of %d writes of controllers, nothing sure is known of %d", name, writes, unsure)
		}
	}
}

var controllers = regexp.MustCompile(`/[a-z-]+-controller$|/scheduler$|^site-controller`)

// ascribed is a write with its chain, without times.
func ascribed(f *flow.Flow, c *chain.Chain) string {
	sub := f.Target.Subresource
	if sub != "" {
		sub = "/" + sub
	}
	text, sep := fmt.Sprintf("%d %s %s%s", f.Status, f.Target.Verb, f.Target.Resource, sub), " ← "
	add := func(format string, args ...any) {
		text += sep + fmt.Sprintf(format, args...)
		sep = ", "
	}
	if c == nil {
		return text
	}
	for _, e := range c.Events {
		own := ""
		if e.ByTag == f.Client.Tag {
			own = " (its own)"
		}
		add("%s:%s/%s@%d %s #%d%s", e.Link, e.Resource, e.Name, e.Revision, e.Type, e.By, own)
	}
	if c.More > 0 {
		add("and %d more", c.More)
	}
	for _, x := range c.Reads {
		add("%s:%s#%d", x.Link, x.Verb, x.Seq)
	}
	if c.Retry > 0 {
		add("again #%d", c.Retry)
	}
	return text
}

// load reads a recording into a log.
func load(t testing.TB, name string) *flow.Log {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	d, err := recording.NewDecoder(file)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	log := flow.NewLog(flow.Limits{Bytes: 1 << 30, KeepEnded: flow.Forever})
	for {
		e, err := d.Next()
		if err == io.EOF {
			return log
		}
		if err != nil {
			t.Fatal(err)
		}
		recording.Fill(log, e)
	}
}
