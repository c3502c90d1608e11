package planted_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"kubarium/analysis/doctor"
	"kubarium/app/program"
	"kubarium/flow"
	"kubarium/server/controllers"
	"kubarium/tests/planted"
)

// A run is what a server recorded of one exercise, from when the stage was set.
type run []*flow.Flow

// record runs an exercise against a server of its own.
func record(t *testing.T, name string, mended, quick bool) run {
	t.Helper()
	p, err := program.Start(t.Context(),
		program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: 5 * time.Minute, Sync: "off",
			Controllers: controllers.All()},
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	<-p.Bootstrapped()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var before uint64
	o := planted.Options{Mistake: name, Mended: mended, Quick: quick, Namespace: "default-shop",
		Prepared: func() { before = last(p.Log) }}
	if err := planted.Run(ctx, &rest.Config{Host: p.URL}, o); err != nil {
		t.Fatal(err)
	}
	return settled(t, p.Log, before)
}

func last(l *flow.Log) uint64 {
	flows, _ := l.Since(0, 0)
	return flows[len(flows)-1].Seq
}

// settled are the flows of a run after all its watches have ended, and every change of its objects has its flow:
// watches report a deletion before the request that deleted has its answer.
func settled(t *testing.T, l *flow.Log, after uint64) run {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		flows, missed := l.Since(after, 0)
		open := map[uint64]bool{}
		for _, f := range flows {
			switch {
			case f.Client.Own():
			case f.Phase == flow.WatchOpened:
				open[f.Watch.ID] = true
			case f.Phase == flow.WatchClosed:
				delete(open, f.Watch.ID)
			}
		}
		late := run(flows).missing(l)
		if len(open) == 0 && len(late) == 0 {
			if missed.All() > 0 {
				t.Errorf("%+v flows missed", missed)
			}
			return flows
		}
		if time.Now().After(deadline) {
			t.Fatalf("after the run %d watches are open, and these changes have no flow: %v", len(open), late)
		}
	}
}

// count is how many requests of the controller a filter takes.
func (r run) count(takes func(*flow.Flow) bool) int {
	n := 0
	for _, f := range r {
		if f.Client.UserAgent == planted.Controller && f.Phase != flow.WatchClosed && takes(f) {
			n++
		}
	}
	return n
}

func verb(f *flow.Flow, verb, resource string) bool {
	return f.Target.Verb == verb && f.Target.Resource == resource
}

func write(f *flow.Flow) bool { return f.Method != http.MethodGet }

func query(f *flow.Flow, key string) string {
	q, _ := url.ParseQuery(f.Query)
	return q.Get(key)
}

// missing are the changes of objects of the Sites, from the first that a flow of the run made, that are of no flow yet.
// The first ones may be of flows from before the run, as flows come in the order of their ends.
func (r run) missing(l *flow.Log) []flow.Commit {
	made := map[int64]bool{}
	all, _ := l.Since(0, 0)
	for _, f := range all {
		for _, e := range f.Effects {
			made[e.Commit.Revision] = true
		}
	}
	first := int64(math.MaxInt64)
	for _, f := range r {
		for _, e := range f.Effects {
			first = min(first, e.Commit.Revision)
		}
	}
	commits, _ := l.Commits(0)
	return slices.DeleteFunc(commits, func(c flow.Commit) bool {
		return c.Revision < first || c.Namespace != "default-shop" || made[c.Revision]
	})
}

// left are the objects of a resource that the run has left, with their newest text.
func (r run) left(resource string) map[string]string {
	left, newest := map[string]string{}, map[string]int64{}
	for _, f := range r {
		for _, e := range f.Effects {
			// flows come in the order of their ends
			if e.Commit.Resource != resource || e.Commit.Revision < newest[e.Commit.Name] {
				continue
			}
			newest[e.Commit.Name] = e.Commit.Revision
			if left[e.Commit.Name] = string(e.After); e.After == nil {
				delete(left, e.Commit.Name)
			}
		}
	}
	return left
}

// leftWith counts those of them that contain a text.
func (r run) leftWith(resource, text string) int {
	n := 0
	for _, o := range r.left(resource) {
		if strings.Contains(o, text) {
			n++
		}
	}
	return n
}

