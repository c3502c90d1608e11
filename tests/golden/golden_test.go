package golden_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/tests/golden"
)

// load writes a file and loads it.
func load(t *testing.T, text string) *golden.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "case.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := golden.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// replay plays steps against given answers.
func replay(t *testing.T, steps string, answers ...http.HandlerFunc) golden.Result {
	t.Helper()
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		answers[min(n, len(answers))-1](w, r)
	}))
	t.Cleanup(server.Close)
	file := load(t, `{"topic":"t","cases":[{"name":"c","steps":[`+steps+`]}]}`)
	return golden.Replay(t, server.URL, file, golden.Options{Patience: 300 * time.Millisecond}).Results[0]
}

// answer returns a status, headers ("Name: value") and a body.
func answer(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Date"] = nil
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Add(name, value)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

const jsonType = "Content-Type: application/json"

// One step against one answer: what passes and what is a difference.
func TestReplay_Answer(t *testing.T) {
	cases := []struct {
		name, step string
		answer     http.HandlerFunc
		want       string // a part of the difference, "" if it passes
	}{
		{"same", `"response":{"status":200,"headers":{"Content-Type":"application/json"},"body":{"a":1},"form":"compact+newline"}`, answer(200, "{\"a\":1.0}\n", jsonType), ""},
		{"status", `"compare":["status"],"response":{"status":201}`, answer(200, "{}", jsonType), "status: want 201"},
		{"form", `"response":{"status":200,"headers":{"Content-Type":"application/json"},"body":{"a":1},"form":"compact+newline"}`, answer(200, "{\n  \"a\": 1\n}", jsonType), `want "compact+newline"`},
		{"value", `"compare":["body"],"response":{"body":{"a":{"b":[1,2]}}}`,
			answer(200, `{"a":{"b":[1,3]}}`, jsonType), "body.a.b[1]: want 2"},
		{"absent is not null", `"compare":["body"],"response":{"body":{"a":null}}`, answer(200, `{}`, jsonType),
			"body.a: want null"},
		{"extra", `"compare":["body"],"response":{"body":{}}`, answer(200, `{"a":""}`, jsonType),
			"body.a: want nothing"},
		{"extra header", `"response":{"status":200,"headers":{"Content-Type":"application/json"},"empty":true}`,
			answer(200, "", jsonType, "Retry-After: 1"), "headers.Retry-After: want nothing"},
		{"one warning is a list", `"compare":["headers"],"response":{"headers":{"Content-Type":"text/plain","Warning":["299 - \"x\""]}}`, answer(200, "", "Content-Type: text/plain", `Warning: 299 - "x"`), ""},
		{"text", `"compare":["bodyText"],"response":{"bodyText":"uid: {{uid:1}}\n"}`,
			answer(200, "uid: 0b5b1f6e-7a0e-4b7e-9d3c-3f6f0d0c8a11\n", "Content-Type: application/yaml"), ""},
		{"no uid", `"compare":["bodyText"],"response":{"bodyText":"uid: {{uid:1}}\n"}`,
			answer(200, "uid: x\n", "Content-Type: application/yaml"), "bodyText: want"},
		{"two versions that must differ", `"compare":["body"],"response":{"body":{"a":"{{rv:1}}","b":"{{rv:2}}"}}`,
			answer(200, `{"a":"7","b":"7"}`, jsonType), "{{rv:2}} has the value of {{rv:1}}"},
		{"one version twice", `"compare":["body"],"response":{"body":{"a":"{{rv:1}}","b":"is {{rv:1}}"}}`,
			answer(200, `{"a":"7","b":"is 8"}`, jsonType), "body.b: want"},
		{"number", `"compare":["body"],"response":{"body":{"a":"{{n}}"}}`, answer(200, `{"a":7}`, jsonType), ""},
		{"ignored", `"compare":["body"],"ignore":["body.items[*].m","body.list[0]"],"response":{"body":{"items":[{"n":1}],"list":[null,2]}}`, answer(200, `{"items":[{"n":1,"m":2}],"list":[1,2]}`, jsonType), ""},
		{"filtered", `"compare":["body.items[n=a|c].n","body.items[*].m","body.list[1]"],"response":{"body":{"items":[{"n":"a","m":1},{"n":"c"}],"list":[2]}}`, answer(200, `{"items":[{"n":"a","m":1,"x":1},{"n":"b","m":2},{"n":"c"}],"list":[1,2,3]}`, jsonType), ""},
		{"dotted key", `"compare":["body.a.['x.y/z']"],"response":{"body":{"a":{"x.y/z":1}}}`,
			answer(200, `{"a":{"x.y/z":1,"x":2}}`, jsonType), ""},
		{"containers stay", `"compare":["body.metadata.x","body.items[*].y","body.absent.z"],"response":{"body":{"metadata":{},"items":[]}}`, answer(200, `{"metadata":{"a":1},"items":[],"b":1}`, jsonType), ""},
		{"nothing compared", `"compare":["none"],"response":{}`, answer(200, `{}`, jsonType), ""},
		{"causes in any order", `"compare":["body"],"response":{"body":{"kind":"Status","apiVersion":"v1","message":"bad: [a: x, b: y]","details":{"causes":[{"field":"a"},{"field":"b"}]}}}`,
			answer(200, `{"kind":"Status","apiVersion":"v1","message":"bad: [b: y, a: x]","details":{"causes":[{"field":"b"},{"field":"a"}]}}`, jsonType), ""},
		{"other causes", `"compare":["body"],"response":{"body":{"kind":"Status","apiVersion":"v1","details":{"causes":[{"field":"a"},{"field":"b"}]}}}`,
			answer(200, `{"kind":"Status","apiVersion":"v1","details":{"causes":[{"field":"b"},{"field":"b"}]}}`,
				jsonType), "details.causes[0].field"},
		{"managers of other seconds", `"compare":["body"],"response":{"body":{"managedFields":[{"manager":"a","time":"{{time}}"},{"manager":"b","time":"{{time}}"}]}}`,
			answer(200, `{"managedFields":[{"manager":"b","time":"2026-01-01T00:00:01Z"},{"manager":"a","time":"2026-01-01T00:00:02Z"}]}`, jsonType), ""},
		{"managers of one second", `"compare":["body"],"response":{"body":{"managedFields":[{"manager":"a","time":"{{time}}"},{"manager":"b","time":"{{time}}"}]}}`,
			answer(200, `{"managedFields":[{"manager":"b","time":"2026-01-01T00:00:01Z"},{"manager":"a","time":"2026-01-01T00:00:01Z"}]}`, jsonType), "managedFields[0].manager"},
		{"other message", `"compare":["body"],"response":{"body":{"kind":"Status","apiVersion":"v1","message":"bad: [a, b]"}}`,
			answer(200, `{"kind":"Status","apiVersion":"v1","message":"bad: [a, c]"}`, jsonType), "body.message: want"},
		{"protobuf", `"compare":["protobuf"],"response":{"protobuf":{"k8s":[[1,[[1,"v1"]]],[2,[[3,{"varint":"5"}],[4,""],[5,{"bytes":"/w=="}]]]]}}`,
			answer(200, "k8s\x00\x0a\x04\x0a\x02v1\x12\x07\x18\x05\x22\x00\x2a\x01\xff",
				"Content-Type: application/vnd.kubernetes.protobuf"), ""},
		{"cbor", `"compare":["cbor","selfDescribed"],"response":{"cbor":{"a":"b","t":{"$tag":100,"$value":1}},"selfDescribed":true}`,
			answer(200, "\xd9\xd9\xf7\xa2\x61a\x41b\x61t\xd8\x64\x01", "Content-Type: application/cbor"), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := replay(t, `{"method":"GET","path":"/x",`+c.step+`}`, c.answer)
			if c.want == "" && r.Outcome != golden.Passed || c.want != "" &&
				(r.Outcome != golden.Failed || !strings.Contains(r.Why, c.want)) {
				t.Errorf("want %q, got %s", c.want, r.Why)
			}
		})
	}
}

