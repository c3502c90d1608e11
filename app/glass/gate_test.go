package glass_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/app/glass"
	"kubarium/app/program/programtest"
	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/flow/rule"
	"kubarium/server/glass/seen"
)

// A gated is a glass with a gate in front of a server.
type gated struct {
	*testing.T
	*glass.Glass
	client *http.Client
	maps   string // URL of the ConfigMaps, through the glass
	theirs string // the same of the server
}

func mustGate(t *testing.T) *gated {
	t.Helper()
	p := programtest.MustStart(t, "normal")
	g, client := mustStart(t, glass.Config{Target: targetOf(p.URL), Writes: true})
	const path = "/api/v1/namespaces/default/configmaps"
	return &gated{t, g, client, g.URL + path, p.URL + path}
}

// rules replaces the rules.
func (g *gated) rules(lines ...string) {
	g.Helper()
	if resp, text := ask(g.T, g.client, "PUT", g.URL+"/debug/gate", strings.Join(lines, "\n")); resp.StatusCode != 200 {
		g.Fatalf("%q: %d %s", lines, resp.StatusCode, text)
	}
}

// held waits for one that is held, and returns it with its text.
func (g *gated) held() (h rule.Held) {
	g.Helper()
	programtest.Eventually(g.T, "one that is held", func() bool { return len(g.Gate().State(g.Context()).Held) == 1 })
	_, text := ask(g.T, g.client, "GET", fmt.Sprint(g.URL, "/debug/held?secrets=true&id=", g.Gate().State(g.Context()).Held[0].ID), "")
	if err := json.Unmarshal(text, &h); err != nil {
		g.Fatal(err)
	}
	return h
}

// decide ends the holding.
func (g *gated) decide(h rule.Held, how, text string) {
	g.Helper()
	if resp, text := ask(g.T, g.client, "POST", fmt.Sprintf("%s/debug/held?id=%d&do=%s", g.URL, h.ID, how), text); resp.StatusCode != 200 {
		g.Fatalf("%s: %d %s", how, resp.StatusCode, text)
	}
}

// An answer is what came of a request; code 0 says that its connection was cut.
type answer struct {
	code   int
	header http.Header
	text   string
}

