package story_test

import (
	"net/http"
	"strings"
	"testing"

	"kubarium/flow"
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
	f.Target = flow.Target{Verb: f.Target.Verb, Version: "v1", Resource: "secrets", Namespace: "shop",
		Name: f.Target.Name}
	f.Path = "/api/v1/namespaces/shop/secrets"
}

const credential = "# <REDACTED> stands for a credential: fill it in before you run this, or copy with :unmask\n"
const masked = "# <REDACTED> stands for a secret: fill it in before you run this, or copy with :unmask\n"

func TestKubectl(t *testing.T) {
	for name, c := range map[string]struct {
		flow *flow.Flow
		want string
	}{
		"get": {req("A", "get", "web", 200), `kubectl get deployments web -n default -o yaml`},
		"list": {req("A", "list", "", 200, query("labelSelector=a%3Db%2Cc&limit=500")),
			`kubectl get deployments -n default -l a=b,c --chunk-size=500`},
		"list everywhere": {req("A", "list", "", 200, func(f *flow.Flow) { f.Target.Namespace = "" }),
			`kubectl get deployments -A`},
		"list nodes": {req("A", "list", "", 200, target(flow.Target{Verb: "list", Resource: "nodes"})),
			`kubectl get nodes`},
		"custom resource": {req("A", "get", "x", 200,
			target(flow.Target{Verb: "get", Group: "example.com", Resource: "crontabs", Namespace: "shop", Name: "x"})),
			`kubectl get crontabs.example.com x -n shop -o yaml`},
		"watch": {req("A", "watch", "", 200, query("watch=1&fieldSelector=metadata.name%3Dweb")),
			`kubectl get deployments -n default --field-selector=metadata.name=web -w`},
		"create": {req("A", "create", "", 201,
			sent("POST", "application/json", `{"apiVersion":"apps/v1","kind":"Deployment","a":"it's"}`),
			query("dryRun=All")),
			"kubectl create -f - -n default --dry-run=server " +
				"<<'EOF'\n{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"a\":\"it's\"}\nEOF"},
		"create without a kind": {req("A", "create", "", 201, sent("POST", "application/json", `{"a":"<b>"}`),
			answer(`{"kind":"Deployment"}`)),
			"kubectl create -f - -n default " +
				"<<'EOF'\n{\"a\":\"<b>\",\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"}\nEOF"},
		"create of an unknown kind": {req("A", "create", "", 422, sent("POST", "application/yaml", `a: b`),
			answer(`{"kind":"Status","apiVersion":"v1"}`)),
			"kubectl create --raw /apis/apps/v1/namespaces/default/deployments -f - <<'EOF'\n{\"a\":\"b\"}\nEOF"},
		"unknown fields": {req("A", "create", "", 201, sent("POST", "", "{apiVersion: apps/v1, kind: Deployment}"),
			func(f *flow.Flow) { f.ResponseHeader.Set("Warning", `299 - "unknown field \"a\""`) }),
			"kubectl create -f - -n default --validate=warn <<'EOF'\n{apiVersion: apps/v1, kind: Deployment}\nEOF"},
		"a body with the end mark in it": {req("A", "update", "web", 200,
			sent("PUT", "application/yaml", "kind: D\napiVersion: v1\na: |\n  \nb: |-\n  EOF\n")),
			"kubectl replace -f - -n default <<'EOF'\nkind: D\napiVersion: v1\na: |\n  \nb: |-\n  EOF\nEOF"},
		"a text with the end mark in it": {req("A", "create", "", 200, target(flow.Target{Verb: "post"}),
			sent("POST", "text/plain", "EOF\nEOF_\nx")),
			"# kubectl cannot send this, so it is a command of curl\ncurl -X POST " +
				"http://127.0.0.1:8080/apis/apps/v1/namespaces/default/deployments -H 'Content-Type: text/plain' " +
				"--data-binary @- <<'EOF__'\nEOF\nEOF_\nx\nEOF__"},
		"replace status": {req("A", "update", "web", 200, sent("PUT", "", `{"kind":"D","apiVersion":"v1"}`),
			func(f *flow.Flow) { f.Target.Subresource = "status" }),
			"kubectl replace -f - -n default --subresource=status " +
				"<<'EOF'\n{\"kind\":\"D\",\"apiVersion\":\"v1\"}\nEOF"},
		"create by replacing": {req("A", "update", "web", 201, sent("PUT", "", `{"kind":"D","apiVersion":"v1"}`)),
			"kubectl replace --raw /apis/apps/v1/namespaces/default/deployments -f - " +
				"<<'EOF'\n{\"kind\":\"D\",\"apiVersion\":\"v1\"}\nEOF"},
		"scale": {req("A", "update", "web", 200,
			sent("PUT", "", `{"metadata":{"resourceVersion":"7"},"spec":{"replicas":0}}`),
			func(f *flow.Flow) { f.Target.Subresource = "scale" }),
			"kubectl scale deployments web -n default --replicas=0 --resource-version=7"},
		"list at a version": {req("A", "list", "", 200, query("resourceVersion=7&resourceVersionMatch=Exact")),
			"kubectl get --raw '/apis/apps/v1/namespaces/default/deployments?resourceVersion=7&resourceVersionMatch=Exact'"},
		"next page": {req("A", "list", "", 200, query("limit=1&continue=abc")),
			"kubectl get --raw '/apis/apps/v1/namespaces/default/deployments?limit=1&continue=abc'"},
		"any version": {req("A", "get", "web", 200, query("resourceVersion=0")),
			"kubectl get deployments web -n default -o yaml"},
		"a strange path": {req("A", "get", "", 404, target(flow.Target{Verb: "get"}),
			func(f *flow.Flow) { f.Path = "/a b%/'c" }),
			`kubectl get --raw /a%20b%25/%27c`},
		"impersonation": {req("A", "get", "web", 200, func(f *flow.Flow) {
			f.RequestHeader = http.Header{"Impersonate-User": {"jane doe"}, "Impersonate-Group": {"a", "b"},
				"Impersonate-Uid": {"7"}, "Impersonate-Extra-Scopes": {"view"}}
		}), `kubectl --as='jane doe' --as-group=a --as-group=b --as-uid=7 --as-user-extra=scopes=view get deployments web -n default -o yaml`},
		"pods of metrics": {req("A", "list", "", 200,
			target(flow.Target{Verb: "list", Group: "metrics.k8s.io", Resource: "pods"})),
			"kubectl get pods.metrics.k8s.io -A"},
		"patch": {req("A", "patch", "web", 200,
			sent("PATCH", "application/json-patch+json", `[{"op":"remove","path":"/x"}]`)),
			`kubectl patch deployments web -n default --type=json -p '[{"op":"remove","path":"/x"}]'`},
		"apply": {req("A", "apply", "web", 200,
			sent("PATCH", "application/apply-patch+yaml", "kind: D\napiVersion: v1"),
			query("fieldManager=me&force=true")),
			"kubectl apply --server-side -f - -n default --field-manager=me --force-conflicts <<'EOF'\nkind: " +
				"D\napiVersion: v1\nEOF"},
		"delete": {req("A", "delete", "web", 200, query("propagationPolicy=Foreground&gracePeriodSeconds=0")),
			`kubectl delete deployments web -n default --cascade=foreground --grace-period=0 --force`},
		"delete all": {req("A", "deletecollection", "", 200), `kubectl delete deployments -n default --all`},
		"delete some": {req("A", "deletecollection", "", 200, query("labelSelector=app in (a,b)")),
			`kubectl delete deployments -n default -l 'app in (a,b)'`},
		"no resource": {req("A", "get", "", 200, target(flow.Target{Verb: "get"}), query("a=1&b=2")),
			`kubectl get --raw '/apis/apps/v1/namespaces/default/deployments?a=1&b=2'`},
		"eviction": {req("A", "create", "x", 201, sent("POST", "", `{}`),
			func(f *flow.Flow) { f.Target.Subresource = "eviction" }),
			"kubectl create --raw /apis/apps/v1/namespaces/default/deployments -f - <<'EOF'\n{}\nEOF"},
		"delete with options in its body": {req("A", "delete", "web", 200,
			sent("DELETE", "", `{"kind":"DeleteOptions","apiVersion":"v1","orphanDependents":true,"gracePeriodSeconds":5,"dryRun":["All"]}`), query("propagationPolicy=Foreground")),
			`kubectl delete deployments web -n default --cascade=orphan --grace-period=5 --dry-run=server`},
		"delete that orphans by default": {req("A", "delete", "web", 200, func(f *flow.Flow) {
			f.Effects = []flow.Effect{{Before: []byte(`{"metadata":{}}`),
				After: []byte(`{"metadata":{"finalizers":["orphan"]}}`)}}
		}), `kubectl delete deployments web -n default --cascade=orphan`},
		"delete of one version": {req("A", "delete", "web", 200,
			sent("DELETE", "", `{"preconditions":{"resourceVersion":"7"}}`)),
			"kubectl delete --raw /apis/apps/v1/namespaces/default/deployments -f - " +
				"<<'EOF'\n{\"preconditions\":{\"resourceVersion\":\"7\"}}\nEOF"},
		"binary": {req("A", "create", "", 400, sent("POST", "application/vnd.kubernetes.protobuf", "k8s\x00\x01")),
			"# kubectl cannot send this, so it is a command of curl\n" +
				"base64 -d <<'EOF' | curl -X POST http://127.0.0.1:8080/apis/apps/v1/namespaces/default/deployments " +
				"-H 'Content-Type: application/vnd.kubernetes.protobuf' --data-binary @-\nazhzAAE=\nEOF"},
		"secret": {req("A", "create", "", 201, secret,
			sent("POST", "", `{"apiVersion":"v1","kind":"Secret","data":{"k":"c2VzYW1l"},"stringData":{"l":"sesame"}}`)),
			masked + "kubectl create -f - -n shop " +
				"<<'EOF'\n{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{\"k\":\"<REDACTED>\"},\"stringData\":{\"l\":\"<REDACTED>\"}}\nEOF"},
		"secret patch": {req("A", "patch", "s", 200, secret,
			sent("PATCH", "application/json-patch+json", `[{"op":"add","path":"/data/k","value":"c2VzYW1l"}]`)),
			masked + `kubectl patch secrets s -n shop --type=json -p '[{"op":"add","path":"/data/k","value":"<REDACTED>"}]'`},
		"secret in yaml": {req("A", "create", "", 201, secret,
			sent("POST", "application/yaml", "{kind: Secret, apiVersion: v1, stringData: {k: sesame}}")),
			masked + "kubectl create -f - -n shop " +
				"<<'EOF'\n{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"stringData\":{\"k\":\"<REDACTED>\"}}\nEOF"},
		"unreadable secret": {req("A", "create", "", 400, secret,
			sent("POST", "application/json", `{"data":`)),
			"# the body may hold secrets and cannot be masked: put all of it into the file body.json before you run " +
				"this\nkubectl create -f body.json -n shop"},
		"stored row": {&flow.Flow{Method: "PUT", Path: "/debug/rows", Query: "name=a",
			RequestBody: flow.Keep([]byte(`{"data":"sesame"}`))},
			"# the body may hold secrets and cannot be masked: put all of it into the file body.json before you run " +
				"this\nkubectl replace --raw '/debug/rows?name=a' -f body.json"},
		"token in the query": {&flow.Flow{Method: "GET", Path: "/x", Query: "token=sesame"},
			credential + "kubectl get --raw '/x?token=<REDACTED>'"},
		"cut body": {req("A", "create", "", 422, sent("POST", "", strings.Repeat("a", flow.MaxBody+1))),
			"# only the first of the body's 262145 bytes were kept: put all of it into the file body.json before you " +
				"run this\nkubectl create -f body.json -n default"},
		"cut patch": {req("A", "patch", "web", 422,
			sent("PATCH", "application/merge-patch+json", strings.Repeat("a", flow.MaxBody+1))),
			"# only the first of the body's 262145 bytes were kept: put all of it into the file body.json before you " +
				"run this\nkubectl patch deployments web -n default --type=merge --patch-file=body.json"},
		"cut body of what is stored": {req("A", "create", "", 201,
			sent("POST", "", strings.Repeat("a", flow.MaxBody+1)),
			effect(flow.Created, 7, `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","uid":"u"},"status":{}}`)),
			"# only the first of the body's 262145 bytes were kept: this is the object as it was stored\nkubectl " +
				"create -f - -n default <<'EOF'\n" +
				"{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"web\"}}\nEOF"},
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
		"get": {req("A", "get", "", 200, query("limit=5&watch=0"), with("Accept", "application/json"),
			with("User-Agent", "x"), with("Authorization", "Bearer sesame")),
			"# <REDACTED> stands for a credential: fill it in before you run this, or copy with :unmask\n" +
				`curl 'http://h:1/apis/apps/v1/namespaces/default/deployments?limit=5&watch=0' -H 'Accept: application/json' -H 'Authorization: <REDACTED>'`},
		"token of a WebSocket": {req("A", "get", "", 200,
			with("Sec-Websocket-Protocol", "base64url.bearer.authorization.k8s.io.c2VzYW1l, x")),
			"# <REDACTED> stands for a credential: fill it in before you run this, or copy with :unmask\n" +
				`curl http://h:1/apis/apps/v1/namespaces/default/deployments -H 'Sec-Websocket-Protocol: base64url.bearer.authorization.k8s.io.<REDACTED>, x'`},
		"watch": {req("A", "watch", "", 200), `curl -N http://h:1/apis/apps/v1/namespaces/default/deployments`},
		"put": {req("A", "update", "", 200, sent("PUT", "application/json", `{"a":1}`)),
			"curl -X PUT http://h:1/apis/apps/v1/namespaces/default/deployments -H 'Content-Type: application/json' " +
				"--data-binary @- <<'EOF'\n{\"a\":1}\nEOF"},
		"delete": {req("A", "delete", "", 200, sent("DELETE", "", "")),
			`curl -X DELETE http://h:1/apis/apps/v1/namespaces/default/deployments`},
	} {
		if got := story.Curl(c.flow, "http://h:1/"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// Secrets are written only on request.
func TestCurl_Unmasked(t *testing.T) {
	f := req("A", "create", "", 201, secret, sent("POST", "application/json", `{"data":{"k":"c2VzYW1l"}}`))
	f.RequestHeader.Set("Authorization", "Bearer open")
	if s := story.Curl(f, "http://h"); strings.Contains(s, "c2VzYW1l") || strings.Contains(s, "open") {
		t.Errorf("a secret is shown: %s", s)
	}
	if s := story.Curl(f, "http://h", story.Unmasked); !strings.Contains(s, "c2VzYW1l") ||
		!strings.Contains(s, "Bearer open") {
		t.Errorf("something is masked: %s", s)
	}
	if s := story.Kubectl(f, story.Unmasked); !strings.Contains(s, "c2VzYW1l") {
		t.Errorf("something is masked: %s", s)
	}
}

// A command names a server that is not kubectl's default.
func TestKubectl_At(t *testing.T) {
	for url, want := range map[string]string{
		"": "kubectl get", "http://127.0.0.1:8080": "kubectl get", "http://localhost:8080/": "kubectl get",
		"http://127.0.0.1:8081": "kubectl -s http://127.0.0.1:8081 get",
		"https://[::1]:8443":    "kubectl -s 'https://[::1]:8443' get",
	} {
		if got, _, _ := strings.Cut(story.Kubectl(req("A", "get", "web", 200), story.At(url)),
			" deployments"); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}
