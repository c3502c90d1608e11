package scenarios_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/scenarios"
	"kubarium/server/controllers"
)

// guardedHead is a lesson with a webhook of its own, which denies a name, changes another and hangs up on a third.
const guardedHead = `title: T
about: A.
actors: {A: writes, Alice: {role: reads, user: "alice-{id}", groups: [keepers]}}
servers:
  guard:
    reviews:
    - when: {object.metadata.name: "bad-{id}"}
      deny: {code: 409, message: "not in {ns}, says {guard.url}"}
    - when: {object.metadata.name: deaf}
      drop: true
    - path: /check
      patch: [{op: add, path: /metadata/labels, value: {by: "{id}"}}]
      warnings: [beware]
    routes:
    - {path: "/hello/{id}", headers: {X-Of: "{guard.host}"}, text: "it is {ns}"}
steps:
- title: one
  tell: At {guard.url}.
  as: A
  request:
    method: POST
    path: /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations
    body:
      apiVersion: admissionregistration.k8s.io/v1
      kind: MutatingWebhookConfiguration
      metadata: {name: "guard-{id}.example.com"}
      webhooks:
      - name: a.guard.example.com
        clientConfig: {url: "{guard.url}/check", caBundle: "{guard.ca}"}
        admissionReviewVersions: [v1]
        sideEffects: None
        timeoutSeconds: 2
        rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
        namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: "{ns}"}}
  expect: {status: 201}
- title: two
  tell: It denies.
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps?dryRun=All", body: {metadata: {name: "bad-{id}"}}}
  until: {status: 409, body: {message: {contains: "not in {ns}, says {guard.url}"}}}
  asked: {server: guard, method: POST, path: /check, query: {contains: timeout=2s}, body: {request.name: "bad-{id}", request.dryRun: true}}
- title: three
  tell: It changes.
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {metadata: {name: good}}}
  expect: {status: 201, headers: {Warning: {contains: beware}}, body: {metadata.labels.by: "{id}"}}
  asked: {server: guard, headers: {Content-Type: application/json}, body: {request.name: good, request.userInfo.username: "system:admin"}}
`

const guardedRest = `- title: four
  tell: No call.
  as: A
  request: {method: PATCH, path: "/api/v1/namespaces/{ns}/configmaps/good", patch: merge, body: {data: {a: b}}}
  expect: {status: 200}
  asked: {server: guard, none: true, body: {request.name: good}}
- title: five
  tell: It hangs up.
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {metadata: {name: deaf}}}
  expect: {status: 500, body: {message: {contains: EOF}}}
  asked: {server: guard, body: {request.name: deaf}}
- title: six
  tell: It is away.
  stop: guard
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {metadata: {name: late}}}
  expect: {status: 500, body: {message: {contains: failed calling webhook}}}
  asked: {server: guard, none: true, body: {request.name: late}}
- title: seven
  tell: It is back.
  start: guard
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {metadata: {name: late}}}
  expect: {status: 201}
- title: eight
  tell: It was asked about it.
  asked: {server: guard, body: {request.name: late}}
- title: nine
  tell: Alice is somebody else.
  as: Alice
  request: {method: POST, path: /apis/authentication.k8s.io/v1/selfsubjectreviews, body: {apiVersion: authentication.k8s.io/v1, kind: SelfSubjectReview}}
  until: {status: 201, body: {status.userInfo.username: "alice-{id}", status.userInfo.groups: {contains: keepers}}}
`

