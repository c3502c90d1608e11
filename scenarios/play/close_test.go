package play_test

import (
	"testing"
	"time"

	"kubarium/scenarios/lessontest"
	"kubarium/scenarios/play"
	"kubarium/server/controllers"
)

const closing = `
title: A client goes away
about: A watch ends before the lesson does.
actors: {W: watches}
steps:
- title: W watches
  tell: Until it goes away.
  as: W
  watch: {name: w, path: "/api/v1/namespaces/{ns}/configmaps?watch=1"}
- title: W goes away
  tell: And the server knows it.
  close: w
- title: Words
  tell: The lesson goes on.
`

// A watch that a step closes ends on the server as well, though the lesson goes on.
func TestPlayer_Close(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	p := play.New(lessontest.MustRead(t, "closing.yaml", closing), s.URL, play.Options{})
	open := func() int {
		n := 0
		for _, w := range s.Log.Watches(0) {
			if w.Client.UserAgent == "kubarium-lesson/W" {
				n++
			}
		}
		return n
	}
	if _, err := p.Step(t.Context()); err != nil || open() != 1 {
		t.Fatalf("%v, %d watches of W are open, want 1", err, open())
	}
	if _, err := p.Step(t.Context()); err != nil || p.State().Sent.Mark == "" {
		t.Fatalf("%v, the step does not say which watch it is about: %+v", err, p.State().Sent)
	}
	for deadline := time.Now().Add(10 * time.Second); open() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the server still has the watch that was closed")
		}
	}
	if _, err := p.Step(t.Context()); err != nil {
		t.Error(err)
	}
}
