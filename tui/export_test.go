package tui

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/server/flow"
	"kubarium/server/flow/recording"
	"kubarium/tui/page"
)

// exportTo writes a file by x and the keys that choose what is in it, and returns that.
func exportTo(t *testing.T, u *ui, name string, keys ...string) []byte {
	t.Helper()
	u.keys("x")
	u.keys(keys...)
	u.keys("ctrl+u")
	u.paste(name)
	u.keys("enter")
	u.takeAll()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v; the screen says %q", err, u.Toast.Text)
	}
	return text
}

// takeAll does the work that was asked for, and leaves what is shown for a while on the screen.
func (u *ui) takeAll() {
	for _, e := range u.takeEffects() {
		if w, ok := e.(page.Work); ok {
			w.Run()()
		}
	}
}

// readBack is what is in a recording.
func readBack(t *testing.T, text []byte) (begin *recording.Begin, flows []*flow.Flow, changes int, end error) {
	t.Helper()
	d, err := recording.NewDecoder(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for {
		e, err := d.Next()
		switch {
		case err != nil:
			return begin, flows, changes, err
		case e.Begin != nil:
			begin = e.Begin
		case e.Flow != nil:
			flows = append(flows, e.Flow)
		case e.Change != nil:
			changes++
		}
	}
}

// The selected, the marked, or the shown requests become a recording with what they committed, and without what is secret.
func TestExport_Recording(t *testing.T) {
	for name, c := range map[string]struct {
		before, keys  []string
		words         string
		flows, commit int
	}{
		"selected": {[]string{"g", "j", "j", "j"}, []string{"s", "enter"}, "request 4", 1, 1},
		"marked":   {[]string{"g", "m", "j", "j", "j", "m"}, []string{"m", "enter"}, "marked requests 1, 4", 2, 1},
		"filtered": {[]string{"/", "w", "h", "o", ":", "B", "enter"}, []string{"f", "enter"}, "4 requests that Traffic shows, filtered by who:B", 4, 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDemo(flow.Limits{})
			d.story()
			u, _ := testUI(d, "mono", 120, 36)
			u.keys(c.before...)
			file := filepath.Join(t.TempDir(), "run.kubarium")
			text := exportTo(t, u, file, c.keys...)
			begin, flows, changes, end := readBack(t, text)
			if end != io.EOF || begin.Selection != c.words || begin.Objects || begin.Secrets || len(flows) != c.flows || changes != c.commit {
				t.Errorf("%+v with %d flows and %d changes, and at its end %v", begin, len(flows), changes, end)
			}
			for _, f := range flows {
				if s := f.RequestHeader.Get("Authorization"); strings.Contains(s, "s3cr3t") {
					t.Errorf("#%d shows %q", f.Seq, s)
				}
			}
			if !strings.Contains(u.Toast.Text, "run.kubarium: ") || !strings.HasSuffix(u.Toast.Text, ", masked") {
				t.Errorf("the screen says %q", u.Toast.Text)
			}
		})
	}
}

// JSON Lines and an archive have every request that is held; unmasked they show what is secret.
func TestExport_Text(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	folder := t.TempDir()
	lines := bytes.Split(bytes.TrimSpace(exportTo(t, u, filepath.Join(folder, "a.jsonl"), "a", "j")), []byte("\n"))
	if len(lines) != u.Stats.Flows {
		t.Errorf("%d lines of %d requests", len(lines), u.Stats.Flows)
	}
	for _, l := range lines {
		if read, err := recording.Read(l); err != nil || strings.Contains(string(l), "s3cr3t") {
			t.Errorf("%v of %v", err, read.Flow)
		}
	}
	u.toggleUnmask()
	text := exportTo(t, u, filepath.Join(folder, "a.har"), "a", "h")
	var har struct {
		Log struct {
			Version string
			Entries []struct{ Request struct{ URL string } }
		}
	}
	if err := json.Unmarshal(text, &har); err != nil || har.Log.Version != "1.2" || len(har.Log.Entries) != u.Stats.Flows {
		t.Errorf("%v: %d entries of %d requests", err, len(har.Log.Entries), u.Stats.Flows)
	}
	if !bytes.Contains(text, []byte("s3cr3t")) || !strings.HasSuffix(u.Toast.Text, "UNMASKED") {
		t.Errorf("unmasked it is masked, and the screen says %q", u.Toast.Text)
	}
}

