package app_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kubarium/app/program/programtest"
)

// TestKilled_UI kills the program with its UI on a terminal while it is written to, records and draws, and starts it again on the same
// terminal: see killRounds.
func TestKilled_UI(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	k := newKillRounds(t)
	for range 3 {
		k.round()
	}
	k.end()
}

// BenchmarkKilled does that for as many rounds as it is told to, and reports how long a start takes after a kill.
//
//	go test ./app -run '^$' -bench Killed -benchtime 300x -timeout 60m
func BenchmarkKilled(b *testing.B) {
	k := newKillRounds(b)
	for b.Loop() {
		k.round()
	}
	k.end()
	b.ReportMetric(float64(k.started.Milliseconds())/float64(k.rounds), "ms-to-serve")
	b.ReportMetric(float64(k.acks)/float64(k.rounds), "acks/round")
}

// killRounds are starts of the program with its UI, each ended by SIGKILL at some moment while 8 clients write. Behind each start:
// what was acknowledged is there, what was not is whole or absent, revisions go on above all that were told, the UI draws and answers keys, and
// the recording of the run before can be read to its end.
type killRounds struct {
	t       testing.TB
	binary  string
	db      string
	tty     *tty
	writers []*killedWriter
	rounds  int
	acks    int
	started time.Duration // all starts together
}

const killedPath = "/api/v1/namespaces/default/configmaps"

func newKillRounds(t testing.TB) *killRounds {
	k := &killRounds{t: t, binary: mustBuild(t), db: filepath.Join(t.TempDir(), "k.db"), tty: newTTY(t)}
	for i := range 8 {
		k.writers = append(k.writers, &killedWriter{t: t, name: fmt.Sprint("killed-", i)})
	}
	if err := os.Mkdir(k.recordings(), 0o700); err != nil {
		t.Fatal(err)
	}
	return k
}

// recordings is the folder that gets a file for each run.
func (k *killRounds) recordings() string { return filepath.Join(filepath.Dir(k.db), "recordings") }

func (k *killRounds) round() {
	k.t.Helper()
	begun := time.Now()
	s := mustShow(k.tty, k.binary, k.db, "--record", k.recordings())
	k.started += time.Since(begun)
	k.rounds++
	k.look(s)
	k.tty.keys("2")
	k.tty.see("No client is watching")
	k.tty.keys("1")
	var writing sync.WaitGroup
	acks := make(chan struct{})
	stop := make(chan struct{})
	for _, w := range k.writers {
		writing.Go(func() { w.write(s.url, acks, stop) })
	}
	for k.ack(acks); !strings.Contains(k.recorded(), "killed-"); {
		k.ack(acks) // a recording gets what has come every tenth of a second
	}
	for range 20 + rand.IntN(400) {
		k.ack(acks)
		if rand.IntN(10) == 0 {
			k.tty.keys(string("1234567jk"[rand.IntN(9)]))
		}
	}
	s.kill()
	close(stop)
	writing.Wait()
	k.readRecording()
}

// ack waits until a write is acknowledged.
func (k *killRounds) ack(acks <-chan struct{}) {
	k.t.Helper()
	select {
	case <-acks:
		k.acks++
	case <-time.After(30 * time.Second):
		k.t.Fatalf("round %d: nothing is acknowledged:\n%s", k.rounds, k.tty.view.String())
	}
}

// look compares what the server has with what it has acknowledged.
func (k *killRounds) look(s *drawn) {
	k.t.Helper()
	var list struct {
		Metadata struct {
			ResourceVersion uint64 `json:",string"`
		}
		Items []struct {
			Metadata struct{ Name string }
			Data     map[string]string
		}
	}
	client := programtest.NewClient()
	defer client.CloseIdleConnections()
	if err := json.Unmarshal(programtest.Send(k.t, client, "GET", s.url+killedPath, nil), &list); err != nil {
		k.t.Fatal(err)
	}
	found := map[string]string{}
	for _, o := range list.Items {
		found[o.Metadata.Name] = o.Data["n"]
	}
	for _, w := range k.writers {
		if is := found[w.name]; is != w.acked && (!w.pending || is != w.asked) {
			k.t.Errorf("round %d: %s is %.40q; acknowledged was %.40q, asked for %.40q", k.rounds, w.name, is, w.acked, w.asked)
		}
		if w.revision > list.Metadata.ResourceVersion {
			k.t.Errorf("round %d: revision %d was told, and now the newest is %d", k.rounds, w.revision, list.Metadata.ResourceVersion)
		}
		w.acked, w.pending = found[w.name], false
	}
}

