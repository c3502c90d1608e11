package shown_test

import (
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/app/lang"
	"kubarium/app/program"
	"kubarium/app/shown"
	"kubarium/tui/learn"
)

// startLessons starts a server, and returns the lessons as its UI has them.
func startLessons(t *testing.T) (*program.Program, []learn.Lesson) {
	t.Helper()
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: 5 * time.Minute, Sync: "normal"}
	p, err := program.Start(t.Context(), c, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	teller, err := shown.NewLessons(t.Context(), nil, p.URL, p.Log, &lang.Flag{Said: "en"}, false)
	if err != nil {
		t.Fatal(err)
	}
	return p, teller.All()
}

// The UI knows of each lesson its course, its actors in order, what it teaches and the next one, and of each step where to look and
// by what its request is found.
func TestUILessons_texts(t *testing.T) {
	p, lessons := startLessons(t)
	i := slices.IndexFunc(lessons, func(l learn.Lesson) bool { return l.Name == "lost-update" })
	l := lessons[i]
	if l.Course != "Writing" || len(l.Actors) != 2 || l.Actors[1] != (learn.Actor{Name: "B", Role: "counts the plants"}) || l.Learned == "" || l.Next != lessons[i+1].Name || l.Changed == nil {
		t.Errorf("%+v", l)
	}
	if s := l.Player.State(); s.Show.Page != "" || s.Phase != learn.Idle {
		t.Errorf("before its first step: %+v", s)
	}
	for l.Player.State().Phase != learn.Waiting { // B writes
		if err := l.Player.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Player.Step(); err != nil { // and gets a 409
		t.Fatal(err)
	}
	told := l.Player.Told()
	now := told[len(told)-1]
	if now.Show.Page != "conflicts" || now.Show.Pane != "list" || now.Show.Resource != "configmaps" || now.Show.Name != "tank" || now.Show.Namespace == "" {
		t.Errorf("shows %+v", now.Show)
	}
	if now.Sent.Actor != "B" || now.Sent.Method != "PUT" || now.Sent.Seq != 0 || l.Player.State().Sent != now.Sent {
		t.Errorf("sent %+v", now.Sent)
	}
	var found []int
	for deadline := time.Now().Add(10 * time.Second); len(found) == 0 && time.Now().Before(deadline); { // a flow may come after its answer
		flows, _ := p.Log.Since(0, 0)
		for _, f := range flows {
			if now.Sent.Is(f) {
				found = append(found, f.Status)
			}
		}
	}
	if !slices.Equal(found, []int{409}) {
		t.Errorf("the step's request is found with %v", found)
	}
	if err := l.Player.Reset(); err != nil {
		t.Error(err)
	}
}

// A step of the reader's shows as waiting without a question, with its command and what came in its place; and a change by somebody
// else as a notice.
func TestUILessons_hand(t *testing.T) {
	p, lessons := startLessons(t)
	l := lessons[slices.IndexFunc(lessons, func(l learn.Lesson) bool { return l.Name == "three-ways-to-write" })]
	for l.Player.State().Await == nil {
		if err := l.Player.Step(); err != nil {
			t.Fatal(err)
		}
	}
	s := l.Player.State()
	if s.Phase != learn.Waiting || s.Question != nil || s.Await.Command != s.You || s.Telling.Command(" -s u") != strings.Replace(s.You, "kubectl ", "kubectl -s u ", 1) {
		t.Fatalf("%+v", s)
	}
	response, err := http.Post(p.URL+strings.TrimSuffix(s.Sent.Path, "/tank"), "application/json", strings.NewReader(`{"metadata":{"name":"other"}}`))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	for s.Notice == nil || s.Await == nil || s.Await.Came == "" {
		select {
		case <-l.Changed:
			s = l.Player.State()
		case <-time.After(10 * time.Second):
			t.Fatalf("%+v", s)
		}
	}
	if n := s.Notice; n.Who != "go1" || n.Did != "created" || n.Object != "configmaps/other" || p.Log.Get(n.Seq).Status != 201 {
		t.Errorf("%+v", n)
	}
	if err := l.Player.Step(); err != nil { // plays it for the reader
		t.Fatal(err)
	}
	if s := l.Player.State(); s.Phase != learn.Paused || s.Notice != nil || s.Await != nil || s.Sent.Seq != 0 {
		t.Errorf("%+v", s)
	}
	if err := l.Player.Reset(); err != nil {
		t.Error(err)
	}
}

// A lesson in the UI asks before the step with a question, gives what the reader answered beside what is right, and
// tells what was told before.
func TestUILessons(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: 5 * time.Minute, Sync: "normal"}
	p, err := program.Start(t.Context(), c, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	teller, err := shown.NewLessons(t.Context(), nil, p.URL, p.Log, &lang.Flag{Said: "en"}, false)
	if err != nil || len(teller.All()) == 0 {
		t.Fatalf("no lessons, %v", err)
	}
	player := teller.All()[0].Player
	player.SetSpeed(1000)
	if err := player.Run(); err != nil {
		t.Fatal(err)
	}
	s := player.State()
	if s.Phase != learn.Waiting || s.Question == nil || s.Done == 0 || len(player.Told()) != s.Done {
		t.Fatalf("%+v after %d tellings", s, len(player.Told()))
	}
	done, right := s.Done, s.Question.Right
	player.Answer(right)
	if err := player.Step(); err != nil {
		t.Fatal(err)
	}
	s = player.State()
	if s.Done != done+1 || s.Answer != right || s.Question.Right != right || s.Narration == "" {
		t.Errorf("answered: %+v", s)
	}
	if told := player.Told(); len(told) != done+1 || told[done].Narration != s.Narration {
		t.Errorf("told %v", told)
	}
	if err := player.Reset(); err != nil || player.State().Phase != learn.Idle {
		t.Errorf("reset: %v, %s", err, player.State().Phase)
	}
}

// A reader who leaves a server that goes on leaves it no fault rules, and nobody who is held.
func TestQuitLessons(t *testing.T) {
	p, lessons := startLessons(t)
	begin := func(name string, steps int) {
		l := lessons[slices.IndexFunc(lessons, func(l learn.Lesson) bool { return l.Name == name })]
		for l.Player.State().Done < steps {
			if err := l.Player.Step(); err != nil {
				t.Fatal(err)
			}
		}
	}
	begin("two-writers-one-door", 2)
	if s := p.Gate().State(t.Context()); len(s.Rules) != 1 || len(s.Held) != 1 {
		t.Errorf("%+v", s)
	}
	if err := shown.QuitLessons(t.Context(), lessons); err != nil {
		t.Error(err)
	}
	end := time.Now().Add(time.Minute)
	for s := p.Gate().State(t.Context()); len(s.Rules) > 0 || len(s.Held) > 0; s = p.Gate().State(t.Context()) {
		if len(s.Rules) > 0 || time.Now().After(end) {
			t.Fatalf("%+v", s)
		}
		time.Sleep(5 * time.Millisecond)
	}
	begin("lost-answer", 1)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := shown.QuitLessons(t.Context(), lessons); err != nil {
		t.Errorf("the server is gone: %v", err)
	}
}
