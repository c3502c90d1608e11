package server_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A list of the metadata of nothing has null for its items in every form that can tell null from nothing.
func TestServer_noMetadata(t *testing.T) {
	url := serveDefault(t)
	for accept, want := range map[string]string{
		"application/json":          `"items":null`,
		"application/json;pretty=1": `"items": null`,
		"application/yaml":          "items: null",
		"application/cbor":          "\x45items\xf6",
	} {
		for _, version := range []string{"v1", "v1beta1"} {
			header := http.Header{"Accept": {accept + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=" + version}}
			if code, body := send(t, url, request{method: "GET", path: configMaps, header: header}); code != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s %s: %d %q; want %q", accept, version, code, body, want)
			}
		}
	}
}

// What the internal form of a kind has as a field is not among the annotations of its metadata, in every form.
func TestServer_hiddenAnnotation(t *testing.T) {
	url := serveDefault(t)
	const daemonSets = "/apis/apps/v1/namespaces/default/daemonsets"
	mustMake(t, url, daemonSets, `{"metadata":{"name":"d","annotations":{"kept":"`+strings.Repeat("x", 600)+`"}},"spec":{"selector":{"matchLabels":{"a":"b"}},
		"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`)
	hidden := regexp.MustCompile(`["(]deprecated.daemonset.template.generation`) // not the field of a manager, behind "f:"
	for _, c := range []struct {
		path, accept string
		shown        bool
	}{
		{"/d", "application/json", true},
		{"/d", "application/json" + metadataV1, false},
		{"", "application/json" + strings.Replace(metadataV1, "Metadata", "MetadataList", 1), false},
		{"", protobufV1 + strings.Replace(metadataV1, "Metadata", "MetadataList", 1), false},
		{"?watch=1&timeoutSeconds=1", "application/json" + metadataV1, false},
	} {
		_, body := send(t, url, request{method: "GET", path: daemonSets + c.path, header: http.Header{"Accept": {c.accept}}})
		if !strings.Contains(body, "kept") || hidden.MatchString(body) != c.shown {
			t.Errorf("%s %s: %d bytes; shown: %v", c.path, c.accept, len(body), !c.shown)
		}
	}
}

// The fields of a list of metadata have other numbers in meta.k8s.io/v1beta1's Protobuf; short lists and long ones have them.
func TestServer_oldMetadataList(t *testing.T) {
	for _, size := range []int{1, 20000} {
		url := mustHold(t, 60, size)
		header := http.Header{"Accept": {protobufV1 + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1"}}
		code, body := send(t, url, request{method: "GET", path: configMaps, header: header})
		var envelope runtime.Unknown
		var l metav1beta1.PartialObjectMetadataList
		if err := envelope.Unmarshal([]byte(strings.TrimPrefix(body, "k8s\x00"))); err != nil {
			t.Fatal(code, err)
		}
		if err := l.Unmarshal(envelope.Raw); err != nil || len(l.Items) != 60 || l.ResourceVersion == "" || l.Items[59].Name != "c059" {
			t.Errorf("%d bytes an object: %v, %d items at %q", size, err, len(l.Items), l.ResourceVersion)
		}
	}
}

// A deletecollection with a resourceVersion deletes what there was at that very version: it lists page by page.
func TestServer_deleteCollectionVersion(t *testing.T) {
	url := serveDefault(t)
	var first, second metav1.PartialObjectMetadata
	write(t, url, request{method: "POST", path: configMaps, contentType: "application/json", body: `{"metadata":{"name":"a"}}`}, &first)
	write(t, url, request{method: "POST", path: configMaps, contentType: "application/json", body: `{"metadata":{"name":"b"}}`}, &second)
	for _, c := range []struct {
		query, left string
		code        int
	}{
		{"?resourceVersion=1", "a b", http.StatusOK},
		{"?resourceVersion=0", "a b", http.StatusConflict},
		{"?resourceVersion=" + second.ResourceVersion, "a b", http.StatusConflict},
		{"?resourceVersion=" + first.ResourceVersion, "b", http.StatusOK},
	} {
		if code, body := send(t, url, request{method: "DELETE", path: configMaps + c.query}); code != c.code {
			t.Errorf("%s: %d %s; want %d", c.query, code, body, c.code)
		}
		var l metav1.PartialObjectMetadataList
		mustGet(t, url, configMaps, &l)
		var left []string
		for _, o := range l.Items {
			left = append(left, o.Name)
		}
		if got := strings.Join(left, " "); got != c.left {
			t.Errorf("%s leaves %s; want %s", c.query, got, c.left)
		}
	}
}
