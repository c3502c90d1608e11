package server_test

import (
	"strings"
	"testing"
)

// The subresource status of these kinds takes the status and nothing else: labels through it are dropped without a word.
func TestStatusAlone(t *testing.T) {
	url, _ := mustServe(t, nil)
	for _, c := range []struct{ path, spec string }{
		{"/apis/storage.k8s.io/v1/csinodes", `{"drivers":[]}`},
		{"/apis/storage.k8s.io/v1/volumeattachments", `{"attacher":"a.example.com","nodeName":"one","source":{"persistentVolumeName":"v"}}`},
		{"/apis/resource.k8s.io/v1/devicetaintrules", `{"taint":{"key":"a","effect":"NoExecute"}}`},
		{"/apis/storagemigration.k8s.io/v1/storageversionmigrations", `{"resource":{"resource":"pods"}}`},
		{"/apis/networking.k8s.io/v1/servicecidrs", `{"cidrs":["10.9.0.0/24"]}`},
	} {
		body := `{"metadata":{"name":"a"},"spec":` + c.spec + `}`
		if code, answer := send(t, url, request{method: "POST", path: c.path, contentType: "application/json", body: body}); code != 201 {
			t.Errorf("%s: %d %s", c.path, code, answer)
			continue
		}
		for _, door := range []struct {
			path  string
			taken bool
		}{{"/a/status", false}, {"/a", true}} {
			code, answer := send(t, url, request{method: "PATCH", path: c.path + door.path, contentType: "application/merge-patch+json",
				body: `{"metadata":{"labels":{"through":"patch"}}}`})
			if code != 200 || strings.Contains(answer, `"through":"patch"`) != door.taken {
				t.Errorf("%s%s: %d %s", c.path, door.path, code, answer)
			}
		}
	}
}
