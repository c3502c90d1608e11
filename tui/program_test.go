package tui_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"kubarium/flow"
	"kubarium/tui"
	"kubarium/tui/learn"
)

// A terminal is a true terminal device with a screen behind it.
type terminal struct {
	t      *testing.T
	ptm    *os.File
	screen vt10x.Terminal
	done   chan result
	raw    syncBuffer
}

type result struct {
	how tui.Quit
	err error
}

type syncBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// wholeRunes hands bytes on in whole runes: the screen takes no part of one, and io.Copy would end there.
type wholeRunes struct {
	to   io.Writer
	left []byte
}

func (w *wholeRunes) Write(b []byte) (int, error) {
	w.left = append(w.left, b...)
	n := len(w.left)
	for k := 1; k < utf8.UTFMax && k <= n; k++ {
		if c := w.left[n-k]; utf8.RuneStart(c) {
			if !utf8.FullRune(w.left[n-k:]) {
				n -= k
			}
			break
		}
	}
	_, err := w.to.Write(w.left[:n])
	w.left = append([]byte(nil), w.left[n:]...)
	return len(b), err
}

// start runs the UI on a terminal of 120x36.
func start(t *testing.T, ctx context.Context, o tui.Options) *terminal {
	t.Helper()
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("LANG", "C.UTF-8")
	t.Setenv("LC_ALL", "")
	t.Setenv("TMUX", "")
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Skip("no terminal device: ", err)
	}
	if err := pty.Setsize(ptm, &pty.Winsize{Cols: 120, Rows: 36}); err != nil {
		t.Fatal(err)
	}
	te := &terminal{t: t, ptm: ptm, screen: vt10x.New(vt10x.WithSize(120, 36)), done: make(chan result, 1)}
	o.In, o.Out, o.URL = pts, pts, cmp.Or(o.URL, "http://127.0.0.1:8080")
	go func() { _, _ = io.Copy(io.MultiWriter(&te.raw, &wholeRunes{to: te.screen}), ptm) }()
	go func() {
		how, err := tui.Run(ctx, o)
		te.done <- result{how, err}
	}()
	t.Cleanup(func() { _, _ = ptm.Close(), pts.Close() })
	return te
}

func (te *terminal) keys(s string) {
	te.t.Helper()
	if _, err := io.WriteString(te.ptm, s); err != nil {
		te.t.Fatal(err)
	}
}

