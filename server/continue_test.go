package server_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
)

// pagesOf are the names on each page of a list.
func pagesOf(t *testing.T, base, path string) string {
	t.Helper()
	pages, next := [][]string{}, ""
	for {
		_, body := send(t, base, request{method: "GET", path: path + "&continue=" + url.QueryEscape(next)})
		var list struct {
			Metadata struct{ Continue string }
			Items    []struct{ Metadata struct{ Name string } }
		}
		if err := json.Unmarshal([]byte(body), &list); err != nil || len(pages) > 20 {
			t.Fatal(err, body)
		}
		page := []string{}
		for _, item := range list.Items {
			page = append(page, item.Metadata.Name)
		}
		pages = append(pages, page)
		if next = list.Metadata.Continue; next == "" {
			return fmt.Sprint(pages)
		}
	}
}

// versionOf is the resourceVersion of a list.
func versionOf(t *testing.T, base, path string) string {
	t.Helper()
	_, body := send(t, base, request{method: "GET", path: path})
	var list struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	return list.Metadata.ResourceVersion
}

// A page that is full has a next one if any object follows, though it may not match: that is found out on the next page. The pages are
// those of kube-apiserver 1.37, but for lists in all namespaces that select one by a field, where it repeats or skips objects.
func TestServer_List(t *testing.T) {
	base, _ := mustServe(t, nil)
	for _, namespace := range []string{"l1", "l2"} {
		mustMake(t, base, "/api/v1/namespaces", `{"metadata":{"name":"`+namespace+`"}}`)
		for i, name := range []string{"c", "cx", "cxx", "cxxx"} {
			meta := fmt.Sprintf(`{"metadata":{"name":"%s","labels":{"n":"%d"}}`, name, i+1)
			mustMake(t, base, "/api/v1/namespaces/"+namespace+"/configmaps", meta+`}`)
			mustMake(t, base, "/api/v1/namespaces/"+namespace+"/events", meta+`,"involvedObject":{"namespace":"`+namespace+`"}}`)
			mustMake(t, base, "/api/v1/namespaces/"+namespace+"/pods", meta+fmt.Sprintf(`,"spec":{"nodeName":"n%d","containers":[{"name":"c","image":"i"}]}}`, (i+1)/2))
		}
	}
	const one, all = "/api/v1/namespaces/l1/", "/api/v1/"
	cases := []struct{ path, want string }{
		{one + "configmaps?limit=2&labelSelector=n+in+(1,2)", "[[c cx] []]"},
		{one + "configmaps?limit=1&labelSelector=n+in+(1,2)", "[[c] [cx] []]"},
		{one + "configmaps?limit=1&labelSelector=n=4", "[[cxxx]]"},
		{one + "configmaps?limit=3&labelSelector=n+in+(1,2)", "[[c cx]]"},
		{one + "configmaps?limit=2", "[[c cx] [cxx cxxx]]"},
		{one + "configmaps?limit=1&fieldSelector=metadata.name=c", "[[c]]"},
		{one + "events?limit=2&labelSelector=n+in+(1,2)", "[[c cx] []]"},
		{all + "configmaps?limit=1&fieldSelector=metadata.name=c", "[[c] [c] []]"},
		{all + "configmaps?limit=2&fieldSelector=metadata.name=c", "[[c c] []]"},
		{all + "configmaps?limit=1&fieldSelector=metadata.name=c,metadata.namespace=l1", "[[c]]"},
		{all + "configmaps?limit=2&fieldSelector=metadata.namespace=l1", "[[c cx] [cxx cxxx]]"},
		{all + "configmaps?limit=2&fieldSelector=metadata.namespace=l2", "[[c cx] [cxx cxxx]]"},
		{one + "pods?limit=1&fieldSelector=spec.nodeName=n0", "[[c]]"}, // there is an index of nodes, which the next page does without
		{one + "pods?limit=1&fieldSelector=spec.nodeName=n1", "[[cx] [cxx] []]"},
		{one + "pods?limit=2&fieldSelector=spec.nodeName=n1", "[[cx cxx]]"},
		{one + "pods?limit=1&fieldSelector=spec.nodeName=n1&labelSelector=n=2", "[[cx] []]"},
	}
	for _, c := range cases {
		if got := pagesOf(t, base, c.path); got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
	before := versionOf(t, base, one+"configmaps")
	mustMake(t, base, one+"configmaps", `{"metadata":{"name":"later","labels":{"n":"1"}}}`)
	for _, c := range []struct{ path, want string }{
		{one + "configmaps?limit=2&labelSelector=n+in+(1,2)", "[[c cx] []]"},
		{one + "configmaps?limit=1&labelSelector=n=4", "[[cxxx]]"},
		{one + "configmaps?limit=1&fieldSelector=metadata.name=c", "[[c]]"},
		{all + "configmaps?limit=1&fieldSelector=metadata.name=c", "[[c] [c] []]"},
		{all + "configmaps?limit=2&fieldSelector=metadata.namespace=l1", "[[c cx] [cxx cxxx]]"},
	} {
		_, body := send(t, base, request{method: "GET", path: c.path + "&resourceVersionMatch=Exact&resourceVersion=" + before})
		var first struct{ Metadata struct{ Continue string } }
		if err := json.Unmarshal([]byte(body), &first); err != nil {
			t.Fatal(err)
		}
		if got, want := first.Metadata.Continue != "", len(c.want) > len("[[cxxx]]"); got != want {
			t.Errorf("%s, earlier: continue %q, want one: %t", c.path, first.Metadata.Continue, want)
		}
	}
}
