package debug_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kubarium/app/debug"
	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// A page has what the filter lets through of all that was answered before it, Kubarium's own requests aside.
func TestFlows_Page(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustWriteSome(t, p)
	for query, want := range map[string]string{
		"":                                   "201 201 201 409 200 200",
		"filter=verb:create":                 "201 201 201 409",
		"filter=code:409":                    "409",
		"filter=limit:0":                     "200",
		"filter=verb:list+limit:>0":          "200",
		"filter=verb:create&limit=2":         "201 201",
		"filter=res:configmaps+sub:status":   "",
		"filter=user:system:admin+verb:list": "200 200",
		"filter=who:kube*":                   "",
	} {
		var got []string
		for _, l := range programtest.MustReadLines(t, programtest.MustCall(t, 200, "GET", p.URL+debug.FlowsPath+"?"+query, "", "")) {
			got = append(got, fmt.Sprint(l.Status))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	own := programtest.MustReadLines(t, programtest.MustCall(t, 200, "GET", p.URL+debug.FlowsPath+"?own=true&limit=9999", "", ""))
	if !slices.ContainsFunc(own, func(l recording.Line) bool { return l.Client.Own() }) {
		t.Error("nothing of what Kubarium asked itself")
	}
	last := own[len(own)-1].Seq
	if next := programtest.MustCall(t, 200, "GET", fmt.Sprintf("%s%s?after=%d", p.URL, debug.FlowsPath, last), "", ""); next != "" {
		t.Errorf("behind the last one: %s", next)
	}
}

// A flow is told as the log has it: its bodies, stations, SQL and effects.
func TestFlows_Whole(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustWriteSome(t, p)
	got := programtest.MustReadLines(t, programtest.MustCall(t, 200, "GET", p.URL+debug.FlowsPath+"?filter=verb:create&limit=1", "", ""))[0]
	want := p.Log.Get(got.Seq)
	if string(got.RequestBody.Kept) != programtest.NamedMap("a") || string(got.ResponseBody.Kept) != string(want.ResponseBody.Kept) ||
		len(got.Stations) != len(want.Stations) || len(got.Statements) != len(want.Statements) || len(got.Effects) != 1 ||
		string(got.Effects[0].After) != string(want.Effects[0].After) || got.Batch == nil || *got.Batch != *want.Batch {
		t.Errorf("%+v\nwant %+v", got.Flow, want)
	}
}

// Credentials are masked unless they are asked for.
func TestFlows_Secrets(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	req, err := http.NewRequest("GET", p.URL+"/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer hush-hush")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	for query, want := range map[string]bool{"": false, "?secrets=true": true, "?secrets=false": false} {
		text := programtest.MustCall(t, 200, "GET", p.URL+debug.FlowsPath+query, "", "")
		if strings.Contains(text, "hush-hush") != want || !strings.Contains(text, `"Authorization"`) {
			t.Errorf("%s: %s", query, text)
		}
	}
}

// A stream tells what there is and then what comes, and ends with the server.
func TestFlows_Follow(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustWriteSome(t, p)
	resp, err := http.Get(p.URL + debug.FlowsPath + "?follow=true&filter=" + url.QueryEscape("verb:create|verb:watch|verb:delete"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func() recording.Line {
		if !lines.Scan() {
			t.Fatalf("the stream has ended: %v", lines.Err())
		}
		return programtest.MustReadLines(t, lines.Text())[0]
	}
	for _, want := range []int{201, 201, 201, 409} {
		if l := next(); l.Status != want {
			t.Errorf("%d, want %d", l.Status, want)
		}
	}
	programtest.MustCall(t, 200, "DELETE", p.URL+"/api/v1/namespaces/default/configmaps/a", "", "")
	if l := next(); l.Target.Verb != "delete" {
		t.Errorf("%+v", l.Target)
	}
	programtest.MustCall(t, 200, "GET", p.URL+"/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0&timeoutSeconds=1", "", "")
	if l := next(); l.Phase != flow.WatchOpened || l.Watch == nil {
		t.Errorf("%+v", l.Flow)
	}
	if l := next(); l.Phase != flow.WatchClosed || len(l.Watch.Frames()) != 2 || l.Watch.State().Cause == "" {
		t.Errorf("%+v", l.Watch)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if lines.Scan() {
		t.Errorf("after the end: %s", lines.Text())
	}
}

// The body on a flow is what the client has got, whatever was answered since: writers that use their buffers again do not change it.
func TestFlows_BodiesStay(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustWriteSome(t, p)
	got := map[string]string{}
	for i := range 40 {
		for _, path := range []string{"/nope?%d", "/debug/flows?limit=x%d", "/debug/flows/moments?%d", "/debug/changes?before=%d", "/api/v1/namespaces/none?%d", "/version?%d"} {
			path = fmt.Sprintf(path, i+1)
			resp, err := http.Get(p.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			got[path] = string(text)
		}
		programtest.MustCall(t, 200, "POST", p.URL+fmt.Sprintf("/debug/flows/moments?name=m%d", i), "", "")
	}
	programtest.MustCall(t, 200, "GET", p.URL+debug.FlowsPath, "", "") // waits until all are published
	flows, _ := p.Log.Since(0, 0)
	seen := 0
	for _, f := range flows {
		want, ok := got[f.Path+"?"+f.Query]
		if !ok {
			continue
		}
		seen++
		if kept := string(f.ResponseBody.Kept); kept != want {
			t.Errorf("%s?%s: the flow has %.60q, the client %.60q", f.Path, f.Query, kept, want)
		}
	}
	if seen != len(got) {
		t.Errorf("%d flows of %d", seen, len(got))
	}
}

// A page that has no time left is not taken for a whole one.
func TestFlows_BrokenOff(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustWriteSome(t, p)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, end := context.WithTimeout(r.Context(), 0)
		defer end()
		debug.Handlers(p)[debug.FlowsPath].ServeHTTP(w, r.WithContext(ctx))
	}))
	defer h.Close()
	resp, err := http.Get(h.URL)
	if err == nil {
		defer resp.Body.Close()
		_, err = io.ReadAll(resp.Body)
	}
	if err == nil {
		t.Error("the page ends as a whole one does")
	}
}

// A deadlined response tells when its writes are to have ended.
type deadlined struct {
	http.ResponseWriter
	at *atomic.Pointer[time.Time]
}

func (d deadlined) Unwrap() http.ResponseWriter { return d.ResponseWriter }

func (d deadlined) SetWriteDeadline(at time.Time) error {
	d.at.Store(&at)
	return http.NewResponseController(d.ResponseWriter).SetWriteDeadline(at)
}

// A stream that has nothing to tell has no deadline: net/http ends a stream of HTTP/2 by it, even if nothing is being written.
func TestFlows_FollowIdle(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustWriteSome(t, p)
	var at atomic.Pointer[time.Time]
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		debug.Handlers(p)[debug.FlowsPath].ServeHTTP(deadlined{w, &at}, r)
	}))
	defer h.Close()
	resp, err := http.Get(h.URL + "?follow=true&limit=5&filter=verb:create")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for range 4 {
		if !lines.Scan() {
			t.Fatal(lines.Err())
		}
	}
	for end := time.Now().Add(time.Minute); at.Load() == nil || !at.Load().IsZero(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after the last line the deadline is %v", at.Load())
		}
	}
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/default/configmaps", "application/json", programtest.NamedMap("d"))
	if !lines.Scan() || lines.Scan() {
		t.Error("the stream does not end with its fifth line")
	}
}

