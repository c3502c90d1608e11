package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/tui"
)

// A screen is the UI of a Program on a terminal of 120x36.
type screen struct {
	t    *testing.T
	ptm  *os.File
	view vt10x.Terminal
}

// wholeRunes hands bytes on in whole runes: the terminal takes no part of one.
type wholeRunes struct {
	to   io.Writer
	left []byte
}

func (w *wholeRunes) Write(b []byte) (int, error) {
	w.left = append(w.left, b...)
	n := len(w.left)
	for n > 0 && len(w.left)-n < utf8.UTFMax && !utf8.Valid(w.left[:n]) {
		n--
	}
	_, err := w.to.Write(w.left[:n])
	w.left = append([]byte(nil), w.left[n:]...)
	return len(b), err
}

// mustScreen shows the Program until the test ends.
func mustScreen(t *testing.T, p *program.Program, o tui.Options) *screen {
	t.Helper()
	for name, value := range map[string]string{"TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "", "TMUX": ""} {
		t.Setenv(name, value)
	}
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Skip("no terminal device: ", err)
	}
	if err := pty.Setsize(ptm, &pty.Winsize{Cols: 120, Rows: 36}); err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, ptm: ptm, view: vt10x.New(vt10x.WithSize(120, 36))}
	o.Log, o.URL, o.In, o.Out, o.NoIntro = p.Log, p.URL, pts, pts, true
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { _, _ = io.Copy(&wholeRunes{to: s.view}, ptm) }()
	go func() {
		defer close(done)
		if _, err := tui.Run(ctx, o); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		_, _ = ptm.Close(), pts.Close()
	})
	return s
}

func (s *screen) keys(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.ptm, keys); err != nil {
		s.t.Fatal(err)
	}
}

// see waits until the screen shows all texts.
func (s *screen) see(all ...string) {
	s.t.Helper()
	s.wait(fmt.Sprintf("show %q", all), func(text string) bool {
		for _, want := range all {
			if !strings.Contains(text, want) {
				return false
			}
		}
		return true
	})
}

// miss waits until the screen does not show a text any more.
func (s *screen) miss(text string) {
	s.t.Helper()
	s.wait(fmt.Sprintf("lose %q", text), func(shown string) bool { return !strings.Contains(shown, text) })
}

func (s *screen) wait(what string, done func(text string) bool) {
	s.t.Helper()
	for end := time.Now().Add(30 * time.Second); !done(s.view.String()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("the screen does not %s:\n%s", what, s.view.String())
		}
	}
}

// An answered is what a request got.
type answered struct {
	code int
	text string
	err  error
}

// sendHeld sends a request that may be held.
func sendHeld(method, url, contentType, body string) <-chan answered {
	done := make(chan answered, 1)
	go func() {
		req, err := http.NewRequest(method, url, strings.NewReader(body))
		if err != nil {
			done <- answered{err: err}
			return
		}
		req.Header.Set("Content-Type", contentType)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			done <- answered{err: err}
			return
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		done <- answered{resp.StatusCode, string(text), err}
	}()
	return done
}

// wantAnswer waits for an answer and checks its code.
func wantAnswer(t *testing.T, done <-chan answered, code int) string {
	t.Helper()
	select {
	case a := <-done:
		if a.err != nil || a.code != code {
			t.Fatalf("%d %v, want %d: %s", a.code, a.err, code, a.text)
		}
		return a.text
	case <-time.After(30 * time.Second):
		t.Fatal("no answer")
		return ""
	}
}

// mustVersion makes a ConfigMap and returns where it is, and it with its version.
func mustVersion(t *testing.T, p *program.Program, name string) (url, object string) {
	t.Helper()
	all := p.URL + "/api/v1/namespaces/default/configmaps"
	made := programtest.MustCall(t, 201, "POST", all, programtest.JSONType, fmt.Sprintf(`{"metadata":{"name":%q},"data":{"fish":"3"}}`, name))
	var o struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal([]byte(made), &o); err != nil {
		t.Fatal(err)
	}
	return all + "/" + name, fmt.Sprintf(`{"metadata":{"name":%q,"resourceVersion":%q},"data":{"fish":"4"}}`, name, o.Metadata.ResourceVersion)
}

const door = `hold before "rv check" name door on verb:update res:configmaps`

