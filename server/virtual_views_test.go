package server_test

import (
	"net/http"
	"testing"
)

// What is answered and not stored has no columns: a Table is refused before the request does anything, metadata alone is
// shown. The answers are those of kube-apiserver 1.37.
func TestVirtual_views(t *testing.T) {
	url := mustDemo(t)
	play(t, url, []call{{"pod", "POST", inDemo + "pods", "", `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}`, 201, ""}})
	const (
		table    = "application/json;as=Table;g=meta.k8s.io;v=v1"
		metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
		list     = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

		noTable = `{"code":406,"message":"only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor","reason":"NotAcceptable"}`
		noList  = `{"code":406,"message":"you requested PartialObjectMetadataList, but the requested object is not a list (*`
		nothing = `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{}}`
	)
	for _, c := range []struct{ path, body, metadata, list string }{
		{access + "selfsubjectaccessreviews", `{"spec":{"nonResourceAttributes":{"path":"/","verb":"get"}}}`, nothing, noList + `authorization.SelfSubjectAccessReview)","reason":"NotAcceptable"}`},
		{access + "selfsubjectrulesreviews", `{"spec":{"namespace":"demo"}}`, nothing, noList + `authorization.SelfSubjectRulesReview)","reason":"NotAcceptable"}`},
		{access + "subjectaccessreviews", `{"spec":{"user":"u","nonResourceAttributes":{"path":"/","verb":"get"}}}`, nothing, noList + `authorization.SubjectAccessReview)","reason":"NotAcceptable"}`},
		{identity + "selfsubjectreviews", `{}`, nothing, noList + `authentication.SelfSubjectReview)","reason":"NotAcceptable"}`},
		{identity + "tokenreviews", `{"spec":{"token":"x"}}`, nothing, noList + `authentication.TokenReview)","reason":"NotAcceptable"}`},
		{inDemo + "serviceaccounts/till/token", `{}`, `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"till","namespace":"demo"}}`,
			noList + `authentication.TokenRequest)","reason":"NotAcceptable"}`},
		{inDemo + "bindings?dryRun=All", `{"metadata":{"name":"a"},"target":{"name":"n"}}`, `{"code":201}`, `{"code":201}`},
		{inDemo + "pods/a/binding?dryRun=All", `{"metadata":{"name":"a"},"target":{"name":"n"}}`, `{"code":201}`, `{"code":201}`},
		{inDemo + "pods/a/eviction?dryRun=All", `{"metadata":{"name":"a"}}`, `{"code":201}`, `{"code":201}`},
	} {
		for _, view := range []struct {
			accept string
			want   string
		}{{table, noTable}, {metadata, c.metadata}, {list, c.list}} {
			code := http.StatusCreated
			if view.accept == table || view.accept == list && c.list != c.metadata {
				code = http.StatusNotAcceptable
			}
			playExactly(t, url, []exact{{c.path + " as " + view.accept, request{method: "POST", path: c.path, body: c.body, header: http.Header{"Accept": {view.accept}}}, code, view.want}})
		}
	}
	// A client that would also take the object itself gets that.
	playExactly(t, url, []exact{{"either", request{method: "POST", path: identity + "selfsubjectreviews", body: `{}`, header: http.Header{"Accept": {table + ",application/json"}}}, 201,
		`{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview","metadata":{},"status":{"userInfo":{"groups":["system:masters","system:authenticated"],"username":"system:admin"}}}`}})
}

// A review asks about exactly one of the two kinds of attributes.
func TestVirtual_attributes(t *testing.T) {
	url := mustDemo(t)
	const exactlyOne = `: exactly one of nonResourceAttributes or resourceAttributes must be specified`
	refusal := func(shown string) string {
		return `{"code":422,"details":{"causes":[{"field":"spec","message":"Invalid value: ` + shown + exactlyOne + `","reason":"FieldValueInvalid"}],"group":"authorization.k8s.io"},` +
			`"message":".authorization.k8s.io \"\" is invalid: spec: Invalid value: ` + shown + exactlyOne + `","reason":"Invalid"}`
	}
	playExactly(t, url, []exact{
		{"neither", request{method: "POST", path: access + "selfsubjectaccessreviews", body: `{"spec":{}}`}, 422, refusal("null")},
		{"both", request{method: "POST", path: access + "subjectaccessreviews",
			body: `{"spec":{"user":"u","resourceAttributes":{"verb":"get"},"nonResourceAttributes":{"path":"/","verb":"get"}}}`}, 422, refusal(`{\"Path\":\"/\",\"Verb\":\"get\"}`)},
	})
}