// A reader that falls behind the log is told how many flows it missed, and which: of Kubarium's own, which age out first and leave
// gaps, only one that asks for them.
func TestFlows_Missed(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "off"}
	c.Flows = flow.Limits{Bytes: 8 << 20} // an eighth of the usual one is filled sooner
	p := programtest.MustStartConfig(t, c)
	before := p.Log.Stats().Published
	big := fmt.Sprintf(`{"metadata":{"generateName":"big-"},"data":{"k":%q}}`, strings.Repeat("x", 100<<10))
	sent := uint64(0)
	for ; p.Log.Stats().Oldest <= before+10; sent++ {
		for range 6 {
			mustCallOwn(t, p.URL+"/api/v1/namespaces/default/configmaps?limit=1")
		}
		programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/default/configmaps", "application/json", big)
	}
	page := func(query string) []recording.Line {
		return programtest.MustReadLines(t, programtest.MustCall(t, 200, "GET", fmt.Sprintf("%s%s?after=%d&limit=10000&%s", p.URL, debug.FlowsPath, before, query), "", ""))
	}
	lines := page("own=false")
	if lines[0].Missed+uint64(len(lines))-1 != sent || lines[0].Missed == 0 || lines[0].Upto != lines[1].Seq-1 {
		t.Errorf("of %d flows %d are told, and missed are %+v", sent, len(lines)-1, lines[0])
	}
	for i, l := range lines[1:] {
		if l.Missed > 0 || l.Client.Own() || i > 0 && l.Seq <= lines[i].Seq {
			t.Fatalf("line %d is %+v", i+1, l)
		}
	}
	at, gaps := before, 0
	for _, l := range page("own=true") {
		switch {
		case l.Missed > 0 && l.Upto != at+l.Missed, l.Missed == 0 && l.Seq != at+1:
			t.Fatalf("behind %d: %d missed up to %d, or number %d", at, l.Missed, l.Upto, l.Seq)
		case l.Missed > 0:
			at, gaps = l.Upto, gaps+1
		default:
			at = l.Seq
		}
	}
	if gaps < 2 {
		t.Errorf("%d gaps", gaps)
	}
}

