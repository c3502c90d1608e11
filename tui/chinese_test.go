package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/language"

	"kubarium/cells"
	"kubarium/flow"
	"kubarium/scenarios"
	"kubarium/scenarios/translation"
	"kubarium/scenarios/words"
	"kubarium/tui/learn"
	"kubarium/tui/page"
)

// lessonsIn are the lessons as they are told in a language; the one that is loaded is played by p.
func lessonsIn(t *testing.T, tag language.Tag, loaded string, p learn.Player) []learn.Lesson {
	t.Helper()
	all, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	var out []learn.Lesson
	for _, l := range all {
		told, err := translation.In(l, tag)
		if err != nil {
			t.Fatal(err)
		}
		le := learn.Lesson{Name: l.Name, Title: told.Title, Course: told.Course, Road: told.Road, Summary: told.About, Learned: told.Learned, Next: l.Next, Also: l.Title, Player: &fakePlayer{state: learn.State{Phase: learn.Idle}}}
		for _, a := range told.Actors {
			le.Actors = append(le.Actors, learn.Actor{Name: a.Name, Role: a.Role})
		}
		for _, s := range told.Steps {
			le.Steps = append(le.Steps, s.Title)
		}
		if l.Name == loaded {
			le.Player = p
		}
		out = append(out, le)
	}
	return out
}

// chineseUI shows a lesson in Chinese.
func chineseUI(t *testing.T, s learn.State, w, h int) *ui {
	t.Helper()
	return uiIn(t, language.Chinese, "generated-names", s, w, h)
}

// uiIn shows a lesson in a language.
func uiIn(t *testing.T, tag language.Tag, lesson string, s learn.State, w, h int) *ui {
	t.Helper()
	d := newDemo(flow.Limits{})
	d.story()
	d.write("A", "update", flow.Updated, "名字空间-👨\u200d👩\u200d👧-e\u0301", 3)
	u, _ := testUI(d, "mono", w, h)
	told := []learn.Telling{{Narration: "一"}, s.Telling}[:max(1, min(2, s.Done))]
	u.pages[page.Learn], u.lesson.Lessons = u.lesson, lessonsIn(t, tag, lesson, &fakePlayer{state: s, told: told})
	u.lesson.Open(lesson)
	u.Words = words.In(tag.String())
	return u
}

// What a lesson says in Chinese.
var (
	chineseStep = learn.State{Phase: learn.Paused, Done: 2, Telling: learn.Telling{
		Narration: "用完全相同的请求主体发送第二个 POST，会产生第二个对象。如果其中有名称，就会是 409；而在这里，它是另一条鱼。如果名称由客户端自己选定，重试就是安全的（见“更新丢失”）。",
		LookAt:    "名称，它不是 neon-4k7gk", You: "kubectl -n lesson-generated-names-4k7gk get configmaps -l lesson=names",
	}}
	chineseQuestion = learn.State{Phase: learn.Waiting, Done: 1, Question: &learn.Question{Ask: "name 是 nemo，generateName 是 neon-。它叫什么？", Choices: []string{"nemo", "neon-nemo", "neon- 加五个字符"}, Right: "nemo"}}
)

// Page 8, the strip of a lesson and its whole step in Chinese.
func TestView_GoldenChinese(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}} {
		for _, v := range []struct {
			name  string
			state learn.State
			keys  []string
		}{{"strip", chineseStep, nil}, {"asks", chineseQuestion, nil}, {"whole", chineseStep, []string{"L"}}, {"lessons", chineseStep, []string{"8"}}, {"narrowed", chineseStep, []string{"8", "/", "令", "牌", "enter"}}} {
			name := fmt.Sprintf("chinese-%s-%dx%d-mono", v.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				u := chineseUI(t, v.state, size[0], size[1])
				u.view()
				u.keys(v.keys...)
				compareGolden(t, name, u.view()+"\n")
			})
		}
	}
}

