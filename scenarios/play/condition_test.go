package play_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"kubarium/scenarios/check"
	"kubarium/scenarios/lessontest"
	"kubarium/scenarios/play"
	"kubarium/server/controllers"
)

const oneCondition = `
title: One condition
about: It holds or it does not.
actors: {A: nobody}
steps:
- title: A creates
  tell: Something.
  as: A
  request:
    method: POST
    path: /api/v1/namespaces/{ns}/configmaps
    body: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, finalizers: [], labels: {a.b/c: "1"}}, data: {k: "9", l: "10"}}
  expect: {status: 201}
  keep: {born: metadata.resourceVersion}
- title: A reads
  tell: Something.
  as: A
  request: {method: GET, path: "/api/v1/namespaces/{ns}/configmaps/x"}
  expect:
    status: 200
    body: {%s}
`

// Each condition holds where it should, and says what it expected and got where it does not.
func TestCondition(t *testing.T) {
	p := lessontest.MustStart(t, controllers.List{})
	for _, c := range []struct{ condition, want string }{
		{`data.k: 9`, ""},
		{`data.k: 8`, "body data.k: expected 8, got 9"},
		{`data.m: 8`, "body data.m: expected 8, got no such field"},
		{`"metadata.labels['a.b/c']": 1`, ""},
		{`"metadata.managedFields[0].operation": Update`, ""},
		{`"metadata.managedFields[1].operation": Update`, "body metadata.managedFields[1].operation: expected Update, got no such field"},
		{`"metadata.managedFields[operation=Update].apiVersion": v1`, ""},
		{`"metadata.managedFields[operation=Apply].apiVersion": v1`, "body metadata.managedFields[operation=Apply].apiVersion: expected v1, got no such field"},
		{`data.k: {is: "9"}`, ""},
		{`data.k: {not: "8"}`, ""},
		{`data.m: {not: "8"}`, ""},
		{`data.k: {not: "9"}`, "body data.k: expected anything but 9, got 9"},
		{`data.m: {exists: false}`, ""},
		{`data.k: {exists: false}`, "body data.k: expected no such field, got 9"},
		{`data.m: {exists: true}`, "body data.m: expected a value, got no such field"},
		{`data: {contains: k}`, ""},
		{`kind: {contains: Map}`, ""},
		{`data: {contains: m}`, `body data: expected something with m, got {"k":"9","l":"10"}`},
		{`data: {count: 2}`, ""},
		{`data: {count: 3}`, `body data: expected 3 of them, got {"k":"9","l":"10"}`},
		{`data.k: {less: 10}`, ""},
		{`data.k: {less: 9}`, "body data.k: expected a number below 9, got 9"},
		{`data.l: {more: 9}`, ""},
		{`data.l: {more: 10}`, "body data.l: expected a number above 10, got 10"},
		{`kind: {more: 0}`, "body kind: expected a number above 0, got ConfigMap"},
		{`data.m: {less: 10}`, "body data.m: expected a number below 10, got no such field"},
		{`kind: {matches: "^Config"}`, ""},
		{`kind: {matches: "^Map"}`, "body kind: expected a match of ^Map, got ConfigMap"},
		{`data.l: {newer: "9"}`, ""},
		{`data.k: {newer: "10"}`, "body data.k: expected a resourceVersion after 10, got 9"},
		{`data.k: {newer: "9"}`, "body data.k: expected a resourceVersion after 9, got 9"},
		{`kind: {newer: "9"}`, "body kind: expected a resourceVersion after 9, got ConfigMap"},
		{`metadata.resourceVersion: "{born}"`, ""},
	} {
		l := lessontest.MustRead(t, "one.yaml", fmt.Sprintf(oneCondition, c.condition))
		err := play.New(l, p.URL, play.Options{}).Run(t.Context())
		want := "one, step 2 (A reads): " + c.want
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s:\n got %v\nwant %s", c.condition, err, want)
		}
	}
}

const oneSize = `
title: One size
about: It is that of the answer as it came.
actors: {A: nobody}
steps:
- title: A creates
  tell: Something long.
  as: A
  request:
    method: POST
    path: /api/v1/namespaces/{ns}/configmaps
    body: {apiVersion: v1, kind: ConfigMap, metadata: {name: "x-{id}"}, data: {k: "{long}"}}
  expect: {status: 201}
- title: A reads
  tell: Something long.
  as: A
  request: {method: GET, path: "/api/v1/namespaces/{ns}/configmaps/x-{id}", headers: {Accept-Encoding: %s}}
  expect: {status: 200, size: {%s}, body: {data.k: {matches: "^all the fish"}}}
`

// The size is that of the answer as it came, packed or not; its fields can be looked at all the same.
func TestSize(t *testing.T) {
	p := lessontest.MustStart(t, controllers.List{})
	for _, c := range []struct{ encoding, size, want string }{
		{"gzip", "less: 9000", ""},
		{"gzip", "more: 160000", "one, step 2 (A reads): size: expected a number above 160000, got "},
		{"identity", "more: 160000", ""},
		{"identity", "less: 9000", "one, step 2 (A reads): size: expected a number below 9000, got "},
	} {
		l := lessontest.MustRead(t, "one.yaml", fmt.Sprintf(oneSize, c.encoding, c.size))
		err := play.New(l, p.URL, play.Options{}).Run(t.Context())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s, %s:\n got %v\nwant %s", c.encoding, c.size, err, c.want)
		}
	}
}

