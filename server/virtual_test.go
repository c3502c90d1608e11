package server_test

import (
	"strings"
	"testing"
)

const (
	access   = "/apis/authorization.k8s.io/v1/"
	identity = "/apis/authentication.k8s.io/v1/"
	inDemo   = "/api/v1/namespaces/demo/"
)

// A call is a request and what its answer must say.
type call struct {
	name, method, path, contentType, body string
	code                                  int
	want                                  string
}

// play sends requests one after the other.
func play(t *testing.T, url string, calls []call) {
	t.Helper()
	for _, c := range calls {
		contentType := c.contentType
		if contentType == "" && c.body != "" {
			contentType = "application/json"
		}
		code, body := send(t, url, request{method: c.method, path: c.path, contentType: contentType, body: c.body})
		if code != c.code || !strings.Contains(strings.Join(strings.Fields(body), ""), strings.Join(strings.Fields(c.want), "")) {
			t.Errorf("%s: %d %.900s; want %d with %s", c.name, code, body, c.code, c.want)
		}
	}
}

func mustDemo(t *testing.T) string {
	t.Helper()
	url, _ := mustServe(t, nil)
	play(t, url, []call{
		{"namespace", "POST", "/api/v1/namespaces", "", `{"metadata":{"name":"demo"}}`, 201, "demo"},
		{"account", "POST", inDemo + "serviceaccounts", "", `{"metadata":{"name":"till"}}`, 201, "till"},
		{"node", "POST", "/api/v1/nodes", "", `{"metadata":{"name":"n"}}`, 201, "n"},
	})
	return url
}

// Reviews are answered as mode AlwaysAllow does, and questions that make no sense are refused in the official words.
func TestVirtual_reviews(t *testing.T) {
	url := mustDemo(t)
	play(t, url, []call{
		{"self", "POST", access + "selfsubjectaccessreviews", "", `{"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}}`, 201, `"allowed":true`},
		{"YAML", "POST", access + "selfsubjectaccessreviews", "application/yaml", "spec: {nonResourceAttributes: {path: /x, verb: get}}", 201, `"allowed":true`},
		{"both", "POST", access + "selfsubjectaccessreviews", "", `{"spec":{"resourceAttributes":{},"nonResourceAttributes":{"path":"/x"}}}`, 422,
			`spec: Invalid value: {\"Path\":\"/x\",\"Verb\":\"\"}: exactly one of nonResourceAttributes or resourceAttributes must be specified`},
		{"nobody", "POST", access + "subjectaccessreviews", "", `{"spec":{"resourceAttributes":{}}}`, 422, "spec.user: Invalid value: \\\"\\\": at least one of user or group must be specified"},
		{"nothing", "POST", access + "subjectaccessreviews", "", `{"spec":{"user":"joe"}}`, 422, "exactly one of nonResourceAttributes or resourceAttributes must be specified"},
		{"a name", "POST", access + "subjectaccessreviews", "", `{"metadata":{"name":"x"},"spec":{"user":"joe","resourceAttributes":{}}}`, 422, "must be empty"},
		{"an empty selector", "POST", access + "subjectaccessreviews", "", `{"spec":{"user":"joe","resourceAttributes":{"labelSelector":{}}}}`, 422, "requirements or rawSelector is required"},
		{"local", "POST", access + "namespaces/nowhere/localsubjectaccessreviews", "", `{"spec":{"user":"joe","resourceAttributes":{"namespace":"nowhere"}}}`, 201, `"allowed":true`},
		{"local elsewhere", "POST", access + "namespaces/demo/localsubjectaccessreviews", "", `{"spec":{"user":"joe","resourceAttributes":{"namespace":"other"}}}`, 422, "must match metadata.namespace"},
		{"rules", "POST", access + "selfsubjectrulesreviews", "", `{"spec":{"namespace":"demo"}}`, 201, `"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]`},
		{"rules of nothing", "POST", access + "selfsubjectrulesreviews", "", `{}`, 400, "no namespace on request"},
		{"who am I", "POST", identity + "selfsubjectreviews", "", `{}`, 201, `"userInfo":{"username":"system:admin","groups":["system:masters","system:authenticated"]}`},
		{"no token", "POST", identity + "tokenreviews", "", `{}`, 400, "token is required for TokenReview in authentication"},
		{"another's token", "POST", identity + "tokenreviews", "", `{"spec":{"token":"abc"}}`, 201, `"error":"invalid bearer token"`},
		{"an unknown field", "POST", identity + "tokenreviews?fieldValidation=Strict", "", `{"spec":{"tokenn":"abc"}}`, 400, "unknown field"},
		{"a dry run", "POST", access + "selfsubjectaccessreviews?dryRun=All", "", `{"spec":{"resourceAttributes":{}}}`, 201, `"allowed":true`},
		{"no list", "GET", access + "subjectaccessreviews", "", "", 405, "does not allow this method"},
		{"no object", "GET", access + "subjectaccessreviews/x", "", "", 404, "could not find the requested resource"},
		{"no namespace", "POST", access + "localsubjectaccessreviews", "", `{}`, 404, "could not find the requested resource"},
		{"discovery", "GET", access[:len(access)-1], "", "", 200, `{"name":"localsubjectaccessreviews","singularName":"localsubjectaccessreview","namespaced":true,"kind":"LocalSubjectAccessReview","verbs":["create"]}`},
	})
}