// facts distinguish the flows of a mistake from those of its twin: a number that is at least `mistake` there, and at
// most `mended` here.
var facts = map[string]struct {
	is              string
	number          func(run) int
	mistake, mended int
}{
	"conflicts": {"409s", func(r run) int {
		return r.count(func(f *flow.Flow) bool { return f.Status == http.StatusConflict })
	}, 12, 0},
	"writes-that-change-nothing": {"updates without an effect", func(r run) int {
		return r.count(func(f *flow.Flow) bool {
			return write(f) && f.Status == 200 && len(f.Effects) == 0
		})
	}, 8, 0},
	"write-circles": {"writes of the status", func(r run) int {
		return r.count(func(f *flow.Flow) bool { return verb(f, "update", "sites") && f.Target.Subresource == "status" })
	}, 30, 1},
	"updates-without-version": {"updates without a version that lose the person's annotation", func(r run) int {
		return r.count(func(f *flow.Flow) bool {
			return verb(f, "update", "deployments") && f.SentRevision == 0 && len(f.Effects) == 1 &&
				bytes.Contains(f.Effects[0].Before, []byte("alice")) && !bytes.Contains(f.Effects[0].After, []byte("alice"))
		})
	}, 2, 0},
	"repeated-lists": {"lists of Deployments", func(r run) int {
		return r.count(func(f *flow.Flow) bool { return verb(f, "list", "deployments") })
	}, 20, 0},
	"lists-without-limit": {"objects in the longest list without a limit", func(r run) int {
		most := 0
		r.count(func(f *flow.Flow) bool {
			if f.Page != nil && f.Page.Limit == 0 {
				most = max(most, f.Page.Items)
			}
			return false
		})
		return most
	}, 600, 0},
	"polling": {"gets of the Deployment", func(r run) int {
		return r.count(func(f *flow.Flow) bool { return verb(f, "get", "deployments") })
	}, 25, 0},
	"watches-without-bookmarks": {"watches without bookmarks", func(r run) int {
		return r.count(func(f *flow.Flow) bool {
			return f.Target.Verb == "watch" && query(f, "allowWatchBookmarks") != "true"
		})
	}, 2, 0},
	"expired-versions": {"watches refused", expired, 10, 1},
	"status-through-main-resource": {"updates of the main resource that bring a status", func(r run) int {
		return r.count(func(f *flow.Flow) bool {
			return verb(f, "update", "sites") && f.Target.Subresource == "" && len(f.Effects) == 0 &&
				bytes.Contains(f.RequestBody.Kept, []byte(`"observedGeneration"`))
		})
	}, 8, 0},
	"recreated-objects": {"deletions of the Deployment", func(r run) int {
		return r.count(func(f *flow.Flow) bool { return verb(f, "delete", "deployments") && f.Status == 200 })
	}, 8, 0},
	"forced-applies": {"applies that set the replicas back", func(r run) int {
		return r.count(func(f *flow.Flow) bool {
			return f.Target.Verb == "apply" && query(f, "force") == "true" && len(f.Effects) == 1 &&
				bytes.Contains(f.Effects[0].Before, []byte(`"replicas":5`))
		})
	}, 3, 0},
	"fought-fields": {"updates of replicas that the autoscaler had set", func(r run) int {
		return r.count(func(f *flow.Flow) bool {
			return verb(f, "update", "deployments") && len(f.Effects) == 1 &&
				bytes.Contains(f.Effects[0].Before, []byte(`"replicas":5`))
		})
	}, 6, 0},
	"finalizers-left": {"Sites that are terminating",
		func(r run) int { return r.leftWith("sites.planted.example.com", "deletionTimestamp") }, 1, 0},
	"owners-left": {"Deployments without their Site", func(r run) int { return len(r.left("deployments.apps")) }, 2,
		0},
	"bursts": {"creates under way at a time", func(r run) int {
		most := 0
		r.count(func(f *flow.Flow) bool {
			at := f.Start
			most = max(most, r.count(func(f *flow.Flow) bool {
				return verb(f, "create", "configmaps") && !f.Start.After(at) && f.Start.Add(f.Duration).After(at)
			}))
			return false
		})
		return most
	}, 8, 1},
	"throttled-waits": {"creates that began 180 ms after the one before, or later", func(r run) int {
		var last time.Time
		return r.count(func(f *flow.Flow) bool {
			if !verb(f, "create", "configmaps") {
				return false
			}
			gap := f.Start.Sub(last)
			last = f.Start
			return gap > 180*time.Millisecond && gap < time.Minute
		})
	}, 12, 5},
}

func expired(r run) int {
	return r.count(func(f *flow.Flow) bool { return f.Target.Verb == "watch" && f.Unavailable != nil })
}

// timed are the rules that go by the time between requests, which a busy machine stretches: the recordings prove them.
var timed = []string{"bursts", "finalizers-left", "owners-left", "polling", "repeated-lists", "throttled-waits"}

// findings are what the doctor says of a run, by rule.
func (r run) findings() map[string][]doctor.Finding {
	d := doctor.New(doctor.Options{})
	for _, f := range r {
		d.Add(f)
	}
	by := map[string][]doctor.Finding{}
	for _, f := range d.Report().Findings {
		by[f.Rule] = append(by[f.Rule], f)
	}
	return by
}

// Each mistake does what it says, over HTTP and in the flows of a real server, and its twin does the same work without
// it. The doctor says so of the one, and has nothing to say of the other.
func TestRun(t *testing.T) {
	for _, name := range planted.Names() {
		fact, ok := facts[name]
		if !ok {
			t.Errorf("%s: no fact that distinguishes it from its twin", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			with, without := record(t, name, false, true), record(t, name, true, true)
			if n := fact.number(with); n < fact.mistake {
				t.Errorf("with the mistake: %d %s, want %d at least", n, fact.is, fact.mistake)
			}
			if n := fact.number(without); n > fact.mended {
				t.Errorf("without the mistake: %d %s, want %d at most", n, fact.is, fact.mended)
			}
			if len(with.findings()[name]) == 0 && !slices.Contains(timed, name) {
				t.Errorf("with the mistake: the doctor reports only %v", slices.Sorted(maps.Keys(with.findings())))
			}
			for _, found := range without.findings() {
				t.Errorf("without the mistake the doctor says: %s: %s", found[0].Rule, found[0].What)
			}
			if n := without.count(func(f *flow.Flow) bool { return f.Status >= 400 && f.Unavailable == nil }); n > 0 {
				t.Errorf("without the mistake: %d requests were refused", n)
			}
			if site := without.left("sites.planted.example.com")["shop"]; site != "" &&
				!strings.Contains(site, `"observedGeneration"`) && !strings.Contains(name, "circles") {
				t.Errorf("without the mistake: the Site has no status: %s", site)
			}
		})
	}
}

// A wrong request is refused before anything is written.
func TestRun_Refused(t *testing.T) {
	err := planted.Run(t.Context(), &rest.Config{Host: "http://127.0.0.1:1"}, planted.Options{Mistake: "conflict"})
	if !errors.Is(err, planted.ErrUnknown) || !strings.Contains(err.Error(), "conflicts") {
		t.Errorf("an unknown mistake: %v", err)
	}
}
