package story_test

import (
	"strings"
	"testing"

	"kubarium/server/flow"
	"kubarium/tui/story"
)

func sent(method, contentType, body string) func(*flow.Flow) {
	return func(f *flow.Flow) {
		f.Method = method
		if contentType != "" {
			f.RequestHeader.Set("Content-Type", contentType)
		}
		f.RequestBody = flow.Keep([]byte(body))
	}
}

func secret(f *flow.Flow) {
	f.Target = flow.Target{Verb: f.Target.Verb, Version: "v1", Resource: "secrets", Namespace: "shop", Name: f.Target.Name}
	f.Path = "/api/v1/namespaces/shop/secrets"
}

func TestKubectl(t *testing.T) {
	for name, c := range map[string]struct {
		flow *flow.Flow
		want string
	}{
		"get":             {req("A", "get", "web", 200), `kubectl get deployments web -n default -o yaml`},
		"list":            {req("A", "list", "", 200, query("labelSelector=a%3Db%2Cc&limit=500")), `kubectl get deployments -n default -l a=b,c --chunk-size=500`},
		"list everywhere": {req("A", "list", "", 200, func(f *flow.Flow) { f.Target.Namespace = "" }), `kubectl get deployments -A`},
		"list nodes":      {req("A", "list", "", 200, target(flow.Target{Verb: "list", Resource: "nodes"})), `kubectl get nodes`},
		"custom resource": {req("A", "get", "x", 200, target(flow.Target{Verb: "get", Group: "example.com", Resource: "crontabs", Namespace: "shop", Name: "x"})), `kubectl get crontabs.example.com x -n shop -o yaml`},
		"watch":           {req("A", "watch", "", 200, query("watch=1&fieldSelector=metadata.name%3Dweb")), `kubectl get deployments -n default --field-selector=metadata.name=web -w`},
		"create": {req("A", "create", "", 201, sent("POST", "application/json", `{"a":"it's"}`), query("dryRun=All")),
			"kubectl create -f - -n default --dry-run=server <<'EOF'\n{\"a\":\"it's\"}\nEOF"},
		"a body with the end mark in it": {req("A", "update", "web", 200, sent("PUT", "application/yaml", "a: |\nEOF\n")),
			"kubectl replace -f - -n default <<'EOF_'\na: |\nEOF\nEOF_"},
		"replace status": {req("A", "update", "web", 200, sent("PUT", "", `{}`), func(f *flow.Flow) { f.Target.Subresource = "status" }),
			"kubectl replace -f - -n default --subresource=status <<'EOF'\n{}\nEOF"},
		"patch": {req("A", "patch", "web", 200, sent("PATCH", "application/json-patch+json", `[{"op":"remove","path":"/x"}]`)),
			`kubectl patch deployments web -n default --type=json -p '[{"op":"remove","path":"/x"}]'`},
		"apply": {req("A", "apply", "web", 200, sent("PATCH", "application/apply-patch+yaml", `{}`), query("fieldManager=me&force=true")),
			"kubectl apply --server-side -f - -n default --field-manager=me --force-conflicts <<'EOF'\n{}\nEOF"},
		"delete":      {req("A", "delete", "web", 200, query("propagationPolicy=Foreground&gracePeriodSeconds=0")), `kubectl delete deployments web -n default --grace-period=0 --cascade=foreground`},
		"delete all":  {req("A", "deletecollection", "", 200), `kubectl delete deployments -n default --all`},
		"delete some": {req("A", "deletecollection", "", 200, query("labelSelector=app in (a,b)")), `kubectl delete deployments -n default -l 'app in (a,b)'`},
		"no resource": {req("A", "get", "", 200, target(flow.Target{Verb: "get"}), query("a=1&b=2")), `kubectl get --raw '/apis/apps/v1/namespaces/default/deployments?a=1&b=2'`},
		"eviction": {req("A", "create", "x", 201, sent("POST", "", `{}`), func(f *flow.Flow) { f.Target.Subresource = "eviction" }),
			"kubectl create --raw /apis/apps/v1/namespaces/default/deployments -f - <<'EOF'\n{}\nEOF"},
		"protobuf": {req("A", "create", "", 201, sent("POST", "application/vnd.kubernetes.protobuf", "k8s\x00\x01")),
			"base64 -d <<'EOF' | kubectl create -f - -n default\nazhzAAE=\nEOF"},
		"secret": {req("A", "create", "", 201, secret, sent("POST", "", `{"kind":"Secret","data":{"k":"c2VzYW1l"},"stringData":{"l":"sesame"}}`)),
			"kubectl create -f - -n shop <<'EOF'\n{\"data\":{\"k\":\"REDACTED\"},\"kind\":\"Secret\",\"stringData\":{\"l\":\"REDACTED\"}}\nEOF"},
		"secret patch": {req("A", "patch", "s", 200, secret, sent("PATCH", "application/json-patch+json", `[{"op":"add","path":"/data/k","value":"c2VzYW1l"}]`)),
			`kubectl patch secrets s -n shop --type=json -p '[{"op":"add","path":"/data/k","value":"REDACTED"}]'`},
		"secret in yaml": {req("A", "create", "", 201, secret, sent("POST", "application/yaml", "stringData: {k: sesame}")),
			"# the body may hold secrets and cannot be masked: put it on standard input yourself\nkubectl create -f - -n shop"},
		"cut body": {req("A", "create", "", 201, sent("POST", "", strings.Repeat("a", flow.MaxBody+1))),
			"# of the body's 262145 bytes only the first were kept: put it on standard input yourself\nkubectl create -f - -n default"},
	} {
		if got := story.Kubectl(c.flow); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestCurl(t *testing.T) {
	with := func(name, value string) func(*flow.Flow) {
		return func(f *flow.Flow) { f.RequestHeader.Set(name, value) }
	}
	for name, c := range map[string]struct {
		flow *flow.Flow
		want string
	}{
		"get": {req("A", "get", "", 200, query("limit=5&watch=0"), with("Accept", "application/json"), with("User-Agent", "x"), with("Authorization", "Bearer sesame")),
			`curl 'http://h:1/apis/apps/v1/namespaces/default/deployments?limit=5&watch=0' -H 'Accept: application/json' -H 'Authorization: REDACTED'`},
		"token of a WebSocket": {req("A", "get", "", 200, with("Sec-Websocket-Protocol", "base64url.bearer.authorization.k8s.io.c2VzYW1l, x")),
			`curl http://h:1/apis/apps/v1/namespaces/default/deployments -H 'Sec-Websocket-Protocol: base64url.bearer.authorization.k8s.io.REDACTED, x'`},
		"watch": {req("A", "watch", "", 200), `curl -N http://h:1/apis/apps/v1/namespaces/default/deployments`},
		"put": {req("A", "update", "", 200, sent("PUT", "application/json", `{"a":1}`)),
			"curl -X PUT http://h:1/apis/apps/v1/namespaces/default/deployments -H 'Content-Type: application/json' --data-binary @- <<'EOF'\n{\"a\":1}\nEOF"},
		"delete": {req("A", "delete", "", 200, sent("DELETE", "", "")), `curl -X DELETE http://h:1/apis/apps/v1/namespaces/default/deployments`},
	} {
		if got := story.Curl(c.flow, "http://h:1/"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// What is secret is written only when asked for.
func TestCurl_Unmasked(t *testing.T) {
	f := req("A", "create", "", 201, secret, sent("POST", "application/json", `{"data":{"k":"c2VzYW1l"}}`))
	f.RequestHeader.Set("Authorization", "Bearer open")
	if s := story.Curl(f, "http://h"); strings.Contains(s, "c2VzYW1l") || strings.Contains(s, "open") {
		t.Errorf("a secret is shown: %s", s)
	}
	if s := story.Curl(f, "http://h", story.Unmasked); !strings.Contains(s, "c2VzYW1l") || !strings.Contains(s, "Bearer open") {
		t.Errorf("something is masked: %s", s)
	}
	if s := story.Kubectl(f, story.Unmasked); !strings.Contains(s, "c2VzYW1l") {
		t.Errorf("something is masked: %s", s)
	}
}