// readRecording reads that of the run that was killed last, and removes it.
func (k *killRounds) readRecording() {
	k.t.Helper()
	if !strings.Contains(k.recorded(), "killed-") {
		k.t.Errorf("round %d: the recording has no write", k.rounds)
	}
	if err := os.Remove(k.recording()); err != nil {
		k.t.Error(err)
	}
}

// recording is the file of this run's recording.
func (k *killRounds) recording() string {
	k.t.Helper()
	files, err := filepath.Glob(filepath.Join(k.recordings(), "*.kubarium"))
	if err != nil || len(files) != 1 {
		k.t.Fatalf("round %d: recordings: %q %v", k.rounds, files, err)
	}
	return files[0]
}

// recorded is what export makes of it, to its end or to where it is by now.
func (k *killRounds) recorded() string {
	k.t.Helper()
	out := filepath.Join(k.t.TempDir(), "flows.jsonl")
	if code, _, errs := run("export", k.recording(), "--out", out); code != 0 {
		k.t.Fatalf("round %d: the recording: code %d, %s", k.rounds, code, errs)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		k.t.Fatal(err)
	}
	return string(text)
}

// end starts the program once more, ends it in good order, and checks the file.
func (k *killRounds) end() {
	k.t.Helper()
	s := mustShow(k.tty, k.binary, k.db)
	k.look(s)
	k.tty.keys("?")
	k.tty.see("quit")
	s.stop()
	if code, out, errs := run("check", "--db", k.db); code != 0 {
		k.t.Errorf("check: %d %s%s", code, out, errs)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(k.db), "kubarium", "*.json")); len(left) > 0 && k.rounds > 0 {
		if code, out, errs := run("servers"); code != 0 || strings.Contains(out, k.db) {
			k.t.Errorf("servers: %d %s%s", code, out, errs)
		}
	}
}

// A killedWriter creates, updates and deletes an object of its own.
type killedWriter struct {
	t        testing.TB
	name     string
	acked    string // the value that it was told of last; "" for no object
	asked    string // the value that it asked for last
	pending  bool   // it has no answer to that yet
	revision uint64 // the newest that it was told
}

// write writes until the server is gone, and says each time that it was answered.
func (w *killedWriter) write(url string, acks chan<- struct{}, stop <-chan struct{}) {
	client := programtest.NewClient()
	defer client.CloseIdleConnections()
	for {
		method, at, code := "PUT", url+killedPath+"/"+w.name, http.StatusOK
		w.asked = fmt.Sprint(rand.Uint64(), strings.Repeat("x", rand.IntN(2000)))
		switch {
		case w.acked == "":
			method, at, code = "POST", url+killedPath, http.StatusCreated
		case rand.IntN(4) == 0:
			method, w.asked = "DELETE", ""
		}
		w.pending = true
		answered, revision, err := putMap(client, method, at, w.name, w.asked)
		if err != nil {
			return // the server was killed
		}
		if answered != code {
			w.t.Errorf("%s %s: %d, want %d", method, at, answered, code)
			return
		}
		w.acked, w.pending, w.revision = w.asked, false, max(w.revision, revision)
		select {
		case acks <- struct{}{}:
		case <-stop:
			return
		}
	}
}

// putMap sends a ConfigMap with one value, and tells the code of the answer and its resourceVersion.
func putMap(c *http.Client, method, url, name, value string) (code int, revision uint64, err error) {
	body := fmt.Sprintf(`{"metadata":{"name":%q},"data":{"n":%q}}`, name, value)
	if method == "DELETE" {
		body = ""
	}
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("Content-Type", programtest.JSONType)
	resp, err := c.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	var answer struct {
		Metadata struct {
			ResourceVersion uint64 `json:",string"`
		}
	}
	err = json.NewDecoder(resp.Body).Decode(&answer)
	return resp.StatusCode, answer.Metadata.ResourceVersion, err
}