// waitFor reports whether something comes true within a minute.
func waitFor(ok func() bool) bool {
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// mustShow waits until a screen or an output has a text.
func mustShow(t *testing.T, where fmt.Stringer, want string) {
	t.Helper()
	if !waitFor(func() bool { return strings.Contains(where.String(), want) }) {
		t.Fatalf("%q is not shown:\n%s", want, where)
	}
}

// see waits until the screen shows a text.
func (te *terminal) see(want string) {
	te.t.Helper()
	mustShow(te.t, te.screen, want)
}

// restored waits for what leaves the alternate screen: the terminal may still be reading when the UI has ended.
func (te *terminal) restored() {
	te.t.Helper()
	te.gets("\x1b[?1049l")
}

func (te *terminal) End() result {
	te.t.Helper()
	select {
	case r := <-te.done:
		return r
	case <-time.After(time.Minute):
		te.t.Fatal("the UI does not end")
		return result{}
	}
}

func request(verb, name string, status int) *flow.Flow {
	return &flow.Flow{Start: time.Now(), Duration: time.Millisecond, Client: flow.Client{Tag: "k1"}, Method: "GET", Path: "/api/v1/namespaces/default/configmaps/" + name,
		Target: flow.Target{Verb: verb, Version: "v1", Resource: "configmaps", Namespace: "default", Name: name}, Status: status}
}

// The UI shows what is published, opens the inspector, filters, copies, asks before quitting and says how it was left.
func TestRun_KeysFilterQuit(t *testing.T) {
	log := flow.NewLog(flow.Limits{})
	te := start(t, context.Background(), tui.Options{Log: log, NoIntro: true, Theme: "dark"})
	te.see("No requests yet.")
	log.Publish(request("get", "first", 200))
	log.Publish(request("get", "second", 404))
	te.see("configmaps/second")
	te.keys("k")
	te.see("PINNED")
	te.keys("\r]")
	te.see("No body was sent.")
	te.keys("\x1b")
	te.see("enter inspect")
	te.keys("/code:404")
	te.see("ok · 1 of 2 requests shown")
	te.keys("\r")
	te.keys("/cod:1")
	te.see("did you mean")
	te.keys("\x1b")
	te.see("ok · 1 of 2 requests shown")
	te.keys("yc")
	te.see("copied curl command")
	if !strings.Contains(te.raw.String(), "\x1b]52;c;") {
		t.Error("no OSC 52 was written")
	}
	te.keys("q")
	te.see("Quit Kubarium?")
	te.keys("d")
	if r := te.End(); r.how != tui.QuitServe || r.err != nil {
		t.Errorf("detached: %+v", r)
	}
	te.restored()
}

// ^c twice, and the end of the context, end the UI as a stop.
func TestRun_Stops(t *testing.T) {
	te := start(t, context.Background(), tui.Options{Log: flow.NewLog(flow.Limits{}), NoIntro: true, Theme: "mono"})
	te.see("No requests yet.")
	te.keys("\x03")
	te.see("once more")
	waitFor(func() bool { // the next two that come within two seconds
		te.keys("\x03")
		return len(te.done) > 0
	})
	if r := te.End(); r.how != tui.QuitStop || r.err != nil {
		t.Errorf("^c ^c: %+v", r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	te = start(t, ctx, tui.Options{Log: flow.NewLog(flow.Limits{}), NoIntro: true, Theme: "mono"})
	te.see("No requests yet.")
	cancel()
	if r := te.End(); r.how != tui.QuitStop || r.err != nil {
		t.Errorf("context ended: %+v", r)
	}
}

// The first-run card is shown once.
func TestRun_IntroOnce(t *testing.T) {
	dir := t.TempDir()
	te := start(t, context.Background(), tui.Options{Log: flow.NewLog(flow.Limits{}), StateDir: dir, Theme: "mono"})
	te.see("under glass")
	te.keys("\r")
	te.see("LIVE")
	waitFor(func() bool {
		_, err := os.Stat(dir + "/intro-dismissed")
		return err == nil
	})
	te.keys("\x03\x03")
	te.End()
	te = start(t, context.Background(), tui.Options{Log: flow.NewLog(flow.Limits{}), StateDir: dir, Theme: "mono"})
	te.see("No requests yet.")
	if strings.Contains(te.screen.String(), "under glass") {
		t.Error("the card came again")
	}
	te.keys("\x03\x03")
	te.End()
}

// A panic in the UI comes back as an error, with the terminal restored, so that the server can go on.
func TestRun_Panic(t *testing.T) {
	log := flow.NewLog(flow.Limits{})
	var broken atomic.Bool
	te := start(t, context.Background(), tui.Options{Log: log, NoIntro: true, Theme: "mono", Now: func() time.Time {
		if broken.Load() {
			panic("the clock broke")
		}
		return time.Now()
	}})
	te.see("No requests yet.")
	broken.Store(true)
	log.Publish(request("get", "x", 200))
	r := te.End()
	if r.err == nil || !strings.Contains(r.err.Error(), "the clock broke") || r.how != tui.QuitServe {
		t.Errorf("panic: %+v", r)
	}
	te.restored()
}

// With a terminal that never reads, publishing goes on without waiting, and so does the end.
func TestRun_TerminalNeverReads(t *testing.T) {
	t.Setenv("LANG", "C.UTF-8")
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Skip("no terminal device: ", err)
	}
	defer ptm.Close()
	_ = pty.Setsize(ptm, &pty.Winsize{Cols: 120, Rows: 36})
	log := flow.NewLog(flow.Limits{Flows: 5000})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = tui.Run(ctx, tui.Options{Log: log, NoIntro: true, Theme: "mono", In: pts, Out: pts})
	}()
	published := make(chan struct{})
	go func() {
		defer close(published)
		for i := range 10_000 {
			log.Publish(request("get", fmt.Sprint("object-", i), 200))
			if i%500 == 0 {
				time.Sleep(10 * time.Millisecond)
			}
		}
	}()
	select {
	case <-published:
	case <-time.After(2 * time.Minute):
		t.Fatal("publishing waits for the terminal")
	}
	if n := log.Stats().Published; n != 10_000 {
		t.Errorf("%d published", n)
	}
	cancel()
	select {
	case <-ended:
	case <-time.After(2 * time.Minute):
		t.Error("the UI waits for the terminal at its end")
	}
}

// Plain mode tells in sentences and answers typed commands.
func TestRun_Plain(t *testing.T) {
	log := flow.NewLog(flow.Limits{})
	in, typed := io.Pipe()
	var out syncBuffer
	done := make(chan result, 1)
	go func() {
		how, err := tui.Run(context.Background(), tui.Options{Log: log, Plain: true, In: in, Out: &out, URL: "http://127.0.0.1:8080"})
		done <- result{how, err}
	}()
	see := func(want string) {
		t.Helper()
		mustShow(t, &out, want)
	}
	see("Kubarium serves http://127.0.0.1:8080.")
	log.Publish(request("get", "evil\x1b[2Jname", 404))
	see("configmap")
	log.Publish(request("get", "just-before", 200))
	fmt.Fprintln(typed, "watchers")
	see("just-before")
	for _, step := range []struct{ typed, want string }{
		{"watchers", "No client is watching."},
		{"show 1 sql", "No SQL ran"},
		{"show 9", "no longer kept"},
		{"filter cod:1", "did you mean"},
		{"next", "Nothing new."},
		{"nonsense", "Unknown command"},
	} {
		fmt.Fprintln(typed, step.typed)
		see(step.want)
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("an escape sequence from a request reached the output")
	}
	fmt.Fprintln(typed, "quit")
	if r := <-done; r.how != tui.QuitStop || r.err != nil {
		t.Errorf("quit: %+v", r)
	}
}

// In plain mode a lesson plays while its requests are told, and its narration is told once.
func TestRun_PlainLesson(t *testing.T) {
	log := flow.NewLog(flow.Limits{})
	in, typed := io.Pipe()
	var out syncBuffer
	done := make(chan result, 1)
	p := &lessonPlayer{log: log}
	go func() {
		how, err := tui.Run(context.Background(), tui.Options{Log: log, Plain: true, In: in, Out: &out,
			Lessons: []learn.Lesson{{Name: "one", Title: "One", Summary: "A lesson.", Steps: []string{"first"}, Player: p}}})
		done <- result{how, err}
	}()
	for _, step := range []struct{ typed, want string }{
		{"run", "No lesson is loaded"},
		{"lesson two", "There is no lesson"},
		{"lesson one", "One. A lesson."},
		{"run", "Lesson done: 1 of 1 steps."},
		{"detach", ""},
	} {
		fmt.Fprintln(typed, step.typed)
		mustShow(t, &out, step.want)
	}
	if r := <-done; r.how != tui.QuitServe || r.err != nil {
		t.Errorf("detach: %+v", r)
	}
	if n := strings.Count(out.String(), "A makes a request."); n != 1 {
		t.Errorf("the narration was told %d times:\n%s", n, out.String())
	}
}

// Plain mode tells what the screen says of a lesson: who plays, that it waits for its reader and for which command, what came in its
// place, somebody else's write, what was learned and which lesson is next; and all of it without being asked.
func TestRun_PlainLessonWaits(t *testing.T) {
	log := flow.NewLog(flow.Limits{})
	in, typed := io.Pipe()
	var out syncBuffer
	done := make(chan result, 1)
	changed := make(chan struct{}, 1)
	p := &waitingPlayer{}
	go func() {
		how, err := tui.Run(context.Background(), tui.Options{Log: log, Plain: true, In: in, Out: &out, Lessons: []learn.Lesson{
			{Name: "one", Course: "Writing", Title: "One", Summary: "A lesson.", Actors: []learn.Actor{{Name: "A", Role: "the first writer"}}, Steps: []string{"first"},
				Learned: "Patches are short.", Next: "two", Kubectl: " -s http://127.0.0.1:1234", Player: p, Changed: changed},
			{Name: "two", Course: "Deleting", Title: "Two", Lacks: func() (string, error) {
				return "needs the compaction on demand of Kubarium (/debug/compact), which this server does not serve", nil
			}, Player: &waitingPlayer{}}}})
		done <- result{how, err}
	}()
	step := learn.Telling{Narration: "You patch.", LookAt: "the fish", You: "kubectl patch cm tank"}
	await := &learn.Await{Command: step.You}
	for _, c := range []struct {
		typed string // "" if the lesson goes on by itself
		state learn.State
		want  string
	}{
		{"lessons", learn.State{Phase: learn.Idle}, "Writing:\none: One, new.\nDeleting:\ntwo: Two, new. It needs the compaction on demand of Kubarium (/debug/compact), which this server does not serve.\n"},
		{"lessons zzz", learn.State{Phase: learn.Idle}, `No lesson has the words "zzz"`},
		{"lesson one", learn.State{Phase: learn.Idle}, "A: the first writer."},
		{"pace fast", learn.State{Phase: learn.Idle}, "The paces are wait, ×1."},
		{"pace x1", learn.State{Phase: learn.Idle}, "Pace ×1."},
		{"run", learn.State{Phase: learn.Waiting, Telling: step, Await: await}, "You patch.\nLook at: the fish.\nYour turn, in another terminal; step plays it for you:\nkubectl -s http://127.0.0.1:1234 patch cm tank\n"},
		{"", learn.State{Phase: learn.Waiting, Telling: step, Await: &learn.Await{Command: step.You, Came: "k1 sent a get of configmaps/tank"}}, "k1 sent a get of configmaps/tank. The lesson still waits; step plays it for you.\n"},
		{"", learn.State{Phase: learn.Paused, Telling: step, Notice: &learn.Notice{Who: "k2", Did: "deleted", Object: "configmaps/tank", Seq: 7}}, "k2 deleted configmaps/tank, which belongs to this lesson: what it says next may no longer hold. run goes on, reset begins again, show 7 shows the request.\n"},
		{"", learn.State{Phase: learn.Done, Done: 1, Telling: step}, "Lesson done: 1 of 1 steps.\nLearned: Patches are short.\nNext: lesson two\n"},
		{"detach", learn.State{Phase: learn.Done}, ""},
	} {
		p.state.Store(&c.state)
		if c.typed != "" {
			fmt.Fprintln(typed, c.typed)
		} else {
			changed <- struct{}{}
		}
		mustShow(t, &out, c.want)
	}
	if r := <-done; r.how != tui.QuitServe || r.err != nil {
		t.Errorf("detach: %+v", r)
	}
	if n := strings.Count(out.String(), "You patch."); n != 1 {
		t.Errorf("the narration was told %d times", n)
	}
}

// A waitingPlayer is in the state that a test puts it in.
type waitingPlayer struct{ state atomic.Pointer[learn.State] }

func (p *waitingPlayer) Run() error       { return nil }
func (p *waitingPlayer) Step() error      { return nil }
func (p *waitingPlayer) Pause() error     { return nil }
func (p *waitingPlayer) Reset() error     { return nil }
func (p *waitingPlayer) Answer(string)    {}
func (p *waitingPlayer) SetSpeed(float64) {}
func (p *waitingPlayer) State() learn.State {
	if s := p.state.Load(); s != nil {
		return *s
	}
	return learn.State{Phase: learn.Idle}
}
func (p *waitingPlayer) Told() []learn.Telling {
	if s := p.State(); s.Phase != learn.Idle {
		return []learn.Telling{s.Telling}
	}
	return nil
}

// A lessonPlayer publishes one request when it runs.
type lessonPlayer struct {
	log *flow.Log
	ran atomic.Bool
}

func (p *lessonPlayer) Run() error {
	p.log.Publish(request("get", "of-the-lesson", 200))
	p.ran.Store(true)
	return nil
}
func (p *lessonPlayer) Step() error           { return p.Run() }
func (p *lessonPlayer) Pause() error          { return nil }
func (p *lessonPlayer) Reset() error          { return nil }
func (p *lessonPlayer) Answer(string)         {}
func (p *lessonPlayer) SetSpeed(float64)      {}
func (p *lessonPlayer) Told() []learn.Telling { return nil }
func (p *lessonPlayer) State() learn.State {
	if p.ran.Load() {
		return learn.State{Phase: learn.Done, Done: 1, Telling: learn.Telling{Narration: "A makes a request."}}
	}
	return learn.State{Phase: learn.Idle}
}
