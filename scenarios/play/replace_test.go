package play_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"kubarium/app/debug"
	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/scenarios/lessontest"
	"kubarium/scenarios/play"
	"kubarium/server/controllers"
)

const replacing = `
title: A lesson that counts
about: It does what two controllers do.
replaces: [namespace-controller, resourcequota-controller]
actors: {C: counts}
steps:
- title: C reads
  tell: While the others rest.
  as: C
  request: {method: GET, path: /version}
  expect: {status: 200}
- title: Words
  tell: The end.
`

// pausedAt are the controllers that a server says it has paused.
func pausedAt(t *testing.T, p *program.Program) (names []string) {
	t.Helper()
	var all []debug.Controller
	lessontest.MustGet(t, p.URL+"/debug/controllers", &all)
	for _, c := range all {
		if c.Paused {
			names = append(names, c.Name)
		}
	}
	return names
}

// The controllers that a lesson replaces are paused while it is played, and however it ends they go on.
func TestPlayer_Replaces(t *testing.T) {
	s := lessontest.MustStart(t, controllers.All())
	want := []string{"namespace-controller", "resourcequota-controller"}
	for name, end := range map[string]func(p *play.Player) error{
		"the end": func(p *play.Player) error { _, err := p.Step(t.Context()); return err },
		"a reset": func(p *play.Player) error { return p.Reset(t.Context()) },
		"leaving": func(p *play.Player) error { return p.Quit(t.Context()) },
	} {
		p := play.New(lessontest.MustRead(t, "replacing.yaml", replacing), s.URL, play.Options{Leave: true})
		if _, err := p.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := pausedAt(t, s); !slices.Equal(got, want) || !slices.Equal(p.State().Replaced, want) {
			t.Errorf("%s: paused %q, said %q", name, got, p.State().Replaced)
		}
		if err := end(p); err != nil || p.State().Replaced != nil {
			t.Errorf("%s: %v, %q", name, err, p.State().Replaced)
		}
		programtest.Eventually(t, name+": they go on", func() bool { return pausedAt(t, s) == nil })
		if err := p.Reset(t.Context()); err != nil {
			t.Error(err)
		}
	}
	none := lessontest.MustStart(t, controllers.List{})
	p := play.New(lessontest.MustRead(t, "replacing.yaml", replacing), none.URL, play.Options{Leave: true})
	if _, err := p.Step(t.Context()); err != nil || p.State().Replaced != nil {
		t.Errorf("where none run: %v, %q", err, p.State().Replaced)
	}
}

// A name that is not a controller's is refused.
func TestControllers_Misuse(t *testing.T) {
	s := lessontest.MustStart(t, controllers.All())
	for query, want := range map[string]string{"?pause=nobody": `"nobody" is not the name of a controller`, "": `"" is not the name of a controller`} {
		r, err := http.Post(s.URL+"/debug/controllers"+query, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if r.StatusCode != http.StatusBadRequest || !strings.HasPrefix(string(text), want) {
			t.Errorf("%s: %d %s", query, r.StatusCode, text)
		}
	}
	programtest.Eventually(t, "what runs, and what does not", func() bool {
		var all []debug.Controller
		lessontest.MustGet(t, s.URL+"/debug/controllers", &all)
		text, _ := json.Marshal(all)
		return strings.Contains(string(text), `{"name":"namespace-controller","runs":true}`) && strings.Contains(string(text), `{"name":"kube-scheduler","runs":false}`)
	})
}