// A lesson's servers answer as it says, with a certificate that their caBundle verifies; what is not so is told.
func TestPlayer_Servers(t *testing.T) {
	s := mustStart(t, controllers.All())
	good := guardedHead + guardedRest
	for name, c := range map[string]struct{ old, new, want string }{
		"as it says":     {"", "", ""},
		"another field":  {"request.name: deaf", "request.name: dead", "step 5 (five): guard was asked: request.name: expected dead, got deaf"},
		"another header": {"Content-Type: application/json", "Content-Type: text/plain", "step 3 (three): guard was asked: header Content-Type: expected text/plain, got application/json"},
		"another query":  {"timeout=2s", "timeout=3s", "step 2 (two): guard was asked: query: expected something with timeout=3s, got timeout=2s"},
		"another path":   {"asked: {server: guard, body: {request.name: deaf}}", "asked: {server: guard, method: GET, path: /x}", "step 5 (five): guard was asked: expected a request GET /x, got nothing of that sort"},
		"a client":       {"asked: {server: guard, body: {request.name: deaf}}", "asked: {server: guard, client: x, body: {request.name: deaf}}", "step 5 (five): guard was asked: client: expected x, got none"},
		"asked, alas":    {"expect: {status: 201}\n- title: eight", "expect: {status: 201}\n  asked: {server: guard, none: true, body: {request.name: late}}\n- title: eight", "step 7 (seven): guard was asked: expected nothing of that sort, got POST /check?timeout=2s"},
		"not away":       {"  stop: guard\n", "", "step 6 (six): status: expected 500, got 201 Created"},
		"still away":     {"  start: guard\n", "", "step 7 (seven): status: expected 201, got 500"},
		"no certificate": {`caBundle: "{guard.ca}"`, `caBundle: "` + otherCA + `"`, "step 2 (two): status: expected 409, got 500"},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatalf("%s: the good lesson has no %q", name, c.old)
		}
		l := mustRead(t, "guarded.yaml", strings.Replace(good, c.old, c.new, 1))
		err := scenarios.NewPlayer(l, s.URL, scenarios.Options{Patience: 3 * time.Second}).Run(t.Context())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	untilAsNew(t, s.URL)
}

// otherCA is a caBundle of nobody: one that parses, and verifies nothing here.
const otherCA = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJkRENDQVJxZ0F3SUJBZ0lVVGVzdAotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg=="

// However a lesson ends, nobody listens for it any more, once what would ask is gone; as long as a reader looks at what it made,
// somebody does.
func TestPlayer_ServersEnd(t *testing.T) {
	s := mustStart(t, controllers.List{})
	const fails = "- title: four\n  tell: A false claim.\n  as: A\n  request: {method: GET, path: /version}\n  expect: {status: 404}\n"
	for name, c := range map[string]struct {
		rest   string
		leave  bool
		stop   func(p *scenarios.Player) error // after three steps; nil plays on
		listen bool                            // whether the server is there until Reset
	}{
		"the end":               {guardedRest, false, nil, false},
		"the end, and all left": {guardedRest, true, nil, true},
		"a failure":             {fails, false, nil, false},
		"a failure, left":       {fails, true, nil, true},
		"a reset":               {guardedRest, true, func(p *scenarios.Player) error { return p.Reset(context.Background()) }, false},
		"a reader who goes":     {guardedRest, true, func(p *scenarios.Player) error { return p.Quit(context.Background()) }, false},
	} {
		p := scenarios.NewPlayer(mustRead(t, "guarded.yaml", guardedHead+c.rest), s.URL, scenarios.Options{Leave: c.leave})
		for range 3 {
			if _, err := p.Step(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		h := p.State().Result.Heard
		if h == nil || h.Server != "guard" || h.Path != "/check?timeout=2s" || len(h.Facts) != 3 || !strings.HasPrefix(h.Answer, "allowed, with the patch") {
			t.Errorf("%s: heard %+v", name, h)
		}
		address, _, _ := strings.Cut(strings.TrimPrefix(p.Told()[0].Tell, "At https://"), "/")
		address = strings.TrimSuffix(address, ".")
		if !listens(address) {
			t.Fatalf("%s: nobody listens at %s", name, address)
		}
		if c.stop != nil {
			if err := c.stop(p); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if err := p.Run(t.Context()); (err != nil) != (c.rest == fails) {
			t.Errorf("%s: %v", name, err)
		}
		if listens(address) != c.listen {
			t.Errorf("%s: somebody listens: %t", name, !c.listen)
		}
		if err := p.Reset(t.Context()); err != nil || listens(address) {
			t.Errorf("%s: after the reset: %v", name, err)
		}
		var hooks struct{ Items []any }
		if mustGet(t, s.URL+"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", &hooks); len(hooks.Items) > 0 {
			t.Errorf("%s: the webhook is still there", name)
		}
	}
}

func listens(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// A lesson about roles is not played where everybody may do everything, and one with servers not where they cannot be reached: the
// check skips it, and a reader is told.
func TestPlayer_Unfit(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: 5 * time.Minute, Sync: "normal"}
	s, err := program.Start(t.Context(), c, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	roles, err := scenarios.Find("may-i")
	if err != nil {
		t.Fatal(err)
	}
	servers := mustRead(t, "guarded.yaml", guardedHead)
	const everybody = "everybody may do everything there: it needs a server with --authorization-mode RBAC"
	const elsewhere = "the server does not run on this machine, so it cannot reach those that the lesson brings with it"
	for _, c := range []struct {
		lesson    *scenarios.Lesson
		url, want string
	}{{roles, s.URL, everybody}, {servers, "https://192.0.2.1:6443", elsewhere}, {servers, "https://cluster.example.com", elsewhere}} {
		r := scenarios.Verify(t.Context(), []*scenarios.Lesson{c.lesson}, c.url, scenarios.Options{})
		if r.Skipped != 1 || r.Outcomes[0].Skipped != c.want {
			t.Errorf("%s at %s: %+v", c.lesson.Name, c.url, r.Outcomes[0])
		}
		p := scenarios.NewPlayer(c.lesson, c.url, scenarios.Options{Ask: true, Leave: true})
		_, err := p.Step(t.Context())
		if p.State().Phase == scenarios.Waiting { // with a question
			_, err = p.Step(t.Context())
		}
		if err == nil || p.State().Problem != c.lesson.Name+" cannot be played: "+c.want {
			t.Errorf("%s at %s: %v", c.lesson.Name, c.url, err)
		}
	}
}

// An actor with a token acts as its owner, and by the client that has no credentials of its own, if there is one.
func TestPlayer_Token(t *testing.T) {
	s := mustStart(t, controllers.List{})
	l, err := scenarios.Find("who-am-i")
	if err != nil {
		t.Fatal(err)
	}
	var sent []string
	bare := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, strings.TrimPrefix(r.UserAgent(), "kubarium-lesson/"))
		return http.DefaultTransport.RoundTrip(r)
	})}
	if err := scenarios.NewPlayer(l, s.URL, scenarios.Options{Bare: bare}).Run(t.Context()); err != nil || !slices.Equal(sent, []string{"Feeder", "Stray"}) {
		t.Errorf("%v, sent by %q", err, sent)
	}
}

