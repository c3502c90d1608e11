package program_test

import (
	"net/http"
	"strings"
	"testing"

	"kubarium/app/program/programtest"
	"kubarium/server/controllers"
)

// A Job that is deleted without a word about its pods leaves them, and the client is told so; with a policy it is not.
func TestOrphans(t *testing.T) {
	ns := mustGarden(t, controllers.List{})
	jobs := strings.Replace(ns, "/api/v1/", "/apis/batch/v1/", 1) + "/jobs"
	job := `{"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}`
	for _, c := range []struct {
		query         string
		finalizer     string
		warned, stays bool
	}{
		{"", "orphan", true, true},
		{"?propagationPolicy=Background", "", false, false},
		{"?propagationPolicy=Orphan", "orphan", false, true},
	} {
		programtest.MustCall(t, 201, "POST", jobs, programtest.JSONType, job)
		req, err := http.NewRequest("DELETE", jobs+"/j"+c.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if warned := strings.Contains(resp.Header.Get("Warning"), "child pods are preserved"); warned != c.warned {
			t.Errorf("%q: warning %q", c.query, resp.Header.Get("Warning"))
		}
		code, text := programtest.Call(t, "GET", jobs+"/j", "", "")
		if stays := code == 200 && strings.Contains(text, c.finalizer); stays != c.stays {
			t.Errorf("%q: after the deletion %d %s", c.query, code, text)
		}
		if c.stays {
			programtest.MustCall(t, 200, "PATCH", jobs+"/j", "application/merge-patch+json", `{"metadata":{"finalizers":null}}`)
		}
	}
}
