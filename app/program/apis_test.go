package program_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
)

// What is switched off is not served, and no document tells of it; its bootstrap objects are not made. What is kept in the
// database comes back with it.
func TestRuntimeConfig(t *testing.T) {
	db := t.TempDir() + "/k.db"
	start := func(said string) *program.Program {
		c := program.Config{Listen: "127.0.0.1:0", DB: db, History: time.Minute, Sync: "normal"}
		if err := c.APIs.Set(said); err != nil {
			t.Fatal(err)
		}
		p, err := program.Start(context.Background(), c, programtest.Discard())
		if err != nil {
			t.Fatal(err)
		}
		programtest.AwaitBootstrap(t, p)
		return p
	}
	const cron = "/apis/batch/v1/namespaces/default/cronjobs"
	p := start("")
	programtest.MustCall(t, 201, "POST", p.URL+cron, programtest.JSONType, `{"metadata":{"name":"c"},"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}`)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}

	p = start("batch/v1/cronjobs=false,scheduling.k8s.io/v1=false,authorization.k8s.io/v1=false,apiextensions.k8s.io/v1=false,v1/componentstatuses=true")
	for path, code := range map[string]int{
		cron: 404, cron + "/c": 404, "/apis/batch/v1/cronjobs": 404, "/apis/batch/v1/jobs": 200, "/apis/batch/v1": 200,
		"/apis/scheduling.k8s.io": 404, "/apis/scheduling.k8s.io/v1": 404, "/apis/scheduling.k8s.io/v1/priorityclasses": 404,
		"/apis/authorization.k8s.io": 404, "/apis/authorization.k8s.io/v1": 404, "/api/v1/componentstatuses": 200,
		"/apis/apiextensions.k8s.io/v1/customresourcedefinitions": 404,
		"/openapi/v3/apis/scheduling.k8s.io/v1":                   404, "/openapi/v3/apis/batch/v1": 200,
		"/apis/apiregistration.k8s.io/v1/apiservices/v1.batch":             200,
		"/apis/apiregistration.k8s.io/v1/apiservices/v1.scheduling.k8s.io": 404,
	} {
		programtest.MustCall(t, code, "GET", p.URL+path, "", "")
	}
	programtest.MustCall(t, 404, "POST", p.URL+"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", programtest.JSONType, `{"spec":{}}`)
	for _, path := range []string{"/apis", "/apis/batch/v1", "/openapi/v2", "/openapi/v3", "/openapi/v3/apis/batch/v1"} {
		text := programtest.MustCall(t, 200, "GET", p.URL+path, "", "")
		for _, word := range []string{"cronjob", "CronJob", "scheduling.k8s.io/v1", "selfsubjectaccess"} {
			if strings.Contains(text, word) {
				t.Errorf("%s tells of %s", path, word)
			}
		}
		if strings.HasPrefix(path, "/openapi") && !json.Valid([]byte(text)) {
			t.Errorf("%s is not JSON", path)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}

	p = start("")
	defer p.Close()
	programtest.MustCall(t, 200, "GET", p.URL+cron+"/c", "", "")
	programtest.MustCall(t, 200, "GET", p.URL+"/apis/apiregistration.k8s.io/v1/apiservices/v1.scheduling.k8s.io", "", "")
}