type transport func(r *http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Each change of a good lesson with servers makes it a bad one, and the message says why.
func TestRead_ServerErrors(t *testing.T) {
	good := guardedHead + guardedRest
	mustRead(t, "x.yaml", good)
	const guard, one, two = `x.yaml: server "guard": `, "x.yaml:17: step 1 (one): ", "x.yaml:36: step 2 (two): "
	for _, c := range []struct{ old, new, want string }{
		{"  guard:\n", "  Guard:\n", `x.yaml: server "Guard": a name begins with a small letter, and has only letters and digits`},
		{"    routes:\n", "  empty: {}\n  more:\n    routes:\n", `x.yaml: server "empty" has neither reviews nor routes`},
		{"    reviews:\n", "    review:\n", `x.yaml:6: unknown field "review", did you mean reviews?`},
		{"code: 409", "code: 200", guard + "review 1: deny has a message, and its code is a status between 400 and 599"},
		{`message: "not in {ns}, says {guard.url}"`, `message: ""`, guard + "review 1: deny has a message, and its code is a status between 400 and 599"},
		{"says {guard.url}", "says {pump.url}", guard + "review 1: nothing before it keeps a value for {pump.url}"},
		{"says {guard.url}", "says {v}", guard + "review 1: nothing before it keeps a value for {v}"},
		{"drop: true", "drop: true\n      warnings: [x]", guard + "review 2: drop stands alone, since there is no answer then"},
		{"drop: true", "seconds: 31", guard + "review 2: seconds is a number from 0 to 30"},
		{"path: /check\n", "path: /check\n      deny: {message: x}\n", guard + "review 3: what is denied is not patched"},
		{"path: /check\n", "path: check\n", guard + `review 3: path "check" does not begin with / or is not escaped`},
		{`by: "{id}"}}]`, "by: .nan}}]", guard + "review 3: the patch cannot be JSON: json: unsupported value: NaN"},
		{"when: {object.metadata.name: deaf}", "when: {'object[': deaf}", guard + `review 2: path "object[": a bracket is not closed`},
		{`{path: "/hello/{id}"`, `{method: SEND, path: "/hello/{id}"`, guard + `route 1: method "SEND" is none of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS`},
		{`"/hello/{id}"`, `"/hello?x=1"`, guard + `route 1: path "/hello?x=1" has a query; a route is for all of them`},
		{`text: "it is {ns}"`, `text: x, body: {}`, guard + "route 1: an answer has body or text, not both"},
		{`text: "it is {ns}"`, `status: 99`, guard + "route 1: status is between 200 and 599"},
		{`X-Of: "{guard.host}"`, `X-Of: "a\nb"`, guard + `route 1: header "X-Of" has a line break`},
		{`kubernetes.io/metadata.name: "{ns}"`, `a: b`, one + `a MutatingWebhookConfiguration must mean the lesson alone: its namespaceSelector has matchLabels {kubernetes.io/metadata.name: "{ns}"}`},
		{"At {guard.url}", "At {guard.uri}", ""},
		{"At {guard.url}", "At {pond.port}", one + "nothing before it keeps a value for {pond.port}"},
		{"asked: {server: guard, method: POST", "asked: {server: pump, method: POST", two + `asked: there is no server "pump"`},
		{"asked: {server: guard, method: POST", "asked: {server: guard, method: PORT", two + `asked: method "PORT" is none of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS, did you mean POST?`},
		{`request.name: "bad-{id}"`, `request.name: "bad-{v}"`, two + "nothing before it keeps a value for {v}"},
		{"query: {contains: timeout=2s}", "query: {}", "x.yaml:41: a condition is a value, or one of is, not, exists, contains, newer, matches, count, less, more"},
		{"  stop: guard\n", "  stop: pump\n", `x.yaml:60: step 6 (six): stop and start: there is no server "pump"`},
		{"role: reads", "rule: reads", `x.yaml:3: unknown field "rule" of an actor, did you mean role?`},
		{"role: reads", "role: reads, token: x", `x.yaml: actor "Alice": a user or a token says who it is, not both`},
		{`user: "alice-{id}", `, "", `x.yaml: actor "Alice": groups are those of a user, and there is none`},
		{"groups: [keepers]", `groups: ["a\nb"]`, `x.yaml: actor "Alice": a user, a group or a token has a line break`},
		{"groups: [keepers]", `groups: ["{v}"]`, "x.yaml:76: step 9 (nine): nothing before it keeps a value for {v}"},
		{"alice-{id}\", groups", "alice-{id}\", group", `x.yaml:3: unknown field "group" of an actor, did you mean groups?`},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatalf("the good lesson has no %q", c.old)
		}
		_, err := scenarios.Read("x.yaml", []byte(strings.Replace(good, c.old, c.new, 1)))
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%.40q → %.40q:\n got %v\nwant %s", c.old, c.new, err, c.want)
		}
	}
}

