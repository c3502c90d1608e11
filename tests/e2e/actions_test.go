package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kubarium/tests/e2e"
	"kubarium/tui/action"
	"kubarium/tui/client"
	"kubarium/tui/story"
)

// An action on the screen, and the command that it shows, have the same result with the real kubectl.
func TestKubectl_actions(t *testing.T) {
	kubectl := e2e.FindKubectl(t)
	p := start(t, plain())
	<-p.Bootstrapped()
	bin := t.TempDir()
	write(t, filepath.Join(bin, "kubectl"), "#!/bin/sh\nexec '"+kubectl+"' \"$@\"\n", 0o700)
	s := &shell{t: t, p: p, dir: t.TempDir(), env: []string{"PATH=" + bin + ":" + os.Getenv("PATH"),
		"HOME=" + t.TempDir(), "KUBECONFIG=/dev/null", "LC_ALL=C"}}
	api := &client.Client{URL: p.URL}
	deployments := client.Resource{Group: "apps", Version: "v1", Name: "deployments", Kind: "Deployment",
		Namespaced: true, Subresources: []string{"scale", "status"}}
	configmaps := client.Resource{Version: "v1", Name: "configmaps", Kind: "ConfigMap", Namespaced: true}
	key := client.Key{Namespace: "default", Name: "web"}
	now := func() []byte {
		b, err := api.Get(deploys+"/web", nil, client.JSON)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	older := []byte(`{"metadata":{"name":"web","labels":{"was":"so"}},"spec":{"replicas":7,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"old"}]}}}}`)
	must := func(a *action.Action, err error) *action.Action {
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	aWeb := []string{"DELETE " + deploys + "/web", "POST " + deploys + " " + web}
	for name, c := range map[string]struct {
		reset  []string
		action func() *action.Action
		path   string // of what is compared afterwards
	}{
		"label": {aWeb, func() *action.Action {
			return must(action.Labels.Change(deployments, key,
				"tier=front a/b=1 gone-"))
		}, deploys + "/web"},
		"label, remove": {[]string{aWeb[0], strings.Replace(aWeb[1], `{"name":"web"}`,
			`{"name":"web","labels":{"x":"y"}}`, 1)},
			func() *action.Action { return must(action.Labels.Change(deployments, key, "x-")) }, deploys + "/web"},
		"annotate": {aWeb, func() *action.Action {
			return must(action.Annotations.Change(deployments, key, `note="it's $HOME \ "`))
		}, deploys + "/web"},
		"scale": {aWeb, func() *action.Action { return action.Scale(deployments, key, 4) }, deploys + "/web"},
		"update": {aWeb, func() *action.Action { return action.Update(deployments, key, now()) },
			deploys + "/web"},
		"undo": {aWeb, func() *action.Action { return must(action.Restore(deployments, key, older, now())) },
			deploys + "/web"},
		"undo, deleted": {aWeb[:1], func() *action.Action { return must(action.Restore(deployments, key, older, nil)) },
			deploys + "/web"},
		"create": {[]string{"DELETE " + maps + "/a"}, func() *action.Action {
			return action.Create(configmaps, client.Key{Namespace: "default", Name: "a"}, []byte(aMap))
		}, maps + "/a"},
		"background": {aWeb, func() *action.Action { return action.Delete(deployments, key, action.Background) },
			deploys + "/web"},
		"foreground": {aWeb, func() *action.Action { return action.Delete(deployments, key, action.Foreground) },
			deploys + "/web"},
		"orphan": {aWeb, func() *action.Action { return action.Delete(deployments, key, action.Orphan) },
			deploys + "/web"},
	} {
		t.Run(name, func(t *testing.T) {
			s := *s
			s.t = t
			s.reset(copied{reset: c.reset})
			if _, err := api.Do(c.action().Request()); err != nil {
				t.Fatal(err)
			}
			want := s.state(api, c.path)
			s.reset(copied{reset: c.reset})
			command := c.action().Kubectl(story.At(p.URL), story.Unmasked)
			if out, err := s.run(command); err != nil {
				t.Fatalf("%s\n%v: %s", command, err, out)
			}
			if got := s.state(api, c.path); !reflect.DeepEqual(got, want) {
				t.Errorf("%s\nleft %v\nwant %v", command, got, want)
			}
		})
	}
}

// state returns an object without fields that differ each time; nil once it is gone, also while it is terminating.
func (s *shell) state(api *client.Client, path string) map[string]any {
	s.t.Helper()
	for {
		b, err := api.Get(path, nil, client.JSON)
		if client.Code(err) == 404 {
			return nil
		}
		var o map[string]any
		if err == nil {
			err = json.Unmarshal(b, &o)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		meta := o["metadata"].(map[string]any)
		if meta["deletionTimestamp"] != nil {
			continue
		}
		for _, name := range []string{"uid", "creationTimestamp", "managedFields", "resourceVersion"} {
			delete(meta, name)
		}
		return o
	}
}