const oneFrame = `
title: One frame
about: It comes or it does not.
actors: {A: nobody}
steps:
- title: A watches
  tell: Something.
  as: A
  watch: {name: w, path: "/api/v1/namespaces/{ns}/configmaps?watch=1&labelSelector=a%%3Db"}
- title: A creates
  tell: Something.
  as: A
  request:
    method: POST
    path: /api/v1/namespaces/{ns}/configmaps
    body: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, labels: {a: b}}}
  expect: {status: 201}
- title: A looks
  tell: Something.
  frames: {from: w, expect: [%s], ends: %t}
`

// A frame that is not as expected, or that does not come, fails its step; nothing waits for ever.
func TestFrames(t *testing.T) {
	p := lessontest.MustStart(t, controllers.List{})
	for _, c := range []struct {
		frames         string
		ends           bool
		what, expected string
	}{
		{`{type: ADDED, object: {metadata.name: x}}`, false, "", ""},
		{`{type: ADDED, object: {metadata.name: y}}`, false, "frame 1 metadata.name", "y"},
		{`{type: DELETED}`, false, "frame 1 type", "DELETED"},
		{`{type: ADDED, keep: {a: metadata.generation}}`, false, "frame 1 metadata.generation", "a value to keep"},
		{`{type: ADDED}, {type: MODIFIED}`, false, "frame 2", "MODIFIED"},
		{``, true, "stream", "the end of the stream"},
		{`{type: ADDED}`, true, "stream", "the end of the stream"},
	} {
		l := lessontest.MustRead(t, "one.yaml", fmt.Sprintf(oneFrame, c.frames, c.ends))
		err := play.New(l, p.URL, play.Options{Patience: 2 * time.Second}).Run(t.Context())
		var m *check.Mismatch
		switch {
		case c.what == "" && err != nil:
			t.Errorf("%s: %v", c.frames, err)
		case c.what != "" && (!errors.As(err, &m) || m.What != c.what || m.Expected != c.expected || m.Step != 3):
			t.Errorf("%s: %v", c.frames, err)
		}
	}
}

const oneWait = `
title: One wait
about: It comes to an end or it does not.
actors: {A: nobody}
steps:
- title: A creates
  tell: Something.
  as: A
  request:
    method: POST
    path: /api/v1/namespaces/{ns}/configmaps
    body: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {k: "1"}}
  expect: {status: 201, headers: {Content-Type: application/json, Warning: {exists: false}}, text: {contains: '"k":"1"'}}
- title: A looks
  tell: Something.
  as: A
  request: {method: GET, path: "/api/v1/namespaces/{ns}/configmaps/x"}
  until: {%s}
  keep: {seen: data.k}
- title: A tells
  tell: It is {seen}.
`

// A step that waits is played until its answer is right, and fails with the last answer when patience is over.
func TestUntil(t *testing.T) {
	p := lessontest.MustStart(t, controllers.List{})
	for _, c := range []struct {
		until    string
		patience time.Duration
		want     string
	}{
		{`status: 200, body: {data.k: 2}`, 30 * time.Second, ""},
		{`status: 200, body: {data.k: 3}`, 2 * time.Second, "one, step 2 (A looks): body data.k: expected 3, got 2"},
		{`status: 404`, 2 * time.Second, "one, step 2 (A looks): status: expected 404, got 200 OK"},
		{`status: 200, text: {contains: '"k":"4"'}, headers: {Age: 1}`, 2 * time.Second, "one, step 2 (A looks): header Age: expected 1, got none"},
	} {
		t.Run(c.until, func(t *testing.T) {
			t.Parallel() // most wait for the end of patience
			l := lessontest.MustRead(t, "one.yaml", fmt.Sprintf(oneWait, c.until))
			player := play.New(l, p.URL, play.Options{Patience: c.patience})
			if _, err := player.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
			changed, ns := make(chan error, 1), player.State().Namespace
			change := func() { changed <- setData(p.URL, ns, "2") }
			if c.want == "" {
				time.AfterFunc(100*time.Millisecond, change) // some time after the lesson began to wait
			} else {
				change()
			}
			err := player.Run(t.Context())
			if err := <-changed; err != nil {
				t.Fatal(err)
			}
			if c.want == "" && (err != nil || player.State().Step.Tell != "It is 2.") || c.want != "" && (err == nil || err.Error() != c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// setData changes the ConfigMap of a lesson from outside.
func setData(url, namespace, value string) error {
	body := strings.NewReader(`{"data":{"k":"` + value + `"}}`)
	request, err := http.NewRequest(http.MethodPatch, url+"/api/v1/namespaces/"+namespace+"/configmaps/x", body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/merge-patch+json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}
