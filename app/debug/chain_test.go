package debug_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// A write has what led to it: in the lines of /debug/flows, and in the recording of the run.
func TestFlows_chain(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	cm := p.URL + "/api/v1/namespaces/default/configmaps"
	programtest.MustCall(t, 201, "POST", cm, programtest.JSONType, `{"metadata":{"name":"a"}}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, cm+"?watch=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := resp.Body.Read(make([]byte, 1)); err != nil { // the event of the object
		t.Fatal(err)
	}
	programtest.Eventually(t, "the event in the log", func() bool {
		return slices.ContainsFunc(p.Log.Watches(0), func(w *flow.Watch) bool {
			return w.Target.Resource == "configmaps" && !w.Client.Own() && len(w.Frames()) == 1
		})
	})
	programtest.MustCall(t, 200, "PUT", cm+"/a", programtest.JSONType, `{"metadata":{"name":"a"},"data":{"k":"1"}}`)

	line := programtest.MustCall(t, 200, "GET", p.URL+"/debug/flows?filter=verb:update", "", "")
	var f flow.Flow
	if err := json.Unmarshal([]byte(line), &f); err != nil {
		t.Fatal(err)
	}
	wantChain(t, "/debug/flows", &f)

	d, err := recording.NewDecoder(strings.NewReader(programtest.MustCall(t, 200, "GET", p.URL+"/debug/recording", "", "")))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for e, err := d.Next(); err == nil; e, err = d.Next() {
		if e.Flow != nil && e.Flow.Seq == f.Seq {
			wantChain(t, "the recording", e.Flow)
			return
		}
	}
	t.Error("the recording has no write")
}

func wantChain(t *testing.T, where string, f *flow.Flow) {
	t.Helper()
	if f.Chain == nil || len(f.Chain.Events) != 1 || f.Chain.Write != f.Seq {
		t.Fatalf("%s: the chain is %+v", where, f.Chain)
	}
	if e := f.Chain.Events[0]; e.Link != "object" || e.Name != "a" || e.Type != "ADDED" || e.ByTag != f.Client.Tag || e.By == 0 {
		t.Errorf("%s: the event is %+v", where, e)
	}
}