// A token stands for its ServiceAccount as long as that and what it is bound to exist.
func TestVirtual_tokens(t *testing.T) {
	url := mustDemo(t)
	token := inDemo + "serviceaccounts/till/token"
	play(t, url, []call{
		{"too short", "POST", token, "", `{"spec":{"expirationSeconds":5}}`, 422, "may not specify a duration less than 10 minutes"},
		{"bound to what can not be", "POST", token, "", `{"spec":{"boundObjectRef":{"kind":"ConfigMap","apiVersion":"v1","name":"x"}}}`, 400, "cannot bind token to object of type /v1, Kind=ConfigMap"},
		{"bound to nothing", "POST", token, "", `{"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"x"}}}`, 404, `secrets \"x\" not found`},
		{"bound to another", "POST", token, "", `{"spec":{"boundObjectRef":{"kind":"Node","apiVersion":"v1","name":"n","uid":"u"}}}`, 409, "the UID in the bound object reference (u) does not match"},
		{"another name", "POST", token, "", `{"metadata":{"name":"x"}}`, 422, "must match the service account name if specified"},
		{"no account", "POST", inDemo + "serviceaccounts/nobody/token", "", `{}`, 404, `serviceaccounts \"nobody\" not found`},
		{"not read", "GET", token, "", "", 405, "does not allow this method"},
		{"keys", "GET", "/openid/v1/jwks", "", "", 200, `"kty":"EC"`},
		{"where they are", "GET", "/.well-known/openid-configuration", "", "", 200, `"issuer":"https://kubernetes.default.svc"`},
	})
	// A token that was right is not looked at again for 10 s, so that each question has a token of its own.
	fresh := func() string {
		_, body := send(t, url, request{method: "POST", path: token, contentType: "application/json", body: `{"spec":{"boundObjectRef":{"kind":"Node","apiVersion":"v1","name":"n"}}}`})
		_, rest, found := strings.Cut(body, `"token":"`)
		text, _, _ := strings.Cut(rest, `"`)
		if !found || strings.Count(text, ".") != 2 || !strings.Contains(body, `"expirationSeconds":3600`) {
			t.Fatalf("no token: %s", body)
		}
		return text
	}
	ask := func(token string) string { return `{"spec":{"token":"` + token + `"}}` }
	mine, unbound, nobodys := fresh(), fresh(), fresh()
	play(t, url, []call{
		{"mine", "POST", identity + "tokenreviews", "", ask(mine), 201, `"username":"system:serviceaccount:demo:till"`},
		{"its node", "POST", identity + "tokenreviews", "", ask(mine), 201, `"authentication.kubernetes.io/node-name":["n"]`},
		{"for others", "POST", identity + "tokenreviews", "", `{"spec":{"audiences":["a"],"token":"` + mine + `"}}`, 201, "is invalid for the target audiences"},
		{"the node goes", "DELETE", "/api/v1/nodes/n", "", "", 200, ""},
		{"unbound", "POST", identity + "tokenreviews", "", ask(unbound), 201, "service account token has been invalidated"},
		{"the account goes", "DELETE", inDemo + "serviceaccounts/till", "", "", 200, ""},
		{"nobody's", "POST", identity + "tokenreviews", "", ask(nobodys), 201, `serviceaccounts \"till\" not found`},
	})
}