// The page tells what a server of the lesson was asked, and what became of it.
func TestTell_Servers(t *testing.T) {
	s := mustStart(t, controllers.List{})
	var page strings.Builder
	if err := scenarios.Tell(t.Context(), &page, mustRead(t, "guarded.yaml", guardedHead+guardedRest), s.URL, scenarios.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"    ⇢  guard was asked: POST /check?timeout=2s\n       query: timeout=2s\n       request.dryRun: true\n",
		"    ⇠  denied: not in lesson-guarded-", "    ⇠  allowed, with the patch", "    ⇠  no answer\n",
		"    ⇢  guard was not asked in such a way\n", "    ⊘  the server guard is stopped\n", "    ⊙  the server guard is started again\n",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q:\n%s", want, page.String())
		}
	}
}

// Where a server of the lesson cannot be had again, the step says so.
func TestPlayer_PortTaken(t *testing.T) {
	s := mustStart(t, controllers.List{})
	p := scenarios.NewPlayer(mustRead(t, "guarded.yaml", guardedHead+guardedRest), s.URL, scenarios.Options{})
	for range 6 {
		if _, err := p.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	address := strings.TrimSuffix(strings.TrimPrefix(p.Told()[0].Tell, "At https://"), ".")
	taken, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, err = p.Step(t.Context())
	if op := new(net.OpError); !errors.As(err, &op) || !strings.Contains(err.Error(), "step 7 (seven): start server guard again: ") {
		t.Error(err)
	}
}
