package app

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"kubarium/tui"
)

// A lesson in the UI asks before the step with a question, gives what the reader answered beside what is right, and
// tells what was told before.
func TestUILessons(t *testing.T) {
	c := Config{Listen: "127.0.0.1:0", DB: ":memory:", History: 5 * time.Minute, Sync: "normal"}
	p, err := Start(t.Context(), c, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	lessons, err := uiLessons(t.Context(), p.URL, p.Log)
	if err != nil || len(lessons) == 0 {
		t.Fatalf("%d lessons, %v", len(lessons), err)
	}
	player := lessons[0].Player
	player.SetSpeed(1000)
	if err := player.Run(); err != nil {
		t.Fatal(err)
	}
	s := player.State()
	if s.Phase != tui.LessonWaiting || s.Question == nil || s.Done == 0 || len(player.Told()) != s.Done {
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
	if err := player.Reset(); err != nil || player.State().Phase != tui.LessonIdle {
		t.Errorf("reset: %v, %s", err, player.State().Phase)
	}
}
