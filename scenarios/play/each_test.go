package play_test

import (
	"errors"
	"strings"
	"testing"

	"kubarium/scenarios/check"
	"kubarium/scenarios/lessontest"
	"kubarium/scenarios/play"
	"kubarium/server/controllers"
)

const severalFish = `
title: Several
about: One step, several requests.
actors: {A: writes}
steps:
- title: A creates
  tell: Several fish.
  as: A
  each: [guppy, neon, barb]
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {metadata: {name: "{each}"}}}
  expect: {status: 201}
- title: A lists
  tell: All of them.
  as: A
  request: {method: GET, path: "/api/v1/namespaces/{ns}/configmaps"}
  expect: {status: 200, body: {items: {count: 3}}}
`

// A step with each sends its request with each of the values, and fails at the first answer that is not as expected.
func TestPlayer_Each(t *testing.T) {
	s := lessontest.MustStart(t, controllers.List{})
	p := play.New(lessontest.MustRead(t, "several.yaml", severalFish), s.URL, play.Options{})
	if err := p.Run(t.Context()); err != nil {
		t.Error(err)
	}
	taken := strings.Replace(severalFish, `{name: "{each}"}`, "{name: x, labels: {of: \"{each}\"}}", 1)
	err := play.New(lessontest.MustRead(t, "taken.yaml", taken), s.URL, play.Options{}).Run(t.Context())
	if m := new(check.Mismatch); !errors.As(err, &m) || m.Step != 1 || !strings.HasPrefix(m.Actual, "409") {
		t.Errorf("the second of one name: %v", err)
	}
}