// With Chinese words and emoji on every page, at every size, no line is too wide or too short for what stands in it, and no wide
// character is drawn by halves.
func TestView_ChineseAllSizes(t *testing.T) {
	fitsAllSizes(t, chineseUI(t, chineseStep, 80, 24), "名")
}

// fitsAllSizes draws all pages and what opens on them at many sizes, with a letter in the filter's line.
func fitsAllSizes(t *testing.T, u *ui, letter string) {
	t.Helper()
	check := func(what string) {
		t.Helper()
		for set := range 3 {
			u.o.ASCII, u.o.SafeWidth, u.Dirty = set == 2, set == 1, true
			frame := u.view()
			lines := strings.Split(frame, "\n")
			if len(lines) != u.h {
				t.Fatalf("%dx%d %s: %d lines", u.w, u.h, what, len(lines))
			}
			for y, l := range lines {
				bare := ansi.Strip(l)
				if n := max(ansi.StringWidth(bare), cells.Width(bare)); n > u.w {
					t.Fatalf("%dx%d %s: a line of %d cells: %q", u.w, u.h, what, n, bare)
				}
				if set == 0 && ansi.StringWidth(bare) != cells.Width(bare) {
					t.Fatalf("%dx%d %s: line %d is %d or %d cells wide: %q", u.w, u.h, what, y, ansi.StringWidth(bare), cells.Width(bare), bare)
				}
			}
		}
		u.o.ASCII, u.o.SafeWidth = false, false
	}
	for w := 20; w <= 200; w += 9 {
		for h := 5; h <= 60; h += 11 {
			u.resize(w+h%9, h) // all widths come, one here and one there
			for _, screen := range u.screens() {
				u.Show(screen)
				check(fmt.Sprint("page ", screen))
			}
			for _, ks := range [][]string{{"L"}, {"esc", "?"}, {"esc", ":"}, {"esc", "/", letter}, {"esc"}} {
				u.keys(ks...)
				check(fmt.Sprint(ks))
			}
		}
	}
}

// Lessons are found by words of both languages, and a language is chosen while a lesson is under way.
func TestLessons_Languages(t *testing.T) {
	u := chineseUI(t, chineseStep, 120, 36)
	for _, words := range []string{"生成的名称 初次", "Generated names", "generated-names 初次"} {
		if found := u.lesson.Search(words); len(found) == 0 || found[0].Name != "generated-names" {
			t.Errorf("%q finds %d lessons", words, len(found))
		}
	}
	player := &fakePlayer{state: chineseStep, told: []learn.Telling{{}, chineseStep.Telling}}
	u.lesson.SetLanguages([]string{"en", "zh"}, func(name string) ([]learn.Lesson, error) {
		if name == "zh" {
			return nil, fmt.Errorf("zh is away")
		}
		return []learn.Lesson{{Name: "generated-names", Title: "Generated names", Steps: []string{"one", "two"}, Player: player}}, nil
	})
	u.keys(":", "l", "a", "n", "g", "space", "e", "n", "enter")
	u.settle()
	if u.lesson.Loaded == nil || u.lesson.Loaded.Title != "Generated names" || !strings.Contains(u.view(), "lessons are in en") {
		t.Errorf("%+v\n%s", u.lesson.Loaded, u.view())
	}
	for line, says := range map[string]string{"lang fa": "no lessons in fa; there are en, zh", "lang": "lessons are in several languages; there are en, zh"} {
		u.typeLine(line)
		u.settle()
		if u.Toast.Text != says {
			t.Errorf("%s: %q", line, u.Toast.Text)
		}
	}
	if v := u.view(); strings.Contains(v, "流量") || !strings.Contains(v, "Traffic") {
		t.Errorf("the screen is not English\n%s", v)
	}
	u.lesson.Speak("zh")
	u.settle()
	if u.lesson.Loaded.Title != "Generated names" || !strings.Contains(u.view(), "zh is away") {
		t.Errorf("%+v\n%s", u.lesson.Loaded, u.view())
	}
}