// A file that is there stays as it is, also one that cannot be made is told in one line.
func TestExport_Refused(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	file := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := exportTo(t, u, file, "s", "j"); string(text) != "mine" || !strings.Contains(u.Toast.Text, "is there already, and stays as it is") {
		t.Errorf("%q is in the file, and the screen says %q", text, u.Toast.Text)
	}
	u.keys("x", "s", "j", "ctrl+u")
	u.paste(filepath.Join(file, "below"))
	u.keys("enter")
	u.takeAll()
	if !strings.HasPrefix(u.Toast.Text, "export: ") || strings.Contains(u.Toast.Text, "\n") {
		t.Errorf("the screen says %q", u.Toast.Text)
	}
	u.keys("x", "s", "j", "ctrl+u", "enter")
	if u.Toast.Text != "x: a file needs a name" {
		t.Errorf("the screen says %q of no name", u.Toast.Text)
	}
	u.keys("x", "m")
	if !strings.Contains(u.Toast.Text, "there is none") {
		t.Errorf("the screen says %q of no marks", u.Toast.Text)
	}
}

// A recorder is a server that tells a recording, or an error.
type recorder struct {
	body  []byte
	asked []string
	code  int
}

func (r *recorder) RoundTrip(q *http.Request) (*http.Response, error) {
	r.asked = append(r.asked, q.URL.String())
	return &http.Response{StatusCode: r.code, Status: "status", Body: io.NopCloser(bytes.NewReader(r.body)), Request: q}, nil
}

// All of a live run is asked of the server, with what its store has; what the server tells is the file. A broken answer leaves no file.
func TestExport_Whole(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("g")
	folder := t.TempDir()
	server := &recorder{code: 200, body: exportTo(t, u, filepath.Join(folder, "one.kubarium"), "s", "enter")}
	u.API.Transport = server
	got := exportTo(t, u, filepath.Join(folder, "all.kubarium"), "a", "enter")
	if !bytes.Equal(got, server.body) || !strings.Contains(u.Toast.Text, "1 request,") {
		t.Errorf("%d bytes of %d; the screen says %q", len(got), len(server.body), u.Toast.Text)
	}
	if len(server.asked) != 1 || server.asked[0] != "http://127.0.0.1:8080/debug/recording?secrets=false" {
		t.Errorf("asked for %q", server.asked)
	}
	for _, broken := range []*recorder{{code: 403, body: []byte("not for you")}, {code: 200, body: server.body[:len(server.body)-9]}} {
		u.API.Transport = broken
		file := filepath.Join(folder, "broken.kubarium")
		u.keys("x", "a", "enter", "ctrl+u")
		u.paste(file)
		u.keys("enter")
		u.takeAll()
		if _, err := os.Stat(file); err == nil || !strings.HasPrefix(u.Toast.Text, "export: ") {
			t.Errorf("there is a file (%v), and the screen says %q", err, u.Toast.Text)
		}
	}
}

// All of a recording is the file itself, masked if what is secret is not to be shown.
func TestExport_OfRecording(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	folder := t.TempDir()
	u.toggleUnmask()
	from := filepath.Join(folder, "from.kubarium")
	text := exportTo(t, u, from, "f", "enter")
	u.o.Source = Source{Kind: Recording, Name: "from.kubarium", File: from}
	if got := exportTo(t, u, filepath.Join(folder, "same.kubarium"), "a", "enter"); !bytes.Equal(got, text) {
		t.Errorf("%d bytes of %d", len(got), len(text))
	}
	u.toggleUnmask()
	_, before, _, _ := readBack(t, text)
	begin, flows, _, end := readBack(t, exportTo(t, u, filepath.Join(folder, "masked.kubarium"), "a", "enter"))
	if end != io.EOF || begin.Secrets || len(flows) != len(before) {
		t.Errorf("%+v with %d flows of %d, and at its end %v", begin, len(flows), len(before), end)
	}
	for i, f := range flows {
		if strings.Contains(f.RequestHeader.Get("Authorization"), "s3cr3t") || !strings.Contains(before[i].RequestHeader.Get("Authorization"), "s3cr3t") {
			t.Errorf("#%d is not masked: %q", f.Seq, f.RequestHeader)
		}
	}
}