// A writer that names its version is held at the door while another one passes; let go, it meets the 409. The screen shows it on the way.
func TestScreen_heldWriter(t *testing.T) {
	p := programtest.MustStart(t, "off")
	url, tank := mustVersion(t, p, "tank")
	s := mustScreen(t, p, tui.Options{Theme: "mono"})
	s.keys("9")
	s.see("No rules, and nothing is held.")
	s.keys("a" + door)
	s.see("Stops every update request for configmaps before rv check until it is let go.")
	s.keys("\r")
	s.see(" FAULTS 1 ", "1 "+door)
	held := sendHeld("PUT", url, programtest.JSONType, tank)
	s.see(" HELD 1 ", "configmaps/tank", "rv check", "and that is stored")
	s.keys("k")
	s.see("⏸ rv check", "Rule 1, door, holds the update of configmaps/tank")
	s.keys("1")
	s.see("before rv check", "─ gate ──", "1 held")
	programtest.MustCall(t, 200, "PATCH", url, programtest.MergeType, `{"data":{"fish":"9"}}`)
	s.see("will be refused")
	s.keys("9g")
	wantAnswer(t, held, 409)
	s.miss(" HELD 1 ")
	s.see("hold before rv check", "let go")
	s.keys("1Gk\r")
	s.see("409! Conflict", "door held it", "during that", "⏸ hold")
	s.keys("9-")
	s.miss(" FAULTS 1 ")
}

// What is held is edited, refused, dropped, or let go with all others.
func TestScreen_verdicts(t *testing.T) {
	p := programtest.MustStart(t, "off")
	url, tank := mustVersion(t, p, "tank")
	dir := t.TempDir()
	editor := filepath.Join(dir, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nsed -i 's/\"fish\": *\"4\"/\"fish\":\"44\"/' \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBE_EDITOR", "")
	t.Setenv("EDITOR", editor)
	s := mustScreen(t, p, tui.Options{Theme: "mono"})
	s.see("configmaps/tank")
	programtest.MustCall(t, 200, "POST", p.URL+"/debug/gate", "text/plain", door)
	s.see(" FAULTS 1 ")
	first := sendHeld("PUT", url, programtest.JSONType, tank)
	s.see(" HELD 1 ")
	s.keys("9E")
	s.see("edited; g lets it go as edited")
	s.keys("g")
	if got := wantAnswer(t, first, 200); !strings.Contains(got, `"fish":"44"`) {
		t.Errorf("it was not edited: %s", got)
	}
	s.miss(" HELD 1 ")
	second := sendHeld("PUT", url, programtest.JSONType, tank)
	s.see(" HELD 1 ")
	s.keys("x3")
	if got := wantAnswer(t, second, 429); !strings.Contains(got, `"retryAfterSeconds":3`) {
		t.Errorf("no Retry-After: %s", got)
	}
	s.miss(" HELD 1 ")
	third := sendHeld("PUT", url, programtest.JSONType, tank)
	s.see(" HELD 1 ")
	s.keys("D")
	s.see("Its connection is cut without an answer.")
	s.keys("D")
	if a := <-third; a.err == nil {
		t.Errorf("dropped, and answered with %d", a.code)
	}
	s.miss(" HELD 1 ")
	fourth, fifth := sendHeld("PUT", url, programtest.JSONType, tank), sendHeld("PUT", url, programtest.JSONType, tank)
	s.see(" HELD 2 ")
	s.keys("A")
	wantAnswer(t, fourth, 409)
	wantAnswer(t, fifth, 409)
	s.miss(" HELD 2 ")
}

// The words of plain mode do what the keys do.
func TestPlain_gate(t *testing.T) {
	p := programtest.MustStart(t, "off")
	url, tank := mustVersion(t, p, "tank")
	in, typed := io.Pipe()
	a := &attached{t: t, in: typed}
	done := make(chan error, 1)
	go func() {
		_, err := tui.Run(context.Background(), tui.Options{Log: p.Log, URL: p.URL, Plain: true, In: in, Out: a.write(&a.out)})
		done <- err
	}()
	say := func(line, told string) {
		t.Helper()
		fmt.Fprintln(typed, line)
		a.await(told)
	}
	say("gate", "There are no rules.")
	say("fault holt", `unknown action "holt"`)
	say("fault "+door, "Added: Stops every update request for configmaps before rv check")
	first := sendHeld("PUT", url, programtest.JSONType, tank)
	a.await("go 1 lets it go.")
	say("gate", "Rule 1: "+door)
	say("go 7", "That did not work:")
	say("refuse 1 x", "refuse needs the number of a held request and a status")
	say("refuse 1 503", "Held request 1 is refused with 503 Service Unavailable.")
	wantAnswer(t, first, 503)
	second := sendHeld("PUT", url, programtest.JSONType, tank)
	a.await("go 2 lets it go.")
	say("go 2", "Held request 2 goes on.")
	wantAnswer(t, second, 200)
	third := sendHeld("PUT", url, programtest.JSONType, tank)
	a.await("go 3 lets it go.")
	say("drop 3", "Held request 3 is dropped.")
	if got := <-third; got.err == nil {
		t.Errorf("dropped, and answered with %d", got.code)
	}
	file := filepath.Join(t.TempDir(), "rules")
	if err := os.WriteFile(file, []byte("seed 7\nrefuse 410 on verb:list\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	say("faults "+file, "1 rule of "+file)
	say("fault off", "All rules are removed.")
	say("quit", "")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
