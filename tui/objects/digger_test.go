package objects

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/client"
)

// Versions that were not recorded are read one by one, until the object does not exist or is compacted.
func TestDigger_Walk(t *testing.T) {
	at := map[string]string{"30": `{"metadata":{"resourceVersion":"25"},"spec":{"a":2}}`,
		"24": `{"metadata":{"resourceVersion":"20"},"spec":{"a":1}}`}
	serve := answers(func(r *http.Request) (int, string) {
		rv := r.URL.Query().Get("resourceVersion")
		if o, ok := at[rv]; ok {
			return 200, `{"items":[` + o + `]}`
		}
		return 410, `{"reason":"Expired","message":"too old"}`
	})
	d := &digger{a: &client.Client{Transport: serve}, log: flow.NewLog(flow.Limits{}),
		of:  client.Resource{Group: "example.io", Version: "v1", Name: "widgets", Namespaced: true},
		key: client.Key{Namespace: "default", Name: "w"}, head: 30, mask: func(b []byte) []byte { return b }}
	p := d.dig()
	if len(p.versions) != 2 || p.versions[0].revision != 25 || p.versions[1].revision != 20 || p.versions[0].more != 1 {
		t.Errorf("%+v", p.versions)
	}
	if !strings.Contains(p.end, "compacted") {
		t.Error(p.end)
	}
}

type answers func(*http.Request) (int, string)

func (f answers) RoundTrip(r *http.Request) (*http.Response, error) {
	code, text := f(r)
	return &http.Response{StatusCode: code, Body: io.NopCloser(strings.NewReader(text))}, nil
}
