package play_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"kubarium/scenarios"
	"kubarium/scenarios/lessontest"
	"kubarium/scenarios/play"
	"kubarium/server/controllers"
)

// A script is a Witness of requests that a test makes up.
type script chan play.Seen

func (s script) Follow(ctx context.Context) <-chan play.Seen {
	out := make(chan play.Seen)
	go func() {
		defer close(out)
		for {
			select {
			case seen := <-s:
				select {
				case out <- seen:
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// tell hands over a request, and returns when the player is done with it: it takes one at a time.
func (s script) tell(seen play.Seen) {
	s <- seen
	for range 2 {
		s <- play.Seen{Own: true}
	}
}

// asksFor is a lesson of one step, which is the reader's.
func asksFor(t *testing.T, act string) *scenarios.Lesson {
	return lessontest.MustRead(t, "hand.yaml", "title: T\nabout: A.\nsteps:\n- title: one\n  tell: Do it.\n  you: kubectl\n  as: you\n"+act+"- title: two\n  tell: The end.\n")
}

const (
	wantsPatch = "  request: {method: PATCH, path: '/apis/apps/v1/namespaces/{ns}/deployments/a', patch: merge, body: {}}\n  expect: {status: 200, body: {spec.replicas: 1}}\n"
	wantsApply = "  request: {method: PATCH, path: '/apis/apps/v1/namespaces/{ns}/deployments/a?fieldManager=m', patch: apply, body: {}}\n  expect: {status: 200}\n"
	wantsList  = "  request: {method: GET, path: '/api/v1/namespaces/{ns}/pods?labelSelector=a%3Db'}\n  expect: {status: 200, body: {items: {count: 1}, 'items[0].metadata.name': x}}\n"
	wantsSpec  = "  request: {method: GET, path: '/api/v1/namespaces/{ns}/pods/x'}\n  expect: {status: 200, body: {metadata.name: x, spec.nodeName: n}}\n"
	wantsWatch = "  watch: {name: w, path: '/api/v1/namespaces/{ns}/pods?watch=1&resourceVersion=1&labelSelector=a%3Db'}\n"
	wantsText  = "  request: {method: GET, path: /version}\n  expect: {status: 200, body: {major: '1'}}\n"
	aTable     = `{"kind":"Table","metadata":{"resourceVersion":"7"},"rows":[{"cells":["x"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"x"}}}]}`
)

// What ends a step of the reader's, and what is told of everything else; NS stands for the lesson's namespace.
func TestPlayer_Hand(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	const deployment, pods = "/apis/apps/v1/namespaces/NS/deployments/a", "/api/v1/namespaces/NS/pods"
	one := []byte(`{"spec":{"replicas":1}}`)
	for name, c := range map[string]struct {
		act  string
		seen play.Seen
		came string // "" for nothing
		done bool
	}{
		"as it should be":                    {wantsPatch, play.Seen{Method: "PATCH", Path: deployment, Query: "fieldManager=kubectl-patch", ContentType: mergeType, Status: 200, Body: one}, "", true},
		"of the server itself":               {wantsPatch, play.Seen{Own: true, Method: "PATCH", Path: deployment, ContentType: mergeType, Status: 200, Body: one}, "", false},
		"of a lesson":                        {wantsPatch, play.Seen{Lesson: true, Method: "PATCH", Path: deployment, ContentType: mergeType, Status: 200, Body: one}, "", false},
		"another status":                     {wantsPatch, play.Seen{Method: "PATCH", Path: deployment, ContentType: mergeType, Status: 404}, "k sent a patch of deployments/a, but status: expected 200, got 404 Not Found", false},
		"another outcome":                    {wantsPatch, play.Seen{Method: "PATCH", Path: deployment, ContentType: mergeType, Status: 200, Body: []byte(`{"spec":{"replicas":2}}`)}, "k sent a patch of deployments/a, but body spec.replicas: expected 1, got 2", false},
		"a body that is cut":                 {wantsPatch, play.Seen{Method: "PATCH", Path: deployment, ContentType: mergeType, Status: 200, Cut: true, Body: []byte(`{"spec":{"repl`)}, "", true},
		"dry":                                {wantsPatch, play.Seen{Method: "PATCH", Path: deployment, Query: "dryRun=All", ContentType: mergeType, Status: 200, Body: one}, "k sent a patch of deployments/a; this step wants it done, not dry run", false},
		"another type":                       {wantsPatch, play.Seen{Method: "PATCH", Path: deployment, ContentType: "application/json-patch+json", Status: 200, Body: one}, "k sent a patch of deployments/a; this step wants a patch of deployments/a of the type " + mergeType, false},
		"another subresource":                {wantsPatch, play.Seen{Method: "PATCH", Path: deployment + "/scale", ContentType: mergeType, Status: 200, Body: one}, "k sent a patch of deployments/a/scale; this step wants a patch of deployments/a", false},
		"a get by hand":                      {wantsPatch, play.Seen{UserAgent: "kubectl/v1", Command: "kubectl get", Method: "GET", Path: deployment, Status: 200, Body: one}, "k sent a get of deployments/a; this step wants a patch of deployments/a", false},
		"a get before a patch":               {wantsPatch, play.Seen{UserAgent: "kubectl/v1", Command: "kubectl patch", Method: "GET", Path: deployment, Status: 200, Body: one}, "", false},
		"another namespace":                  {wantsPatch, play.Seen{UserAgent: "kubectl/v1", Method: "DELETE", Path: "/apis/apps/v1/namespaces/default/deployments/a", Status: 200}, "k sent a deletion of deployments/a in namespace default; this step wants a patch of deployments/a", false},
		"another namespace, by a controller": {wantsPatch, play.Seen{UserAgent: "mine/v1", Method: "DELETE", Path: "/apis/apps/v1/namespaces/default/deployments/a", Status: 200}, "", false},
		"discovery":                          {wantsPatch, play.Seen{UserAgent: "kubectl/v1", Method: "GET", Path: "/apis/apps/v1", Status: 200}, "", false},
		"an apply":                           {wantsApply, play.Seen{Method: "PATCH", Path: deployment, Query: "fieldManager=m&force=false", ContentType: "application/apply-patch+yaml", Status: 200}, "", true},
		"an apply of another":                {wantsApply, play.Seen{Method: "PATCH", Path: deployment, Query: "fieldManager=kubectl", ContentType: "application/apply-patch+yaml", Status: 200}, "k sent an apply of deployments/a; this step wants it with fieldManager=m", false},
		"a list as a Table":                  {wantsList, play.Seen{Method: "GET", Path: pods, Query: "labelSelector=a%3Db&limit=500", Status: 200, Body: []byte(aTable)}, "", true},
		"a list of all":                      {wantsList, play.Seen{Method: "GET", Path: pods, Query: "limit=500", Status: 200, Body: []byte(aTable)}, "k sent a list of pods; this step wants it with labelSelector=a=b", false},
		"a watch":                            {wantsList, play.Seen{Method: "GET", Path: pods, Query: "labelSelector=a%3Db&watch=1", Watch: true, Status: 200}, "k sent a watch of pods; this step wants a list of pods", false},
		"a Table without the field":          {wantsSpec, play.Seen{Method: "GET", Path: pods + "/x", Status: 200, Body: []byte(aTable)}, "k sent a get of pods/x, but body spec.nodeName: expected n, got a Table, which does not have it: ask with -o yaml", false},
		"a watch from elsewhere":             {wantsWatch, play.Seen{Method: "GET", Path: pods, Query: "labelSelector=a%3Db&resourceVersion=7&watch=true", Watch: true, Status: 200}, "", true},
		"a list for a watch":                 {wantsWatch, play.Seen{UserAgent: "kubectl/v1", Command: "kubectl get", Method: "GET", Path: pods, Query: "labelSelector=a%3Db", Status: 200}, "", false},
		"a watch of others":                  {wantsWatch, play.Seen{Method: "GET", Path: pods, Query: "labelSelector=a%3Dc&watch=true", Watch: true, Status: 200}, "k sent a watch of pods; this step wants it with labelSelector=a=b", false},
		"no resource":                        {wantsText, play.Seen{Method: "GET", Path: "/version", Status: 200, Body: []byte(`{"major":"1"}`)}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			witness := make(script)
			p := play.New(asksFor(t, c.act), s.URL, play.Options{Ask: true, Leave: true, Witness: witness})
			if _, err := p.Step(t.Context()); err != nil || p.State().Await == nil {
				t.Fatalf("%v, %+v", err, p.State())
			}
			defer func() { _ = p.Reset(context.WithoutCancel(t.Context())) }()
			c.seen.Who, c.seen.ID = "k", 9
			c.seen.Path = strings.ReplaceAll(c.seen.Path, "NS", p.State().Namespace)
			c.seen.Header = http.Header{}
			witness.tell(c.seen)
			state := p.State()
			if done := state.Await == nil; done != c.done || done && (state.Done != 1 || state.Phase != play.Paused || state.Sent.ID != 9 || state.Result.Status != 200) {
				t.Errorf("%+v", state)
			}
			if state.Await != nil && state.Await.Came != c.came {
				t.Errorf("came: %s", state.Await.Came)
			}
		})
	}
}

const mergeType = "application/merge-patch+json"

// Whose writes disturb a lesson, and whose do not.
func TestPlayer_Notice(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	ref := func(group, resource, namespace, name string) scenarios.Ref {
		return scenarios.Ref{Group: group, Resource: resource, Namespace: namespace, Name: name}
	}
	for name, c := range map[string]struct {
		seen play.Seen
		want string // "" for no notice
	}{
		"in its namespace":       {play.Seen{Method: "POST", Written: []scenarios.Ref{ref("", "secrets", "NS", "x")}}, "k created secrets/x"},
		"several":                {play.Seen{Method: "DELETE", Written: []scenarios.Ref{ref("", "pods", "NS", "x"), ref("", "pods", "default", "y"), ref("", "pods", "NS", "z")}}, "k deleted pods/x and 1 more"},
		"its namespace":          {play.Seen{Method: "PUT", Written: []scenarios.Ref{ref("", "namespaces", "", "NS")}}, "k updated namespaces/NS"},
		"what it made":           {play.Seen{Method: "PATCH", ContentType: "application/apply-patch+yaml", Written: []scenarios.Ref{ref("rbac.authorization.k8s.io", "clusterroles", "", "NS-role")}}, "k applied clusterroles/NS-role"},
		"by SQL":                 {play.Seen{Written: []scenarios.Ref{ref("", "secrets", "NS", "x")}}, "k changed secrets/x"},
		"in another namespace":   {play.Seen{Method: "POST", Written: []scenarios.Ref{ref("", "secrets", "default", "x")}}, ""},
		"another of that kind":   {play.Seen{Method: "POST", Written: []scenarios.Ref{ref("rbac.authorization.k8s.io", "clusterroles", "", "admin")}}, ""},
		"an event about it":      {play.Seen{Method: "POST", Written: []scenarios.Ref{ref("", "events", "NS", "x")}}, ""},
		"the server itself":      {play.Seen{Own: true, Method: "POST", Written: []scenarios.Ref{ref("", "secrets", "NS", "x")}}, ""},
		"the cluster":            {play.Seen{UserAgent: "kube-controller-manager/v1.37", Method: "POST", Written: []scenarios.Ref{ref("", "secrets", "NS", "x")}}, ""},
		"a read, or a refusal":   {play.Seen{Method: "PUT"}, ""},
		"an actor of the lesson": {play.Seen{Lesson: true, Method: "POST", Written: []scenarios.Ref{ref("", "secrets", "NS", "x")}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := lessontest.MustRead(t, "made.yaml", `
title: T
about: A.
actors: {A: a client}
steps:
- title: one
  tell: A role.
  as: A
  request: {method: POST, path: /apis/rbac.authorization.k8s.io/v1/clusterroles, body: {metadata: {name: "{ns}-role"}}}
  expect: {status: 201}
- title: two
  tell: Words.
- title: three
  tell: More words.
`)
			witness := make(script)
			p := play.New(l, s.URL, play.Options{Ask: true, Leave: true, Witness: witness})
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			ns := p.State().Namespace
			for i := range c.seen.Written {
				c.seen.Written[i].Namespace = strings.ReplaceAll(c.seen.Written[i].Namespace, "NS", ns)
				c.seen.Written[i].Name = strings.ReplaceAll(c.seen.Written[i].Name, "NS", ns)
			}
			c.seen.Who = "k"
			witness.tell(c.seen)
			got := ""
			if n := p.State().Notice; n != nil {
				got = strings.ReplaceAll(n.String(), ns, "NS")
			}
			if got != c.want {
				t.Errorf("notice %q, want %q", got, c.want)
			}
			if err := p.Run(t.Context()); err != nil || p.State().Notice != nil || p.State().Done != 2 {
				t.Errorf("goes on: %v, %+v", err, p.State())
			}
			if err := p.Reset(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A disturbance stops a lesson that goes on by itself, after the step under way.
func TestPlayer_NoticePauses(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	witness := make(script)
	p := play.New(lessontest.Asking(), s.URL, play.Options{Pace: 1, Witness: witness})
	ended := make(chan error, 1)
	go func() { ended <- p.Run(t.Context()) }()
	witness <- play.Seen{Own: true} // it follows, so it has a namespace
	for p.State().Done == 0 {
		witness <- play.Seen{Own: true}
	}
	witness <- play.Seen{Who: "k", Method: "POST", Written: []scenarios.Ref{{Resource: "pods", Namespace: p.State().Namespace, Name: "x"}}}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if state := p.State(); state.Phase != play.Paused || state.Done != 1 || state.Notice == nil {
		t.Errorf("%+v", state)
	}
	if err := p.Reset(t.Context()); err != nil || p.State().Notice != nil {
		t.Errorf("%v, %+v", err, p.State())
	}
}

// What the reader sent stays told with its answer until the next step begins.
func TestPlayer_HandCame(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	others := make(script)
	p := play.New(asksFor(t, wantsPatch), s.URL, play.Options{Ask: true, Witness: others})
	if _, err := p.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := "/apis/apps/v1/namespaces/" + p.State().Namespace + "/deployments/a"
	others.tell(play.Seen{
		Who: "k1", Command: "kubectl patch", Method: "PATCH", Path: path, ContentType: mergeType, Status: 200,
		Body: []byte(`{"spec":{"replicas":1}}`),
	})
	if got := p.State().Came; got != "PATCH deployments/a by kubectl → 200" {
		t.Errorf("came %q", got)
	}
	if _, err := p.Step(t.Context()); err != nil || p.State().Came != "" {
		t.Errorf("%v, the next step still tells of %q", err, p.State().Came)
	}
}