// mustCallOwn asks as one of Kubarium's own clients.
func mustCallOwn(t *testing.T, url string) {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", flow.UIAgent)
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
		t.Fatal(resp.Status, err)
	}
}

// What came since a moment is asked for by its name; the newest moment of a name counts.
func TestFlows_Moments(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustWriteSome(t, p)
	since := func() int {
		return strings.Count(programtest.MustCall(t, 200, "GET", p.URL+debug.FlowsPath+"?filter=since:sync+verb:list", "", ""), "\n")
	}
	if got := programtest.MustCall(t, 400, "GET", p.URL+debug.FlowsPath+"?filter=since:sync", "", ""); !strings.Contains(got, `no moment "sync"`) {
		t.Error(got)
	}
	if got := programtest.MustCall(t, 200, "GET", p.URL+"/debug/flows/moments", "", ""); got != "{\"moments\":{}}\n" {
		t.Errorf("without any: %s", got)
	}
	for range 2 {
		programtest.MustCall(t, 200, "POST", p.URL+"/debug/flows/moments?name=Sync", "", "")
		if n := since(); n != 0 {
			t.Errorf("%d lists since the moment", n)
		}
		if text := programtest.MustCall(t, 200, "GET", p.URL+debug.FlowsPath+"?filter=since:sync", "", ""); text != "" {
			t.Errorf("since the moment: %s", text)
		}
		if got := programtest.MustCall(t, 200, "GET", p.URL+"/debug/flows/moments", "", ""); !strings.HasPrefix(got, `{"moments":{"sync":`) {
			t.Error(got)
		}
		programtest.MustCall(t, 200, "GET", p.URL+"/api/v1/pods", "", "")
		if n := since(); n != 1 {
			t.Errorf("%d lists since the moment, after one", n)
		}
	}
}

// What a client has been answered is in the next page, however long its answer is.
func TestFlows_AfterAnswer(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	<-p.Bootstrapped()
	for i := range 10 {
		programtest.MustCall(t, 200, "GET", p.URL+"/openapi/v2", "", "")
		if n := strings.Count(programtest.MustCall(t, 200, "GET", p.URL+debug.FlowsPath+"?filter=openapi", "", ""), "\n"); n != i+1 {
			t.Fatalf("%d flows after %d answers", n, i+1)
		}
	}
}

func TestFlows_Errors(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	for _, c := range []struct {
		method, path, want string
		code               int
	}{
		{"POST", "/debug/flows", "use GET", 405}, {"PUT", "/debug/flows/moments?name=a", "use GET or POST", 405}, {"DELETE", "/debug/flows/schema", "use GET", 405},
		{"GET", "/debug/flows?fliter=x", "no parameter fliter", 400}, {"GET", "/debug/flows?filter=cod:1", "did you mean code", 400},
		{"GET", "/debug/flows?after=-1", "not \"-1\"", 400}, {"GET", "/debug/flows?limit=0", "from 1 on", 400}, {"GET", "/debug/flows?limit=x", "from 1 on", 400}, {"GET", "/debug/flows?limit=10001", "10000 at most", 400},
		{"GET", "/debug/flows?follow=maybe", "true or false", 400}, {"GET", "/debug/flows?filter=a&filter=b", "once", 400},
		{"POST", "/debug/flows/moments", "a letter first", 400}, {"POST", "/debug/flows/moments?name=10s", "a letter first", 400},
	} {
		if got := programtest.MustCall(t, c.code, c.method, p.URL+c.path, "", ""); !strings.Contains(got, c.want) || strings.Count(got, "\n") != 1 {
			t.Errorf("%s %s: %q", c.method, c.path, got)
		}
	}
}

// A browser gets a page to read, in which what clients sent is text and nothing else.
func TestFlows_HTML(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustCall(t, 404, "GET", p.URL+"/x/%3Cscript%3Ealert(1)%3C/script%3E", "", "")
	req, err := http.NewRequestWithContext(context.Background(), "GET", p.URL+debug.FlowsPath+"?filter=code:404", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html,application/xhtml+xml")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || strings.Contains(string(text), "<script") || !strings.Contains(string(text), "GET /x/&lt;script&gt;") {
		t.Errorf("%d %v %s", resp.StatusCode, err, text)
	}
	if got := resp.Header.Get("Content-Type") + resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "text/html") || !strings.Contains(got, "default-src 'none'") {
		t.Error(got)
	}
}
