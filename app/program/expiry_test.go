package program_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
)

// An Event goes when it was not written for a while, without a request and whatever finalizers it has; one that is
// written again stays, and so does all else.
func TestProgram_Events_expire(t *testing.T) {
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "off", EventTTL: 3 * time.Second})
	ns := p.URL + "/api/v1/namespaces/default"
	programtest.MustCall(t, 201, "POST", ns+"/configmaps", programtest.JSONType, `{"metadata":{"name":"stays"}}`)
	for _, name := range []string{"goes", "written"} {
		programtest.MustCall(t, 201, "POST", ns+"/events", programtest.JSONType, fmt.Sprintf(
			`{"metadata":{"name":%q,"finalizers":["example.com/f"]},"involvedObject":{"namespace":"default","kind":"Pod","name":"p"},"reason":"R","type":"Normal"}`, name))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	deleted := programtest.WatchEvents(ctx, t, ns+"/events?watch=true&fieldSelector=metadata.name%3Dgoes")
	begun := time.Now()
	for i := 0; ; i++ {
		programtest.MustCall(t, 200, "PATCH", ns+"/events/written", programtest.MergeType, fmt.Sprintf(`{"count":%d}`, i))
		if code, _ := programtest.Call(t, "GET", ns+"/events/goes", "", ""); code == 404 {
			break
		}
		if ctx.Err() != nil {
			t.Fatal("the event does not go")
		}
		time.Sleep(500 * time.Millisecond)
	}
	if age := time.Since(begun); age < 2*time.Second {
		t.Errorf("it went after %s", age)
	}
	programtest.MustCall(t, 200, "GET", ns+"/events/written", "", "")
	programtest.MustCall(t, 200, "GET", ns+"/configmaps/stays", "", "")
	for e := range deleted {
		if strings.Contains(fmt.Sprint(e), "DELETED") {
			break
		}
	}
	flows, _ := p.Log.Since(0, 1000)
	for _, f := range flows {
		if f.Method == "DELETE" {
			t.Errorf("a request deleted something: %s", f.Path)
		}
	}
}