const pod = `{"metadata":{"name":"a","labels":{"app":"a"}},"spec":{"nodeName":"n","terminationGracePeriodSeconds":0,"containers":[{"name":"c","image":"x"}]}}`

// An eviction asks the pod's budget, and says on the pod why it goes.
func TestVirtual_eviction(t *testing.T) {
	url := mustDemo(t)
	const merge = "application/merge-patch+json"
	budget := "/apis/policy/v1/namespaces/demo/poddisruptionbudgets"
	running := `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`
	evict := inDemo + "pods/a/eviction"
	play(t, url, []call{
		{"pod", "POST", inDemo + "pods", "", pod, 201, ""},
		{"it runs", "PATCH", inDemo + "pods/a/status", merge, running, 200, ""},
		{"it is held", "PATCH", inDemo + "pods/a", merge, `{"metadata":{"finalizers":["x.y/z"]}}`, 200, ""},
		{"another name", "POST", evict, "", `{"metadata":{"name":"b"}}`, 400, "name in URL does not match name in Eviction object"},
		{"another pod", "POST", evict, "", `{"metadata":{"name":"a"},"deleteOptions":{"preconditions":{"uid":"u"}}}`, 409, "the UID in the precondition (u) does not match"},
		{"budget", "POST", budget, "", `{"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"a"}}}}`, 201, ""},
		{"not looked at yet", "POST", evict, "", `{"metadata":{"name":"a"}}`, 429, `"retryAfterSeconds":10`},
		{"looked at", "PATCH", budget + "/b/status", merge, `{"status":{"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1}}`, 200, ""},
		{"exhausted", "POST", evict, "", `{"metadata":{"name":"a"}}`, 429, "The disruption budget b needs 1 healthy pods and has 1 currently"},
		{"one more", "PATCH", budget + "/b/status", merge, `{"status":{"disruptionsAllowed":1}}`, 200, ""},
		{"a dry run", "POST", evict + "?dryRun=All", "", `{"metadata":{"name":"a"}}`, 201, `"status":"Success"`},
		{"nothing was counted", "GET", budget + "/b", "", "", 200, `"disruptionsAllowed":1`},
		{"evicted", "POST", evict, "", `{"apiVersion":"policy/v1beta1","kind":"Eviction","metadata":{"name":"a"}}`, 201, `"status":"Success"`},
		{"counted", "GET", budget + "/b", "", "", 200, `"disruptionsAllowed":0`},
		{"told", "GET", inDemo + "pods/a", "", "", 200, `"reason":"EvictionByEvictionAPI"`},
		{"going", "GET", inDemo + "pods/a", "", "", 200, "deletionTimestamp"},
		{"released", "PATCH", inDemo + "pods/a", merge, `{"metadata":{"finalizers":null}}`, 200, ""},
		{"gone", "POST", evict, "", `{"metadata":{"name":"a"}}`, 404, `pods \"a\" not found`},
		{"again", "POST", inDemo + "pods", "", pod, 201, ""},
		{"a second budget", "POST", budget, "", `{"metadata":{"name":"c"},"spec":{"selector":{"matchLabels":{"app":"a"}}}}`, 201, ""},
		{"it runs again", "PATCH", inDemo + "pods/a/status", merge, running, 200, ""},
		{"two budgets", "POST", evict, "", `{"metadata":{"name":"a"}}`, 500, "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."},
	})
}