// ask sends a request, whose connection may be cut.
func (g *gated) ask(method, url, body string, header ...string) answer {
	r, err := http.NewRequestWithContext(g.Context(), method, url, strings.NewReader(body))
	if err != nil {
		g.Error(err)
		return answer{}
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := g.client.Do(r)
	if err != nil {
		return answer{text: err.Error()}
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// later sends one that waits.
func (g *gated) later(method, url, body string, header ...string) <-chan answer {
	out := make(chan answer, 1)
	go func() { out <- g.ask(method, url, body, header...) }()
	return out
}

// stored is a value of a ConfigMap as the server has it; "" for none.
func (g *gated) stored(name string) string {
	_, text := ask(g.T, http.DefaultClient, "GET", g.theirs+"/"+name, "")
	return object.TextIn(object.Parse(text), "data", "k")
}

// last is the newest flow of the glass.
func (g *gated) last() *flow.Flow {
	var flows []*flow.Flow
	programtest.Eventually(g.T, "a flow", func() bool {
		flows, _ = g.Log.Since(0, 0)
		return len(flows) > 0
	})
	return flows[len(flows)-1]
}

const (
	asJSON = "application/json"
	makes  = `{"metadata":{"name":"%s"},"data":{"k":"1"}}`
)

// Requests are held, edited, refused, delayed and cut at the glass, before they are handed on and before they are
// answered; a lost answer is of a write that the server has.
func TestGate_requests(t *testing.T) {
	g := mustGate(t)
	made := g.ask("POST", g.maps, fmt.Sprintf(makes, "a"), "Content-Type", asJSON)
	version := object.Identify([]byte(made.text)).Version
	one := g.maps + "/a"

	g.rules("hold on verb:patch")
	got := g.later("PATCH", one, `{"data":{"k":"2"}}`, "Content-Type", merge)
	h := g.held()
	if h.Station != "negotiate" || h.Edits != "body" || h.Media != merge || h.Text != `{"data":{"k":"2"}}` || h.Stored != version || g.stored("a") != "1" {
		t.Errorf("%+v, and %q is stored", h, g.stored("a"))
	}
	if resp, text := ask(t, g.client, "POST", fmt.Sprintf("%s/debug/held?id=%d&do=go", g.URL, h.ID), "{"); resp.StatusCode != 422 {
		t.Errorf("a text that is no JSON: %d %s", resp.StatusCode, text)
	}
	g.decide(h, "go", `{"data":{"k":"edited"}}`)
	if a := <-got; a.code != 200 || g.stored("a") != "edited" {
		t.Errorf("edited: %+v, and %q is stored", a, g.stored("a"))
	}
	f := g.last()
	if len(f.Faults) != 1 || f.Faults[0].Edited != "body" || f.Faults[0].Waited == 0 || string(f.RequestBody.Kept) != `{"data":{"k":"edited"}}` || len(f.Stations) != 4 || len(f.Effects) != 1 {
		t.Errorf("its flow has %+v, %d stations, %d effects, and the body %s", f.Faults, len(f.Stations), len(f.Effects), f.RequestBody.Kept)
	}

	g.rules("hold on verb:create")
	typed := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"k":"1"}}`
	got = g.later("POST", g.maps, string(mustProtobuf(t, typed)), "Content-Type", protobuf)
	h = g.held()
	if h.Media != asJSON || !strings.Contains(h.Text, `"k":"1"`) {
		t.Errorf("in Protobuf: %+v", h)
	}
	g.decide(h, "go", strings.Replace(h.Text, `"k":"1"`, `"k":"3"`, 1))
	if a := <-got; a.code != 201 || g.stored("c") != "3" {
		t.Errorf("in Protobuf: %+v, and %q is stored", a, g.stored("c"))
	}

	g.rules("hold on verb:update")
	older := strings.Replace(made.text, `"k":"1"`, `"k":"old"`, 1)
	got = g.later("PUT", one, older, "Content-Type", asJSON)
	if h = g.held(); h.Sent != version || h.Stored <= version {
		t.Errorf("an update of rv %d: %+v", version, h)
	}
	g.decide(h, "go", "")
	if a := <-got; a.code != 409 {
		t.Errorf("an update of an older version: %+v", a)
	}

	g.rules("refuse 409 on verb:patch", "refuse 429 retry-after 3s on body:apart")
	if a := g.ask("PATCH", one, `{"data":{"k":"5"}}`, "Content-Type", merge); a.code != 409 || object.TextIn(object.Parse([]byte(a.text)), "reason") != "Conflict" || g.stored("a") != "edited" {
		t.Errorf("refused: %+v, and %q is stored", a, g.stored("a"))
	}
	if a := g.ask("POST", g.maps, fmt.Sprintf(makes, "apart"), "Content-Type", asJSON); a.code != 429 || a.header.Get("Retry-After") != "3" || g.stored("apart") != "" {
		t.Errorf("refused by its body: %+v", a)
	}

	g.rules("delay 200ms on verb:get")
	begun := time.Now()
	if a := g.ask("GET", one, ""); a.code != 200 || time.Since(begun) < 200*time.Millisecond {
		t.Errorf("delayed: %d after %s", a.code, time.Since(begun))
	}

	g.rules("cut on verb:create")
	if a := g.ask("POST", g.maps, fmt.Sprintf(makes, "cut"), "Content-Type", asJSON); a.code != 0 || g.stored("cut") != "" {
		t.Errorf("cut: %+v, and %q is stored", a, g.stored("cut"))
	}

	g.rules("lose once on verb:create", "lose on verb:get")
	if a := g.ask("POST", g.maps, fmt.Sprintf(makes, "lost"), "Content-Type", asJSON); a.code != 0 || g.stored("lost") != "1" {
		t.Errorf("lost: %+v, and %q is stored", a, g.stored("lost"))
	}
	if f := g.last(); f.Status != 0 || len(f.Effects) != 1 || len(f.Faults) != 1 || f.Faults[0].Outcome != "the answer was lost" {
		t.Errorf("lost: %d, %d effects, %+v", f.Status, len(f.Effects), f.Faults)
	}
	g.rules("lose on verb:create")
	review := `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}}`
	if a := g.ask("POST", g.URL+"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review, "Content-Type", asJSON); a.code != 201 {
		t.Errorf("a review, which writes nothing, is not lost: %+v", a)
	}
	a := g.ask("GET", g.maps+"/lost", "")
	if a.code != 200 {
		t.Errorf("a read is not lost: %+v", a)
	}
	g.rules("lose on verb:update")
	g.ask("PUT", g.maps+"/lost", a.text, "Content-Type", asJSON) // changes nothing
	if f := g.last(); f.Target.Verb != "update" || f.SentRevision != object.Identify([]byte(a.text)).Version || len(f.Effects) != 0 {
		t.Errorf("a lost update that changed nothing: sent rv %d, effects %+v", f.SentRevision, f.Effects)
	}

	g.rules("hold before answer on code:409 reason:AlreadyExists")
	got = g.later("POST", g.maps, fmt.Sprintf(makes, "a"), "Content-Type", asJSON)
	h = g.held()
	if h.Station != "encode" || h.Status != 409 || h.Edits != "" {
		t.Errorf("before the answer: %+v", h)
	}
	if a := g.ask("GET", one, ""); a.code != 200 {
		t.Errorf("another answer: %+v", a)
	}
	g.decide(h, "refuse&code=503", "")
	if a := <-got; a.code != 503 {
		t.Errorf("refused before the answer: %+v", a)
	}
	got = g.later("POST", g.maps, fmt.Sprintf(makes, "a"), "Content-Type", asJSON)
	g.decide(g.held(), "go", "")
	if a := <-got; a.code != 409 || !strings.Contains(a.text, "AlreadyExists") {
		t.Errorf("let go before the answer: %+v", a)
	}

	g.rules("hold on verb:get")
	got = g.later("GET", one, "")
	g.held()
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if a := <-got; a.code != 503 {
		t.Errorf("at the end: %+v", a)
	}
}

// Events of watches are held, edited and dropped, in JSON and in Protobuf; a refusal ends the watch with an ERROR.
func TestGate_events(t *testing.T) {
	for _, media := range []string{asJSON, protobuf + ";stream=watch"} {
		g := mustGate(t)
		resp := mustWatch(t, g, media)
		next := lines(resp.Body)
		if media != asJSON {
			next = messages(resp.Body)
		}
		ask(t, http.DefaultClient, "POST", g.theirs, fmt.Sprintf(makes, "before"), "Content-Type", asJSON)
		if kind, o, err := next(); kind != "ADDED" || object.Identify(o).Name != "before" || err != nil {
			t.Fatalf("%s: %s %s %v", media, kind, o, err)
		}
		g.rules("hold before event on name:a,gone", "refuse 410 before event on name:end")
		for _, name := range []string{"a", "gone", "free"} {
			ask(t, http.DefaultClient, "POST", g.theirs, fmt.Sprintf(makes, name), "Content-Type", asJSON)
		}
		h := g.held()
		if h.Frame == nil || h.Frame.Type != "ADDED" || h.Target.Name != "a" || h.Edits != "object" || !strings.Contains(h.Text, `"k":"1"`) || h.Stored != 0 && h.Stored != h.Frame.Revision {
			t.Errorf("%s: %+v", media, h)
		}
		if resp, _ := ask(t, g.client, "POST", fmt.Sprintf("%s/debug/held?id=%d&do=go", g.URL, h.ID), "[]"); resp.StatusCode != 422 {
			t.Errorf("%s: an object that is none: %d", media, resp.StatusCode)
		}
		g.decide(h, "go", strings.Replace(h.Text, `{"k":"1"}`, "{\n\"k\":\"edited\"}", 1))
		kind, o, err := next()
		if kind != "ADDED" || object.Identify(o).Name != "a" || !strings.Contains(string(o), "edited") || err != nil {
			t.Errorf("%s, edited: %s %s %v", media, kind, o, err)
		}
		programtest.Eventually(t, "the version that the server sent", func() bool {
			v, known := g.Seen.At(seen.Key{Resource: "configmaps", Namespace: "default", Name: "a"}, 0)
			return known && object.TextIn(object.Parse(v.JSON()), "data", "k") == "1"
		})
		h = g.held()
		if h.Target.Name != "gone" {
			t.Errorf("%s: %+v", media, h)
		}
		g.decide(h, "drop", "")
		if kind, o, err := next(); kind != "ADDED" || object.Identify(o).Name != "free" || err != nil {
			t.Errorf("%s, after one that was dropped: %s %s %v", media, kind, o, err)
		}
		ask(t, http.DefaultClient, "POST", g.theirs, fmt.Sprintf(makes, "end"), "Content-Type", asJSON)
		if kind, o, err := next(); kind != "ERROR" || !strings.Contains(string(o), "too old") || err != nil {
			t.Errorf("%s, refused: %s %s %v", media, kind, o, err)
		}
		if _, _, err := next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s, after the ERROR: %v", media, err)
		}
		programtest.Eventually(t, "the end of the watch", func() bool { return g.last().Phase == flow.WatchClosed })
		f := g.last()
		if s := f.Watch.State(); s.Touched != 3 || s.Faults[0].Edited != "object" || !strings.Contains(f.Message, "too old") {
			t.Errorf("%s: %d touched, %+v, %q", media, s.Touched, s.Faults, f.Message)
		}

		resp = mustWatch(t, g, media)
		g.rules("cut client before answer on verb:create")
		if a := g.ask("POST", g.maps, fmt.Sprintf(makes, "y"), "Content-Type", asJSON); a.code != 0 {
			t.Errorf("%+v", a)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err == nil {
			t.Errorf("%s: the watch of a client that was cut has ended well", media)
		}
	}
}

func mustWatch(t *testing.T, g *gated, media string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", g.maps+"?watch=1&resourceVersion=0&fieldSelector=metadata.name!%3Dkube-root-ca.crt", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", media)
	resp, err := g.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), strings.TrimSuffix(media, ";stream=watch")) {
		t.Fatalf("%d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	return resp
}

// lines and messages read the next event of a watch.
func lines(r io.Reader) func() (string, []byte, error) {
	lines := bufio.NewReader(r)
	return func() (string, []byte, error) {
		var e struct {
			Type   string
			Object json.RawMessage
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return "", nil, err
		}
		err = json.Unmarshal(line, &e)
		return e.Type, e.Object, err
	}
}

func messages(r io.Reader) func() (string, []byte, error) {
	return func() (string, []byte, error) {
		var size [4]byte
		if _, err := io.ReadFull(r, size[:]); err != nil {
			return "", nil, err
		}
		frame := make([]byte, binary.BigEndian.Uint32(size[:]))
		if _, err := io.ReadFull(r, frame); err != nil {
			return "", nil, err
		}
		var e metav1.WatchEvent
		err := e.Unmarshal(frame)
		return e.Type, e.Object.Raw, err
	}
}

// Rules that act inside the server are refused when they are added, none of their set is; a glass that only shows has
// no gate.
func TestGate_refused(t *testing.T) {
	g := mustGate(t)
	g.rules("hold on verb:patch")
	for line, want := range map[string]string{
		`hold before "rv check"`: "rv check is inside the server; ", "delay 1s before store": "store is inside", "refuse 500 before validate": "validate is inside",
		"hold before decode": "decode is inside", "lag 5s": "lag acts inside", "coalesce 1s": "coalesce acts inside", "hold before nowhere": "no rule can act before",
	} {
		resp, text := ask(t, g.client, "POST", g.URL+"/debug/gate", "cut on verb:list\n"+line)
		if said := strings.TrimSpace(string(text)); resp.StatusCode != 400 || !strings.Contains(said, want) || strings.Contains(said, "\n") {
			t.Errorf("%s: %d %s", line, resp.StatusCode, text)
		}
	}
	if s := g.Gate().State(t.Context()); len(s.Rules) != 1 {
		t.Errorf("the rules are %+v", s.Rules)
	}
	if resp, _ := ask(t, http.DefaultClient, "GET", strings.TrimSuffix(g.theirs, "/api/v1/namespaces/default/configmaps")+"/debug/gate", ""); resp.StatusCode != 200 {
		t.Errorf("the server's own gate: %d", resp.StatusCode)
	}
	shows, client := mustStart(t, glass.Config{Target: targetOf(strings.TrimSuffix(g.theirs, "/api/v1/namespaces/default/configmaps"))})
	if shows.Gate() != nil {
		t.Error("a glass that only shows has a gate")
	}
	for _, path := range []string{"/debug/gate", "/debug/held"} {
		if resp, text := ask(t, client, "GET", shows.URL+path, ""); resp.StatusCode != 403 || string(text) != "the glass has no gate: start it with --allow-writes\n" {
			t.Errorf("%s: %d %s", path, resp.StatusCode, text)
		}
	}
}

// mustProtobuf is an object in Protobuf, by its JSON.
func mustProtobuf(t *testing.T, text string) []byte {
	t.Helper()
	obj, _, _, err := codecs.JSON.Decode([]byte(text), schema.GroupVersionKind{}, nil, codecs.Strict)
	var b bytes.Buffer
	if err == nil {
		err = codecs.Protobuf.Encode(&b, obj, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
