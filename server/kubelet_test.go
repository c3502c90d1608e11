package server_test

import (
	"net/http"
	"testing"
)

// podLogs has a pod "free", and one "bound" at a node whose kubelet is at 127.0.0.9:4321.
func podLogs(t *testing.T) (url string) {
	t.Helper()
	url = serveDefault(t)
	mustPods(t, url, "free", "bound")
	playExactly(t, url, []exact{
		{"node", request{method: "POST", path: "/api/v1/nodes", body: `{"metadata":{"name":"n"},"status":{"addresses":[{"type":"ExternalIP","address":"192.0.2.1"},{"type":"InternalIP","address":"127.0.0.9"}],"daemonEndpoints":{"kubeletEndpoint":{"Port":4321}}}}`}, 201, ""},
		{"bind", request{method: "POST", path: inDefault + "pods/bound/binding", body: `{"metadata":{"name":"bound"},"target":{"name":"n"}}`}, 201, ""},
		{"several", request{method: "POST", path: inDefault + "pods", body: `{"metadata":{"name":"several"},"spec":{"initContainers":[{"name":"i","image":"i"}],"containers":[{"name":"c","image":"i"},{"name":"d","image":"i"}]}}`}, 201, ""},
	})
	return url
}

// The options of a log are checked before the pod is read, and handed on as a kubelet takes them. The answers are those of
// kube-apiserver 1.37.
func TestServer_Log(t *testing.T) {
	url := podLogs(t)
	log := func(pod, query string) request {
		return request{method: "GET", path: inDefault + "pods/" + pod + "/log?" + query}
	}
	invalid := func(pod, field, text, reason string) string {
		return `{"code":422,"details":{"causes":[{"field":"` + field + `","message":"` + text + `","reason":"` + reason + `"}],"kind":"PodLogOptions","name":"` + pod + `"},` +
			`"message":"PodLogOptions \"` + pod + `\" is invalid: ` + field + `: ` + text + `","reason":"Invalid"}`
	}
	bad := func(message string) string { return `{"code":400,"message":"` + message + `","reason":"BadRequest"}` }
	for _, pod := range []string{"free", "bound", "none"} {
		playExactly(t, url, []exact{
			{"tail", log(pod, "tailLines=-1"), 422, invalid(pod, "tailLines", "Invalid value: -1: must be greater than or equal to 0", "FieldValueInvalid")},
			{"before the container", log(pod, "container=x&tailLines=-1"), 422, invalid(pod, "tailLines", "Invalid value: -1: must be greater than or equal to 0", "FieldValueInvalid")},
			{"since", log(pod, "sinceSeconds=0"), 422, invalid(pod, "sinceSeconds", "Invalid value: 0: must be greater than 0", "FieldValueInvalid")},
			{"limit", log(pod, "limitBytes=0"), 422, invalid(pod, "limitBytes", "Invalid value: 0: must be greater than 0", "FieldValueInvalid")},
			{"stream", log(pod, "stream=Stdout"), 422, invalid(pod, "stream", "Forbidden: may not be specified", "FieldValueForbidden")},
			{"since twice", log(pod, "sinceTime=2020-01-01T00:00:00Z&sinceSeconds=1"), 422, invalid(pod, "[]", "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified", "FieldValueForbidden")},
			{"a word", log(pod, "tailLines=x"), 400, bad(`strconv.ParseInt: parsing \"x\": invalid syntax`)},
			{"nothing", log(pod, "tailLines="), 400, bad(`strconv.ParseInt: parsing \"\": invalid syntax`)},
			{"a large number", log(pod, "limitBytes=99999999999999999999"), 400, bad(`strconv.ParseInt: parsing \"99999999999999999999\": value out of range`)},
			{"no time", log(pod, "sinceTime=x"), 400, bad(`parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"`)},
		})
	}
	kubelet := func(query string) string {
		return `{"code":500,"message":"Get \"https://127.0.0.9:4321/containerLogs/default/bound/c` + query + `\": dial tcp 127.0.0.9:4321: connect: connection refused"}`
	}
	playExactly(t, url, []exact{
		{"absent", log("none", "tailLines=1"), 404, `{"code":404,"details":{"kind":"pods","name":"none"},"message":"pods \"none\" not found","reason":"NotFound"}`},
		{"without a node", log("free", "tailLines=1"), 204, ""},
		{"another container", log("free", "container=x"), 400, bad("container x is not valid for pod free")},
		{"which container", log("several", ""), 400, bad("a container name must be specified for pod several, choose one of: [i c d]")},
		{"all of it", log("bound", ""), 500, kubelet("")},
		{"a truth", log("bound", "follow=1"), 500, kubelet("?follow=true")},
		{"an untruth", log("bound", "follow=0"), 500, kubelet("")},
		{"another zone", log("bound", "sinceTime=2020-01-01T00:00:00%2B02:00"), 500, kubelet("?sinceTime=2019-12-31T22%3A00%3A00Z")},
	})
}

