package codecs_test

import (
	"errors"
	"net/http"
	"net/url"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
)

var (
	item = codecs.Offer{Views: codecs.Views}
	list = codecs.Offer{Views: codecs.Views, Streams: true}
)

func TestNegotiate(t *testing.T) {
	stream := list
	stream.Watch = true
	custom := codecs.Offer{Codecs: codecs.Generic, Direct: true, Views: codecs.Views}
	customStream := custom
	customStream.Watch = true
	discovery := codecs.Offer{Views: []schema.GroupVersionKind{{Group: "apidiscovery.k8s.io", Version: "v2", Kind: "APIGroupDiscoveryList"}}}
	cases := []struct {
		name, accept string
		offer        codecs.Offer
		want         string // Media.String, or the message of the 406
	}{
		{"nothing", "", item, "JSON"},
		{"any", "*/*", item, "JSON"},
		{"charset", "application/json; charset=utf-8", item, "JSON"},
		{"browser", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", item, "JSON"},
		{"unknown parameter", "application/json;foo=bar", item, "JSON"},
		{"quality", "application/json;q=0.5,application/yaml;q=0.9", item, "YAML"},
		{"quality that is no number", "application/json;q=abc", item, "JSON"},
		{"order", "application/yaml,application/json", item, "YAML"},
		{"unsupported first", "application/vnd.example.msgpack, application/json", item, "JSON"},
		{"router refuses application/*", "application/*", item, "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"},
		{"a name goes before application/*", "application/*;q=0.9,application/yaml;q=0.1", item, "YAML"},
		{"garbage", ";;;", item, "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"},
		{"list", "text/html", list, "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch, application/cbor-seq"},
		{"letter case", "TEXT/HTML", item, "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"},
		{"kubectl get", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json", item, "JSON as Table v1"},
		{"old table", "application/json;as=Table;v=v1beta1;g=meta.k8s.io", item, "JSON as Table v1beta1"},
		{"YAML table", "application/yaml;as=Table;v=v1;g=meta.k8s.io", item, "YAML as Table v1"},
		{"metadata", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", list, "JSON as PartialObjectMetadataList v1"},
		{"unknown view falls back", "application/json;as=Chart;v=v1;g=meta.k8s.io,application/json", item, "JSON"},
		{"unknown view", "application/json;as=Chart;v=v1;g=meta.k8s.io", item, "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"},
		{"view without group", "application/json;as=Table;v=v1", item, "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"},
		{"unknown version of a view", "application/json;as=Table;v=v9;g=meta.k8s.io", item, "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"},
		{"no views", "application/json;as=Table;v=v1;g=meta.k8s.io", codecs.Offer{}, "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"},
		{"aggregated discovery", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json", discovery, "JSON as APIGroupDiscoveryList v2"},
		{"server version", "application/json;sv=v1", item, "JSON"},
		{"no server version", "application/json;sv=", item, "JSON"},
		{"server version of a document", "application/json;sv=v1", discovery, "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"},
		{"Protobuf of a custom object", "application/vnd.kubernetes.protobuf", custom, "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"},
		{"Protobuf metadata of a custom object", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json", custom, "Protobuf as PartialObjectMetadata v1"},
		{"Protobuf table of a custom object", "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json", custom, "JSON"},
		{"watch of custom objects in YAML", "application/yaml", customStream, "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch, application/cbor-seq"},
		{"unknown server version", "application/json;sv=v2", item, "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"},
		{"stream parameter on get", "application/json;stream=watch", item, "JSON"},
		{"watch", "application/json;stream=watch", stream, "JSON"},
		{"watch for tables", "application/json;as=Table;v=v1;g=meta.k8s.io", stream, "JSON as Table v1"},
		{"watch in YAML", "application/yaml", stream, "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch, application/cbor-seq"},
		{"watch in CBOR", "application/cbor", stream, "CBOR"},
		{"a stream's name is no encoding", "application/cbor-seq", stream, "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"},
		{"CBOR before JSON", "application/cbor;q=0.9,application/json;q=0.8", item, "CBOR"},
		{"CBOR table", "application/cbor;as=Table;v=v1;g=meta.k8s.io", item, "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"},
		{"CBOR table, else JSON", "application/cbor;as=Table;v=v1;g=meta.k8s.io,application/json", item, "JSON"},
		{"CBOR metadata", "application/cbor;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", list, "CBOR as PartialObjectMetadataList v1"},
		{"unknown stream", "application/json;stream=tail", stream, "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m, err := codecs.Negotiate(c.accept, "golden/1.0", nil, c.offer)
			got := ""
			if err == nil {
				got = m.String()
			} else {
				checkStatus(t, err, http.StatusNotAcceptable)
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestNegotiate_Pretty(t *testing.T) {
	cases := []struct {
		accept, agent, query string
		want                 bool
	}{
		{"", "golden/1.0", "", false},
		{"", "golden/1.0", "pretty=true", true},
		{"", "golden/1.0", "pretty=1", true},
		{"", "golden/1.0", "pretty=yes", false},
		{"", "golden/1.0", "pretty=", false},
		{"", "curl/8.5.0", "", true},
		{"", "curl/8.5.0", "pretty=0", false},
		{"", "Wget/1.21", "", true},
		{"", "Mozilla/5.0 (X11)", "", true},
		{"", "Mozilla/4.0", "", false},
		{"application/json;pretty=1", "golden/1.0", "", true},
		{"application/json;pretty=1", "golden/1.0", "pretty=false", true},
		{"application/yaml", "curl/8.5.0", "", false},
	}
	for _, c := range cases {
		q, _ := url.ParseQuery(c.query)
		m, err := codecs.Negotiate(c.accept, c.agent, q, item)
		if err != nil || m.Pretty != c.want {
			t.Errorf("%+v: %v, %v", c, m.Pretty, err)
		}
	}
}

// An error can always be written: in what was asked for, or as pretty JSON.
func TestForError(t *testing.T) {
	cases := []struct {
		accept, want string
		pretty       bool
	}{
		{"", "JSON", false},
		{"application/yaml", "YAML", false},
		{"application/*", "JSON", false},
		{"text/html", "JSON", true},
		{";;;", "JSON", true},
		{"application/json;as=Table;v=v1;g=meta.k8s.io", "JSON", true},
		{"application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "JSON", false},
	}
	for _, c := range cases {
		if m := codecs.ForError(c.accept, "golden/1.0", nil, list); m.String() != c.want || m.Pretty != c.pretty {
			t.Errorf("%q: %v, pretty %v", c.accept, m, m.Pretty)
		}
	}
}

func TestContentType(t *testing.T) {
	const refusal = "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor"
	cases := []struct{ header, want string }{
		{"", "JSON"},
		{"application/json", "JSON"},
		{"application/json; charset=utf-8", "JSON"},
		{"Application/YAML", "YAML"},
		{"application/vnd.kubernetes.protobuf", "Protobuf"},
		{"application/cbor", "CBOR"},
		{"application/cbor-seq", refusal},
		{"text/plain", refusal},
		{"application/json;;", refusal},
		{"nonsense", refusal},
		{"*/*", refusal},
	}
	for _, c := range cases {
		got := ""
		if codec, err := codecs.ContentType(c.header, item); err == nil {
			got = codec.Name
		} else {
			checkStatus(t, err, http.StatusUnsupportedMediaType)
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %s", c.header, got)
		}
	}
}

func TestConsumed(t *testing.T) {
	patches := codecs.Offer{Consumes: []string{"application/json-patch+json", "application/merge-patch+json"}}
	if got, err := codecs.Consumed("application/merge-patch+json; charset=utf-8", patches); err != nil || got != "application/merge-patch+json" {
		t.Errorf("got %q, %v", got, err)
	}
	_, err := codecs.Consumed("application/merge-patch+json, application/json", patches)
	checkStatus(t, err, http.StatusUnsupportedMediaType)
	if err.Error() == "415: Unsupported Media Type" {
		t.Errorf("several types, one of them known: %v; the router lets them pass", err)
	}
	for _, header := range []string{"", "application/json", "*/*"} {
		_, err := codecs.Consumed(header, patches)
		checkStatus(t, err, http.StatusUnsupportedMediaType)
		if err.Error() != "415: Unsupported Media Type" {
			t.Errorf("%q: %v", header, err)
		}
	}
}

func checkStatus(t *testing.T, err error, code int32) {
	t.Helper()
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Code != code || status.Status().Reason == "" {
		t.Errorf("%v is no Status with code %d and a reason", err, code)
	}
}

func FuzzNegotiate(f *testing.F) {
	for _, accept := range []string{"", "*/*", "application/json;q=0.5,application/yaml", ";;;,,=\"", "application/json;as=Table;v=v1;g=meta.k8s.io", "a/b;q=1e309"} {
		f.Add(accept, "pretty=true")
	}
	f.Fuzz(func(t *testing.T, accept, query string) {
		q, _ := url.ParseQuery(query)
		m, err := codecs.Negotiate(accept, "fuzz", q, list)
		if (err == nil) != (m.Codec != nil) {
			t.Fatalf("codec %v with error %v", m.Codec, err)
		}
		if codecs.ForError(accept, "fuzz", q, list).Codec == nil {
			t.Fatal("no codec for an error")
		}
		_, _ = codecs.ContentType(accept, list)
	})
}