// What is sent: method, path with captured values, headers, and each kind of body.
func TestReplay_Request(t *testing.T) {
	var seen []string
	record := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		seen = append(seen, fmt.Sprint(r.Method, " ", r.RequestURI, " ", r.Header["User-Agent"],
			r.Header["Content-Type"], r.Header["Accept"], " ", string(body)))
		answer(200, `{"metadata":{"uid":"u1"}}`, jsonType)(w, r)
	}
	r := replay(t, `{"method":"POST","path":"/a?b=%20c","body":{"x": [1, "<"]},"capture":{"{{uid:a}}":"metadata.uid"}},
		{"method":"PUT","path":"/{{uid:a}}","headers":{"Content-Type":"","User-Agent":"me","Accept":"*/*"},"body":{"u":"{{uid:a}}"}},
		{"method":"POST","path":"/n{{i}}","repeat":2,"bodyFill":{"prefix":"<","fill":"ab","count":3,"suffix":">"}},
		{"method":"POST","path":"/t","bodyText":"hi"},
		{"method":"POST","path":"/b","bodyBase64":"aGk="}`, record)
	if r.Outcome != golden.Passed {
		t.Fatal(r.Why)
	}
	want := []string{
		`POST /a?b=%20c [golden/1.0] [application/json] [] {"x":[1,"<"]}`,
		`PUT /u1 [me] [] [*/*] {"u":"u1"}`,
		`POST /n0 [golden/1.0] [] [] <ababab>`,
		`POST /n1 [golden/1.0] [] [] <ababab>`,
		`POST /t [golden/1.0] [] [] hi`,
		`POST /b [golden/1.0] [] [] hi`,
	}
	if !slices.Equal(seen, want) {
		t.Errorf("sent %s", strings.Join(seen, "\n"))
	}
}