// A log is negotiated as an object is, though it comes as text, and has no Table. The answers are those of kube-apiserver 1.37.
func TestServer_Log_accept(t *testing.T) {
	url := podLogs(t)
	const (
		none     = `{"code":406,"message":"only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor","reason":"NotAcceptable"}`
		unrouted = `{"code":406,"details":{},"message":"406: Not Acceptable\n\nAvailable representations: text/plain, application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor","reason":"NotAcceptable"}`
	)
	for _, pod := range []string{"free", "bound", "none"} {
		for accept, want := range map[string]string{"text/plain": none, "application/json;as=Table;g=meta.k8s.io;v=v1": none, "x/y": unrouted} {
			for _, query := range []string{"", "?tailLines=-1"} {
				q := request{method: "GET", path: inDefault + "pods/" + pod + "/log" + query, header: http.Header{"Accept": {accept}}}
				playExactly(t, url, []exact{{pod + " as " + accept, q, 406, want}})
			}
		}
	}
}

// A log has no metadata that could be shown, which the pod's absence or bad options come before. The answers are those of
// kube-apiserver 1.37.
func TestServer_Log_metadata(t *testing.T) {
	url := podLogs(t)
	const (
		metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
		list     = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
		noObject = `{"code":500,"message":"object does not implement the Object interfaces"}`
		noList   = `{"code":406,"message":"you requested PartialObjectMetadataList, but the requested object is not a list (*rest.LocationStreamer)","reason":"NotAcceptable"}`
		absent   = `{"code":404,"details":{"kind":"pods","name":"none"},"message":"pods \"none\" not found","reason":"NotFound"}`
		badTail  = `{"code":400,"message":"strconv.ParseInt: parsing \"x\": invalid syntax","reason":"BadRequest"}`
	)
	log := func(path, accept string) request {
		return request{method: "GET", path: inDefault + "pods/" + path, header: http.Header{"Accept": {accept}}}
	}
	playExactly(t, url, []exact{
		{"free", log("free/log", metadata), 500, noObject},
		{"free, as a list", log("free/log", list), 406, noList},
		{"bound", log("bound/log", metadata), 500, noObject},
		{"bound, or as a text", log("bound/log", "text/plain,"+metadata), 500, noObject},
		{"bound, as a list", log("bound/log", list), 406, noList},
		{"absent", log("none/log", metadata), 404, absent},
		{"bad options", log("free/log?tailLines=x", metadata), 400, badTail},
	})
}

// What opens a connection has no dry run, and says so before it looks for anything. The answers are those of kube-apiserver 1.37.
func TestServer_Connect(t *testing.T) {
	url := podLogs(t)
	const dryRun = `{"code":400,"message":"dryRun is not supported","reason":"BadRequest"}`
	for _, path := range []string{
		inDefault + "pods/none/exec", inDefault + "pods/bound/exec", inDefault + "pods/none/attach", inDefault + "pods/none/portforward",
		inDefault + "pods/none/proxy", inDefault + "pods/none/proxy/a/b", inDefault + "services/none/proxy", inDefault + "services/a:b:c:d/proxy", "/api/v1/nodes/none/proxy",
	} {
		for _, method := range []string{"GET", "POST"} {
			for _, query := range []string{"?dryRun=All", "?dryRun=x", "?dryRun="} {
				playExactly(t, url, []exact{{method + " " + path + query, request{method: method, path: path + query}, 400, dryRun}})
			}
		}
	}
	upgrade := http.Header{"Connection": {"Upgrade"}, "Upgrade": {"SPDY/3.1"}}
	playExactly(t, url, []exact{
		{"which container", request{method: "POST", path: inDefault + "pods/several/exec"}, 400,
			`{"code":400,"message":"a container name must be specified for pod several, choose one of: [i c d]","reason":"BadRequest"}`},
		{"no node", request{method: "POST", path: inDefault + "pods/several/portforward"}, 400, `{"code":400,"message":"pod several does not have a host assigned","reason":"BadRequest"}`},
		{"no upgrade", request{method: "POST", path: inDefault + "pods/bound/exec"}, 400, `{"code":400,"message":"Upgrade request required","reason":"BadRequest"}`},
		{"nobody listens", request{method: "POST", path: inDefault + "pods/bound/exec", header: upgrade}, 500,
			`{"code":500,"message":"error dialing backend: dial tcp 127.0.0.9:4321: connect: connection refused"}`},
		{"another address", request{method: "PATCH", path: "/api/v1/nodes/n/status", contentType: mergePatch, body: `{"status":{"addresses":[{"type":"Other","address":"192.0.2.1"}]}}`}, 200, ""},
		{"no address", request{method: "GET", path: inDefault + "pods/bound/log"}, 500, `{"code":500,"message":"no preferred addresses found; known addresses: [{Other 192.0.2.1}]"}`},
	})
}
