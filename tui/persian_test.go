package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"

	"kubarium/flow"
	"kubarium/tui/learn"
	"kubarium/tui/term"
)

// What a lesson says in Persian, with half spaces and a mark above a letter.
var (
	persianStep = learn.State{Phase: learn.Paused, Done: 2, Telling: learn.Telling{
		Narration: "این Deployment یک ReplicaSet دارد، و آن دو Pod. این نخستین revision است؛ نسخهٔ بعدی را الگوی تازه\u200cای می\u200cسازد.",
		LookAt:    "حاشیه\u200cنویسی با revision", You: "kubectl -n lesson-rolling-update-4k7gk rollout history deployment pump",
	}}
	persianQuestion = learn.State{Phase: learn.Waiting, Done: 1, Question: &learn.Question{Ask: "برای ReplicaSet قدیمی چه رخ می\u200cدهد؟", Choices: []string{"الگوی تازه می\u200cگیرد", "حذف می\u200cشود", "به صفر می\u200cرسد"}, Right: "به صفر می\u200cرسد"}}
)

func persianUI(t *testing.T, s learn.State, w, h int) *ui {
	t.Helper()
	return uiIn(t, language.Persian, "rolling-update", s, w, h)
}

// The strip of a lesson, its question, its whole step and page 8 in Persian.
func TestView_GoldenPersian(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}} {
		for _, v := range []struct {
			name  string
			state learn.State
			keys  []string
		}{{"strip", persianStep, nil}, {"asks", persianQuestion, nil}, {"whole", persianStep, []string{"L"}}, {"lessons", persianStep, []string{"8"}}} {
			name := fmt.Sprintf("persian-%s-%dx%d-mono", v.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				u := persianUI(t, v.state, size[0], size[1])
				u.view()
				u.keys(v.keys...)
				compareGolden(t, name, u.view()+"\n")
			})
		}
	}
}

// With Persian words on every page, at every size, no line is too wide or too short for what it has.
func TestView_PersianAllSizes(t *testing.T) {
	fitsAllSizes(t, persianUI(t, persianStep, 80, 24), "ن")
}

// What terminals do to Persian is said where it is offered, when it is chosen, and on a screen that begins with it.
func TestLanguages_rightToLeft(t *testing.T) {
	u := chineseUI(t, chineseStep, 120, 36)
	u.Words = nil
	u.lesson.SetLanguages([]string{"en", "fa"}, func(string) ([]learn.Lesson, error) { return u.lesson.Lessons, nil })
	u.keys(":", "l", "a", "n", "g", "space", "f")
	if v := u.view(); !strings.Contains(v, "show the lessons in fa; few terminals join its letters or set it right to left") {
		t.Errorf("offered:\n%s", v)
	}
	u.keys("esc")
	const says = "in fa; few terminals join its letters or set it right to left; :lang en"
	u.typeLine("lang fa")
	u.settle()
	if u.Toast.Text != says {
		t.Errorf("chosen: %q", u.Toast.Text)
	}
	began := newUI(Options{Log: flow.NewLog(flow.Limits{}), URL: "http://127.0.0.1:8080", Now: time.Now, Language: "fa"}, term.NewTheme("mono"))
	if began.Toast.Text != says {
		t.Errorf("begun: %q", began.Toast.Text)
	}
}
