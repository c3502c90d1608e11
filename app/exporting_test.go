package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kubarium/app/debug"
	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/flow/har/hartest"
	"kubarium/flow/recording"
	"kubarium/flow/redact"
	"kubarium/scenarios"
	"kubarium/scenarios/play"
)

func mustWriteFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func statuses(t *testing.T, text string) (all []int) {
	t.Helper()
	for _, l := range programtest.MustReadLines(t, text) {
		all = append(all, l.Status)
	}
	return all
}

// What a server has is written as JSON Lines, as the filter wants it, and a file of them can be exported again.
func TestMain_export(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustWriteSome(t, p)
	all := mustRun(t, "export", "--server", p.URL)
	if got := statuses(t, all); !slices.Equal(got, []int{201, 201, 201, 409, 200, 200}) {
		t.Errorf("%v", got)
	}
	file := filepath.Join(t.TempDir(), "run.jsonl")
	if out := mustRun(t, "export", "--server", p.URL, "--out", file); out != "" {
		t.Errorf("%s", out)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != all {
		t.Errorf("%s %v", text, err)
	}
	if again := mustRun(t, "export", file); again != all {
		t.Errorf("%s\nwant %s", again, all)
	}
	for filter, want := range map[string][]int{"code:409": {409}, "verb:list": {200, 200}, "who:nobody": nil, "since:1h": {201, 201, 201, 409, 200, 200}} {
		fromServer := mustRun(t, "export", "--server", p.URL, "--filter", filter)
		if got := statuses(t, fromServer); !slices.Equal(got, want) {
			t.Errorf("%s: %v", filter, got)
		}
		if fromFile := mustRun(t, "export", file, "--filter", filter); fromFile != fromServer {
			t.Errorf("%s: %s", filter, fromFile)
		}
	}
	programtest.MustCall(t, 200, "POST", p.URL+debug.FlowsPath+"/moments?name=now", "", "")
	programtest.MustCall(t, 200, "GET", p.URL+"/version", "", "")
	if got := statuses(t, mustRun(t, "export", "--server", p.URL, "--filter", "since:now version")); len(got) != 1 {
		t.Errorf("%v", got)
	}
	mustRun(t, "export", "--server", p.URL, "--own", "--out", file)
	if others := mustRun(t, "export", file); strings.Contains(others, "kubarium-controller/") {
		t.Error("Kubarium's own requests without --own")
	}
	if own := mustRun(t, "export", file, "--own"); !strings.Contains(own, "kubarium-controller/") {
		t.Error("none of Kubarium's own requests")
	}
}

// playOn plays lessons as checks.
func playOn(t *testing.T, p *program.Program, lessons ...*scenarios.Lesson) {
	t.Helper()
	if r := play.Verify(context.Background(), lessons, p.URL, play.Options{}); r.Failed > 0 {
		t.Fatalf("%+v", r)
	}
}

// The requests of a real server make an archive that reads strictly by the specification.
func TestMain_exportHAR(t *testing.T) {
	p := programtest.MustStartFor(t)
	lost, err := scenarios.Find("lost-update")
	if err != nil {
		t.Fatal(err)
	}
	watching, err := scenarios.Find("watch-others")
	if err != nil {
		t.Fatal(err)
	}
	playOn(t, p, lost, watching)
	lines := mustRun(t, "export", "--server", p.URL)
	requests, file := 0, mustWriteFile(t, "run.jsonl", lines)
	for _, l := range programtest.MustReadLines(t, lines) {
		if l.Flow.Phase != flow.WatchOpened {
			requests++
		}
	}
	for _, args := range [][]string{{"--server", p.URL}, {file, "--url", p.URL}} {
		log, err := hartest.Read(strings.NewReader(mustRun(t, append([]string{"export", "--format", "har"}, args...)...)))
		if err != nil {
			t.Fatal(err)
		}
		entries := log["entries"].([]any)
		if len(entries) != requests || requests < 10 {
			t.Errorf("%d entries, want %d", len(entries), requests)
		}
		conflicts, watches := 0, 0
		for _, e := range entries {
			request, response := e.(map[string]any)["request"].(map[string]any), e.(map[string]any)["response"].(map[string]any)
			if !strings.HasPrefix(request["url"].(string), p.URL+"/") {
				t.Errorf("%v", request["url"])
			}
			if response["status"] == 409.0 {
				conflicts++
			}
			if comment, _ := e.(map[string]any)["comment"].(string); strings.HasPrefix(comment, "a watch with ") {
				watches++
			}
		}
		if conflicts == 0 || watches == 0 {
			t.Errorf("%d conflicts, %d watches", conflicts, watches)
		}
	}
	if log, err := hartest.Read(strings.NewReader(mustRun(t, "export", file, "--format", "har", "--filter", "who:nobody"))); err != nil || len(log["entries"].([]any)) != 0 {
		t.Errorf("%v %v", log, err)
	}
}

// What is secret is masked unless it is asked for, in either format.
func TestMain_exportSecrets(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/default/secrets", "application/json", `{"metadata":{"name":"s"},"stringData":{"key":"hush-hush"}}`)
	req, err := http.NewRequest("GET", p.URL+"/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer hush-token")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	file := mustWriteFile(t, "run.jsonl", mustRun(t, "export", "--server", p.URL, "--secrets"))
	for _, format := range []string{"jsonl", "har"} {
		for _, source := range [][]string{{"--server", p.URL}, {file}} {
			args := append([]string{"export", "--format", format}, source...)
			if out := mustRun(t, args...); strings.Contains(out, "hush") || strings.Contains(out, "aHVzaC") || !strings.Contains(out, redact.Hidden) {
				t.Errorf("%q: %s", args, out)
			}
			if out := mustRun(t, append(args, "--secrets")...); !strings.Contains(out, "hush-hush") || !strings.Contains(out, "hush-token") {
				t.Errorf("%q with secrets: %s", args, out)
			}
		}
	}
}

// pagesOf serves pages of flows as a server does that has so many, a hundred of which are gone.
func pagesOf(t *testing.T, n int) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var after, limit int
		q := r.URL.Query()
		fmt.Sscan(q.Get("after"), &after)
		fmt.Sscan(q.Get("limit"), &limit)
		w.Header().Set("Content-Type", recording.MediaType)
		lines := recording.NewWriter(w)
		if after < 100 {
			_ = lines.Missed(100, 100)
			after = 100
		}
		for i := range min(limit, n-after) {
			_ = lines.Flow(&flow.Flow{Seq: uint64(after + i + 1)})
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// Pages are read to the end, and what is missing is said.
func TestMain_exportPages(t *testing.T) {
	for _, n := range []int{100, 101, 10_100, 25_000} {
		code, out, errs := run("export", "--server", pagesOf(t, n).URL)
		lines := programtest.MustReadLines(t, out)
		if code != 0 || len(lines) != n-99 || lines[0].Missed != 100 || lines[len(lines)-1].Flow != nil && lines[len(lines)-1].Seq != uint64(n) {
			t.Errorf("%d: code %d, %d lines", n, code, len(lines))
		}
		if want := "kubarium: 100 requests were no longer kept when they could be recorded\n"; errs != want {
			t.Errorf("%d: %q", n, errs)
		}
	}
	_, out, _ := run("export", "--format", "har", "--server", pagesOf(t, 105).URL)
	if log, err := hartest.Read(strings.NewReader(out)); err != nil || !strings.HasSuffix(log["comment"].(string), "100 requests were no longer kept when they could be recorded.") {
		t.Errorf("%v %v", log["comment"], err)
	}
}

// A page that is broken off fails, and leaves a file that was there as it was; so does what is asked wrongly.
func TestMain_exportErrors(t *testing.T) {
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", recording.MediaType)
		_ = recording.NewWriter(w).Flow(&flow.Flow{Seq: 1})
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer broken.Close()
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	kept := mustWriteFile(t, "kept.jsonl", "as it was")
	foreign := mustWriteFile(t, "foreign", "PNG\nis not JSON\n")
	p := programtest.MustStart(t, "normal")
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{1, []string{"--server", broken.URL}, "was broken off"},
		{1, []string{"--server", other.URL}, "it may not be Kubarium"},
		{1, []string{"--server", "http://127.0.0.1:1"}, "no server answers at http://127.0.0.1:1"},
		{2, []string{"--server", p.URL, "--filter", "since:nosuch"}, `there is no moment "nosuch"`},
		{2, []string{"--filter", "verb:("}, "--filter: "},
		{2, []string{"--format", "pcap"}, "--format pcap: must be recording, jsonl, har or html"},
		{2, []string{foreign, "--server", p.URL}, "name a file or a server, not both"},
		{2, []string{foreign, "--filter", "since:sync"}, "a file has no moments"},
		{2, []string{"--url", "localhost"}, "--url localhost: must be an address"},
		{1, []string{foreign}, "is not a file of recorded requests"},
		{1, []string{filepath.Join(t.TempDir(), "none")}, "no such file"},
		{2, []string{"a", "b", "c"}, `unexpected argument "c"`},
	} {
		code, out, errs := run(append([]string{"export", "--out", kept}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: code %d, %q, %q", c.args, code, out, errs)
		}
	}
	if text, err := os.ReadFile(kept); err != nil || string(text) != "as it was" {
		t.Errorf("%q %v", text, err)
	}
	if files, err := os.ReadDir(filepath.Dir(kept)); err != nil || len(files) != 1 {
		t.Errorf("%v %v", files, err)
	}
	if code, _, errs := run("export", "--server", p.URL, "--out", filepath.Join(t.TempDir(), "none", "x")); code != 1 || !strings.Contains(errs, "name a file that can be written") {
		t.Errorf("code %d, %q", code, errs)
	}
}

// A file may be replaced by what is exported from it, and one that is a link stays one.
func TestMain_exportInPlace(t *testing.T) {
	text := mustFlows(t, 1, 2, 3)
	file := mustWriteFile(t, "run.jsonl", text)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	mustRun(t, "export", link, "--out", link)
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
		t.Errorf("%v %v", info, err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != text {
		t.Errorf("%s %v", got, err)
	}
	if info, err := os.Stat(os.DevNull); err == nil && !info.Mode().IsRegular() {
		mustRun(t, "export", file, "--out", os.DevNull)
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
			t.Errorf("%v %v", info, err)
		}
	}
}

// mustFlows are lines of flows with these numbers.
func mustFlows(t *testing.T, seqs ...uint64) string {
	t.Helper()
	var b strings.Builder
	for _, n := range seqs {
		if err := recording.NewWriter(&b).Flow(&flow.Flow{Seq: n}); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// Of a file that is cut or has other lines, what can be read is read, and one line says what cannot.
func TestMain_exportPartialFiles(t *testing.T) {
	three := mustFlows(t, 1, 2, 3)
	for name, c := range map[string]struct {
		text  string
		lines int
		errs  string
	}{
		"empty":            {"", 0, ""},
		"without end":      {strings.TrimSuffix(three, "\n"), 3, ""},
		"cut":              {three[:len(three)-10], 2, "kubarium: FILE: its last line is cut; 2 requests were read\n"},
		"foreign lines":    {"x\n" + three + "\n{}\n", 3, "kubarium: FILE: 2 of its lines are not recorded requests, the first is line 1; 3 requests were read\n"},
		"missed":           {`{"missed":7,"upto":7}` + "\n" + three, 4, "kubarium: 7 requests were no longer kept when they could be recorded\n"},
		"foreign and cut":  {three + "x\ny", 3, "kubarium: FILE: 1 of its lines are not recorded requests, the first is line 4; its last line is cut; 3 requests were read\n"},
		"a very long line": {three + `"` + strings.Repeat("x", 65<<20), 3, "kubarium: FILE: the reading ended early: line 4 has more than 64 MiB; 3 requests were read\n"},
	} {
		file := mustWriteFile(t, "run.jsonl", c.text)
		code, out, errs := run("export", file)
		if lines := programtest.MustReadLines(t, out); code != 0 || len(lines) != c.lines || errs != strings.ReplaceAll(c.errs, "FILE", file) {
			t.Errorf("%s: code %d, %d lines, %q", name, code, len(lines), errs)
		}
	}
}

// run:last is the last run of kubectl in a file, and since counts from its end.
func TestMain_exportFilterFile(t *testing.T) {
	var b strings.Builder
	for i, line := range []string{
		`{"seq":1,"start":"2026-11-22T12:00:00Z","client":{"session":"a"}}`,
		`{"seq":2,"start":"2026-11-22T12:00:50Z","client":{"session":"b"}}`,
		`{"seq":3,"start":"2026-11-22T12:01:00Z"}`,
	} {
		var f flow.Flow
		if err := json.Unmarshal([]byte(line), &f); err != nil || f.Seq != uint64(i+1) {
			t.Fatal(err)
		}
		if err := recording.NewWriter(&b).Flow(&f); err != nil {
			t.Fatal(err)
		}
	}
	file := mustWriteFile(t, "run.jsonl", b.String())
	for filter, want := range map[string]string{"run:last": "[2]", "since:20s": "[2 3]", "since:5s": "[3]"} {
		var seqs []uint64
		for _, l := range programtest.MustReadLines(t, mustRun(t, "export", file, "--filter", filter)) {
			seqs = append(seqs, l.Seq)
		}
		if fmt.Sprint(seqs) != want {
			t.Errorf("%s: %v, want %s", filter, seqs, want)
		}
	}
}
