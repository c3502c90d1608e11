package server_test

import "testing"

// Events have no watch cache in kube-apiserver: its store refuses a bad resourceVersion of theirs. The answers are those of 1.37.
func TestServer_Get(t *testing.T) {
	url, _ := mustServe(t, nil)
	const bare, refused = `{"code":500,"message":"`, `{"code":400,"message":"invalid resource version: `
	text := func(version, why string) string {
		return `resourceVersion: Invalid value: \"` + version + `\": strconv.ParseUint: parsing \"` + version + `\": ` + why + `"`
	}
	for _, c := range []struct {
		path string
		code int
		want func(text string) string
	}{
		{"/api/v1/namespaces/default/events/none", 400, func(text string) string { return refused + text + `,"reason":"BadRequest"}` }},
		{"/apis/events.k8s.io/v1/namespaces/default/events/none", 400, func(text string) string { return refused + text + `,"reason":"BadRequest"}` }},
		{"/api/v1/namespaces/default/configmaps/none", 500, func(text string) string { return bare + text + `}` }},
	} {
		get := func(version string) request {
			return request{method: "GET", path: c.path + "?resourceVersion=" + version}
		}
		playExactly(t, url, []exact{
			{c.path, get("abc"), c.code, c.want(text("abc", "invalid syntax"))},
			{c.path, get("-1"), c.code, c.want(text("-1", "invalid syntax"))},
			{c.path, get("18446744073709551616"), c.code, c.want(text("18446744073709551616", "value out of range"))},
		})
	}
}