func TestReplay_Until(t *testing.T) {
	step := `{"method":"GET","path":"/x","until":200,"untilPath":"s.p","untilValue":"ok","compare":["status"],"response":{"status":200}}`
	if r := replay(t, step, answer(404, ""), answer(200, `{"s":{}}`, jsonType),
		answer(200, `{"s":{"p":"ok"}}`, jsonType)); r.Outcome != golden.Passed {
		t.Error(r.Why)
	}
	if r := replay(t, step, answer(404, "")); r.Outcome != golden.Failed {
		t.Error("a status that never comes passed")
	}
}

// Frames are compared in order, without bookmarks, except the end of the initial events.
func TestReplay_Watch(t *testing.T) {
	frames := func(ended bool, lines ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(200)
			for _, line := range lines {
				fmt.Fprintln(w, line)
			}
			w.(http.Flusher).Flush()
			if !ended {
				<-r.Context().Done()
			}
		}
	}
	added := `{"type":"ADDED","object":{"a":1}}`
	bookmark := `{"type":"BOOKMARK","object":{}}`
	initial := `{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}`
	head := `{"method":"GET","path":"/x?watch=true","watch":{"ms":100},"compare":["status","frames","ended"],"response":{"status":200`
	cases := []struct {
		name, response string
		answer         http.HandlerFunc
		want           golden.Outcome
	}{
		{"as recorded", `,"frames":[` + added + `,` + initial + `]`, frames(false, bookmark, added, bookmark, initial),
			golden.Passed},
		{"one missing", `,"frames":[` + added + `,` + added + `]`, frames(false, added), golden.Failed},
		{"one too many", `,"frames":[` + added + `]`, frames(false, added, added), golden.Failed},
		{"none", ``, frames(false, bookmark), golden.Passed},
		{"ended", `,"frames":[` + added + `],"ended":true`, frames(true, added), golden.Passed},
		{"not ended", `,"frames":[` + added + `],"ended":true`, frames(false, added), golden.Failed},
		{"ended too soon", `,"frames":[` + added + `]`, frames(true, added), golden.Failed},
		{"broken", ``, frames(true, `{"type":`), golden.Failed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if r := replay(t, head+c.response+`}}`, c.answer); r.Outcome != c.want {
				t.Errorf("outcome %d: %s", r.Outcome, r.Why)
			}
		})
	}
}

// The steps of During are sent while the stream is open.
func TestReplay_WatchDuring(t *testing.T) {
	open := make(chan bool)
	watch := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf;stream=watch")
		w.(http.Flusher).Flush()
		<-open
		fmt.Fprint(w, "\x00\x00\x00\x07\x0a\x05ADDED")
	}
	post := func(w http.ResponseWriter, r *http.Request) {
		close(open)
		answer(201, `{"metadata":{"resourceVersion":"5"}}`, jsonType)(w, r)
	}
	r := replay(t, `{"method":"GET","path":"/x","watch":{"ms":100,"during":[{"method":"POST","path":"/y","capture":{"{{rv:a}}":"metadata.resourceVersion"},"compare":["status"],"response":{"status":201}}]},
		"compare":["frames","ended"],"response":{"frames":[{"protobuf":[[1,"ADDED"]]}],"ended":true}}`, watch, post)
	if r.Outcome != golden.Passed {
		t.Error(r.Why)
	}
}

// Cases and setups whose needs are not met are skipped.
func TestReplay_Needs(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { requests++ }))
	defer server.Close()
	get := `{"method":"GET","path":"/x"}`
	file := load(t, `{"topic":"t","setup":[`+get+`],"setupNeeds":["crd"],"cases":[
		{"name":"a","needs":["crd"],"steps":[`+get+`]},
		{"name":"b","needs":["compact"],"steps":[{"action":"compact"},`+get+`,{"action":"sleep","ms":1}]}]}`)
	report := golden.Replay(t, server.URL, file, golden.Options{})
	if report.Count(golden.Skipped) != 2 || requests != 0 {
		t.Errorf("%+v after %d requests", report, requests)
	}
	compacted := 0
	report = golden.Replay(t, server.URL, file,
		golden.Options{Has: []string{"crd"}, Compact: func() error { compacted++; return nil }})
	if report.Count(golden.Passed) != 2 || requests != 3 || compacted != 1 {
		t.Errorf("%+v after %d requests, %d compactions", report, requests, compacted)
	}
}