// What leads to nodes is refused as in a cluster where nobody listens.
func TestVirtual_proxy(t *testing.T) {
	url := mustDemo(t)
	play(t, url, []call{
		{"node", "GET", "/api/v1/nodes/n/proxy/stats", "", "", 500, "no preferred addresses found"},
		{"no node", "GET", "/api/v1/nodes/m/proxy", "", "", 404, `nodes \"m\" not found`},
		{"service", "POST", inDemo + "services", "", `{"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}}`, 201, ""},
		{"no endpoints", "GET", inDemo + "services/s/proxy/", "", "", 503, `no endpoints available for service \"s\"`},
		{"no port", "POST", inDemo + "services/s:81/proxy/x", "", "", 503, `no service port 81 found for service \"s\"`},
		{"pod", "POST", inDemo + "pods", "", pod, 201, ""},
		{"no address", "GET", inDemo + "pods/a/proxy/", "", "", 400, "address not allowed"},
		{"binding", "POST", inDemo + "bindings", "", `{"metadata":{"name":"a"},"target":{"name":"n"}}`, 409, "already assigned to node"},
		{"discovery", "GET", "/api/v1", "", "", 200, `{"name":"services/proxy","singularName":"","namespaced":true,"kind":"ServiceProxyOptions","verbs":["create","delete","get","patch","update"]}`},
	})
}

// A scale is applied by whom its replicas then belong to.
func TestVirtual_applyScale(t *testing.T) {
	url := mustDemo(t)
	const apply = "application/apply-patch+yaml"
	set := "/apis/apps/v1/namespaces/demo/replicasets"
	scale := "{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: r}, spec: {replicas: 7}}"
	play(t, url, []call{
		{"set", "POST", set + "?fieldManager=me", "", `{"metadata":{"name":"r"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"x"}]}}}}`, 201, ""},
		{"conflict", "PATCH", set + "/r/scale?fieldManager=hpa", apply, scale, 409, `conflict with \"me\" using autoscaling/v1: .spec.replicas`},
		{"force", "PATCH", set + "/r/scale?fieldManager=hpa&force=true", apply, scale, 200, `"spec":{"replicas":7}`},
		{"owned", "GET", set + "/r", "", "", 200, `"fieldsV1":{"f:spec":{"f:replicas":{}}},"subresource":"scale"`},
		{"missing", "PATCH", set + "/q/scale?fieldManager=hpa", apply, scale, 404, `replicasets.apps \"q\" not found`},
	})
}

// The subresources of a pod let one part of it through, and that part alone gets an owner.
func TestVirtual_podDoors(t *testing.T) {
	url := mustDemo(t)
	const strategic = "application/strategic-merge-patch+json"
	debug := `{"metadata":{"labels":{"x":"y"}},"spec":{"ephemeralContainers":[{"name":"e","image":"x"}]}}`
	play(t, url, []call{
		{"pod", "POST", inDemo + "pods?fieldManager=me", "", pod, 201, ""},
		{"debug", "PATCH", inDemo + "pods/a/ephemeralcontainers?fieldManager=you", strategic, debug, 200, `"labels":{"app":"a"}`},
		{"owned", "GET", inDemo + "pods/a", "", "", 200, `"fieldsV1":{"f:metadata":{"f:labels":{"f:x":{}}},"f:spec":{"f:ephemeralContainers":{`},
		{"not twice", "PATCH", inDemo + "pods/a/ephemeralcontainers", strategic, `{"spec":{"ephemeralContainers":[{"name":"e","image":"z"}]}}`, 422, `existing ephemeral containers \"e\" may not be changed`},
		{"resize", "PATCH", inDemo + "pods/a/resize", strategic, `{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}`, 422, "Pod QOS Class may not change as a result of resizing"},
		{"read", "GET", inDemo + "pods/a/resize", "", "", 200, `"name":"e"`},
		{"nobody", "PATCH", inDemo + "pods/b/resize", strategic, `{}`, 404, `pods \"b\" not found`},
		{"not made", "POST", inDemo + "pods/a/resize", "", `{}`, 405, "does not allow this method"},
	})
}
