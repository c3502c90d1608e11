package shown_test

import (
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// A command that reads a recording takes no more memory than its limit: it names the limit, and shows what it has read.
func TestReading_Limit(t *testing.T) {
	file := programtest.MustRecord(t, func(e *recording.Encoder) error {
		if err := e.Begin(recording.Begin{Revision: 1, Objects: true, At: time.Now()}); err != nil {
			return err
		}
		for i := range 8 {
			f := &flow.Flow{Seq: uint64(i + 1), Method: "GET", Path: "/api", Status: 200, Start: time.Now()}
			if err := e.Flow(f); err != nil {
				return err
			}
			c := recording.Change{Commit: flow.Commit{Revision: int64(i + 2), Type: flow.Created, Resource: "configmaps", Namespace: "default", Name: string(rune('a' + i))}}
			c.Value = make([]byte, 60<<20)
			if err := e.Change(&c); err != nil {
				return err
			}
		}
		return nil
	})
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(256 << 20))
	const said = "reading takes at most 256 MiB of memory; GOMEMLIMIT sets another limit"
	for _, args := range [][]string{{"doctor", file}, {"export", file}, {"export", file, "--out", file + ".copy.kubarium"}} {
		code, _, errs := run(args...)
		if code != 0 || !strings.Contains(errs, said) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %s", args, code, errs)
		}
	}
	if r := mustOpen(t, file); r.Note() != "LIMIT" || !strings.Contains(r.Remark(), said) || r.Log.Stats().Flows == 0 {
		t.Errorf("open: %q, %d requests", r.Remark(), r.Log.Stats().Flows)
	}
	if code, out, errs := run("diff", file, file); code > 1 || !strings.Contains(errs, "GOMEMLIMIT") || !strings.Contains(out, "first run") {
		t.Errorf("diff: exit code %d, %s%s", code, out, errs)
	}
}

const convertedDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"boxes.example.com"},
	"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"boxes","singular":"box","kind":"Box"},
	"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://ADDRESS/convert"}}},
	"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
	{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`

const connectWebhook = `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"w"},
	"webhooks":[{"name":"w.example.com","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://ADDRESS/admit"},
	"rules":[{"apiGroups":["*"],"apiVersions":["*"],"resources":["pods/*","services/*"],"operations":["CONNECT"]}]}]}`
