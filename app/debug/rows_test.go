package debug_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/app/program/programtest"
	"kubarium/flow"
)

// A row that is written past the API has a revision of its own, which readers get to see; any bytes go in, and come out
// as they are.
func TestRows(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	cm := p.URL + "/api/v1/namespaces/default/configmaps"
	row := p.URL + "/debug/rows?resource=configmaps&namespace=default&name=a"
	programtest.MustCall(t, 201, "POST", cm, programtest.JSONType, `{"metadata":{"name":"a"},"data":{"k":"old"}}`)
	stored := programtest.MustCall(t, 200, "GET", row, "", "")
	if strings.Contains(stored, "resourceVersion") || !strings.Contains(stored, `"k":"old"`) {
		t.Errorf("the row is %s", stored)
	}

	var rewritten struct{ Revision int64 }
	answer := programtest.MustCall(t, 200, "PUT", row, "", strings.Replace(stored, "old", "new", 1))
	if err := json.Unmarshal([]byte(answer), &rewritten); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "the change by plain SQL", func() bool {
		text := programtest.MustCall(t, 200, "GET", cm+"/a", "", "")
		return strings.Contains(text, `"k":"new"`) && strings.Contains(text, fmt.Sprintf(`"resourceVersion":"%d"`, rewritten.Revision))
	})

	watched, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	events := programtest.WatchEvents(watched, t, fmt.Sprintf("%s?watch=true&resourceVersion=%d", cm, rewritten.Revision))
	const broken = "{\"metadata\": no, \xc3\xa4 and more"
	programtest.MustCall(t, 200, "PUT", row, "", broken)
	if text := programtest.MustCall(t, 200, "GET", row, "", ""); text != broken {
		t.Errorf("the row is %q", text)
	}
	programtest.Eventually(t, "the damage", func() bool {
		code, _ := programtest.Call(t, "GET", cm+"/a", "", "")
		return code == 500
	})
	if e, open := <-events; open {
		t.Errorf("a watcher was told %+v", e)
	}
	programtest.Eventually(t, "the end of the watch", func() bool {
		flows, _ := p.Log.Since(0, 0)
		return slices.ContainsFunc(flows, func(f *flow.Flow) bool { return strings.HasPrefix(f.Message, "object not decodable") && f.Watch != nil })
	})
}

// Whoever asks wrongly is told so, and nothing is written.
func TestRows_refused(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	rows := p.URL + "/debug/rows"
	for _, c := range []struct {
		method, query, want string
		code                int
	}{
		{"PUT", "", "say which row", 400},
		{"GET", "?resource=configmaps", "say which row", 400},
		{"GET", "?resource=deployments&group=apps&namespace=default&name=none", "there is no row deployments.apps/default/none", 404},
		{"PUT", "?resource=namespaces&name=none", "there is no row namespaces/none", 404},
		{"DELETE", "?resource=namespaces&name=default", "use GET or PUT", 405},
	} {
		code, text := programtest.Call(t, c.method, rows+c.query, "", "{}")
		if code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %d %s", c.method, c.query, code, text)
		}
	}
	r, err := http.NewRequest("PUT", rows+"?resource=namespaces&name=default", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "example.com"
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 403 {
		t.Errorf("by another name: %s", resp.Status)
	}
}

// No name of a row breaks anything: each is looked for as it is.
func TestRows_names(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	for _, name := range []string{"a/b/c", "/", "//", "a\x00b", "\x00", "..", "a%", "a_", "' OR 1 --", "\xff\xfe", strings.Repeat("n", 12_000), "\u2028", "*"} {
		for _, query := range []url.Values{
			{"resource": {"configmaps"}, "name": {name}}, {"resource": {"configmaps"}, "namespace": {name}, "name": {"a"}},
			{"resource": {name}, "name": {"a"}}, {"resource": {"configmaps"}, "group": {name}, "name": {"a"}},
		} {
			if code, text := programtest.Call(t, "GET", p.URL+"/debug/rows?"+query.Encode(), "", ""); code != 404 {
				t.Errorf("the row %.50q: %d %.100s", query, code, text)
			}
			if code, text := programtest.Call(t, "PUT", p.URL+"/debug/rows?"+query.Encode(), "", "{}"); code != 404 {
				t.Errorf("a write of the row %.50q: %d %.100s", query, code, text)
			}
			if code, text := programtest.Call(t, "GET", p.URL+"/debug/changes?"+query.Encode(), "", ""); code != 200 || !strings.Contains(text, `"changes":[]`) {
				t.Errorf("changes of %.50q: %d %.100s", query, code, text)
			}
		}
	}
}
