package program_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
)

func event(name string) string {
	return fmt.Sprintf(
		`{"metadata":{"name":%q,"finalizers":["example.com/f"]},"involvedObject":{"namespace":"default","kind":"Pod","name":"p"},"reason":"R","type":"Normal"}`, name)
}

// An Event goes when it was not written for a while, without a request and whatever finalizers it has.
func TestProgram_Events_expire(t *testing.T) {
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "off", EventTTL: 2 * time.Second})
	ns := p.URL + "/api/v1/namespaces/default"
	programtest.MustCall(t, 201, "POST", ns+"/configmaps", programtest.JSONType, `{"metadata":{"name":"stays"}}`)
	programtest.MustCall(t, 201, "POST", ns+"/events", programtest.JSONType, event("goes"))
	programtest.Eventually(t, "the end of the event", func() bool {
		code, _ := programtest.Call(t, "GET", ns+"/events/goes", "", "")
		return code == 404
	})
	programtest.MustCall(t, 200, "GET", ns+"/configmaps/stays", "", "")
	flows, _ := p.Log.Since(0, 1000)
	for _, f := range flows {
		if f.Method == "DELETE" {
			t.Errorf("a request deleted something: %s", f.Path)
		}
	}
}

// Its last write counts, not its creation, and watches see it go.
func TestProgram_DeleteEvents(t *testing.T) {
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "off", EventTTL: time.Hour})
	events := p.URL + "/api/v1/namespaces/default/events"
	var last corev1.Event
	for _, name := range []string{"written", "goes"} {
		if err := yaml.Unmarshal([]byte(programtest.MustCall(t, 201, "POST", events, programtest.JSONType, event(name))), &last); err != nil {
			t.Fatal(err)
		}
	}
	next := last.CreationTimestamp.Add(time.Second) // the times have whole seconds
	for time.Now().Before(next) {
		time.Sleep(10 * time.Millisecond)
	}
	programtest.MustCall(t, 200, "PATCH", events+"/written", programtest.MergeType, `{"count":2}`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen := programtest.WatchEvents(ctx, t, events+"?watch=true&fieldSelector=metadata.name%3Dgoes")

	for _, c := range []struct {
		before time.Time
		goes   int
	}{{last.CreationTimestamp.Time, 200}, {next.Add(-time.Millisecond), 200}, {next, 404}} {
		if err := p.DeleteEvents(ctx, c.before); err != nil {
			t.Fatal(err)
		}
		programtest.MustCall(t, c.goes, "GET", events+"/goes", "", "")
		programtest.MustCall(t, 200, "GET", events+"/written", "", "")
	}
	for e := range seen {
		if strings.Contains(fmt.Sprint(e), "DELETED") {
			return
		}
	}
	t.Error("the watch saw no deletion")
}
