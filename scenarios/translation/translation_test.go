package translation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/language"

	"kubarium/cells"
	"kubarium/scenarios"
	"kubarium/scenarios/lessontest"
	"kubarium/scenarios/play"
	"kubarium/scenarios/translation"
	"kubarium/server/controllers"
)

// A lesson, and its translation as it is to be.
const (
	plainLesson = `title: A fish
about: What becomes of a fish.
course: Fish
learned: Fish swim.
actors:
  A: has a tank
steps:
- title: A creates it
  tell: A creates {ns}.
  look: the name of it
  as: A
  request: {method: GET, path: /version}
  expect: {status: 200}
- title: You read it
  tell: Read it.
  you: kubectl get pods
  predict:
    ask: Is it there?
    choices: ["yes", "no"]
    answer: "yes"
  as: you
  request: {method: GET, path: /version}
  expect: {status: 200}
`
	chinese = `title: 一条鱼
about: >-
  一条鱼会
  怎样。
course: 鱼
learned: 鱼会游。
actors: {A: 有一个鱼缸}
steps:
- step: A creates it
  title: A 创建它
  tell: A 创建 {ns}。
  look: 它的名称
- step: You read it
  title: 你读取它
  tell: 读取它。
  predict: {ask: 它在吗？, choices: [在, 不在]}
`
)

// mustWrite writes a lesson with translations, by their languages, and reads it.
func mustWrite(t *testing.T, translations map[string]string) *scenarios.Lesson {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("fish.yaml", plainLesson)
	for tag, text := range translations {
		write("fish."+tag+".yaml", text)
	}
	l, err := scenarios.Load(filepath.Join(dir, "fish.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A lesson is told in the language that suits best, text by text, and asks and expects what it always does.
func TestLesson_In(t *testing.T) {
	l := mustWrite(t, map[string]string{"zh": chinese, "pt-BR": "title: Um peixe\n", "de": "title: Ein Fisch\nsteps:\n- {step: A creates it, title: A legt ihn an}\n"})
	for wanted, title := range map[string]string{"zh": "一条鱼", "zh-CN": "一条鱼", "zh-TW": "一条鱼", "pt": "Um peixe", "de-AT": "Ein Fisch", "en": "A fish", "en-GB": "A fish", "fr": "A fish", "und": "A fish"} {
		told, err := translation.In(l, language.MustParse(wanted))
		if err != nil || told.Title != title {
			t.Errorf("%s: %v %v", wanted, told, err)
		}
	}
	if told, err := translation.In(l); err != nil || told != l {
		t.Errorf("for a reader who wants nothing: %v %v", told, err)
	}
	if told, err := translation.In(l, language.French, language.German, language.Chinese); err != nil || told.Title != "Ein Fisch" || told.About != l.About || told.Steps[0].Title != "A legt ihn an" || told.Steps[1].Title != "You read it" {
		t.Errorf("%+v %v", told, err)
	}
	told, err := translation.In(l, language.Chinese)
	if err != nil {
		t.Fatal(err)
	}
	if told.About != "一条鱼会怎样。" || told.Actors[0].Name != "A" || told.Actors[0].Role != "有一个鱼缸" || l.Actors[0].Role != "has a tank" {
		t.Errorf("%+v", told)
	}
	if p := told.Steps[1].Predict; p.Ask != "它在吗？" || p.Answer != "在" || told.Steps[1].You != "kubectl get pods" || told.Steps[1].Request != l.Steps[1].Request {
		t.Errorf("%+v", told.Steps[1])
	}
	if tags, err := translation.LanguagesOf(l); err != nil || !slices.Equal(tags, []language.Tag{language.German, language.BrazilianPortuguese, language.Chinese}) {
		t.Errorf("%v %v", tags, err)
	}
}

// Each mistake in a translation is an error that says file, line, step and field.
func TestReadTranslation_bad(t *testing.T) {
	l := mustWrite(t, nil)
	for _, c := range []struct{ old, new, want string }{
		{"learned:", "learnt:", `f.zh.yaml:6: unknown field "learnt", did you mean learned?`},
		{"step: A creates it", "step: A makes it", `f.zh.yaml:9: step 1 (A makes it): step: the lesson's step at this place is "A creates it"`},
		{"{ns}。", "。", "f.zh.yaml:9: step 1 (A creates it): tell: {ns} is missing"},
		{"读取它。", "读取 {ns}。", "f.zh.yaml:13: step 2 (You read it): tell: the lesson's text has no {ns}"},
		{"[在, 不在]", "[在]", "f.zh.yaml:13: step 2 (You read it): choices: there are 1, the lesson has 2: yes, no"},
		{"[在, 不在]", "[在, 在]", `f.zh.yaml:13: step 2 (You read it): choices: "在" is empty, or there twice`},
		{"{A: 有一个鱼缸}", "{B: 有一个鱼缸}", `f.zh.yaml: actors: the lesson has no actor "B"`},
		{"  predict: {ask: 它在吗？, choices: [在, 不在]}", "  look: 它", "f.zh.yaml:13: step 2 (You read it): look: the lesson has no such text"},
		{"  look: 它的名称", "  predict: {ask: 它在吗？}", "f.zh.yaml:9: step 1 (A creates it): predict: the lesson's step asks nothing"},
		{"  tell: 读取它。", "  tell: 读取它。\n  you: kubectl 读取", "f.zh.yaml:13: step 2 (You read it): you: a command is not translated"},
		{"  predict: {ask: 它在吗？, choices: [在, 不在]}", "- {step: more}", "f.zh.yaml:16: step 3 (more): the lesson has only 2 steps"},
		{chinese, "title: [\n", "f.zh.yaml:1: did not find expected node content"},
		{chinese, "", "f.zh.yaml: the file is empty"},
		{chinese, chinese + "---\ntitle: x\n", "f.zh.yaml: a file must contain exactly one translation"},
	} {
		text := strings.Replace(chinese, c.old, c.new, 1)
		if c.old == chinese {
			text = c.new
		}
		_, err := translation.Read("f.zh.yaml", []byte(text), l)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.new, err, c.want)
		}
	}
}

// A translation is renewed with all that it has; what it lacks, and what has changed, stands beside it, and is told until it is done.
func TestLesson_Renewed(t *testing.T) {
	chineseTag := language.Chinese
	gaps := func(l *scenarios.Lesson) []string {
		tr, err := translation.Load(l, chineseTag)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, g := range tr.Gaps(l) {
			out = append(out, g.String())
		}
		return out
	}
	renewed := func(l *scenarios.Lesson) string {
		text, _, err := translation.Renewed(l, chineseTag)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	l := mustWrite(t, map[string]string{"zh": chinese})
	if got := gaps(l); len(got) != 3 || got[0] != "does not say of which text it is a translation" || got[1] != "step 1 (A creates it): does not say of which text it is a translation" {
		t.Errorf("not stamped: %q", got)
	}
	stamped := renewed(l)
	l = mustWrite(t, map[string]string{"zh": stamped})
	if got := gaps(l); len(got) != 0 {
		t.Errorf("stamped: %q\n%s", got, stamped)
	}
	if again := renewed(l); again != stamped {
		t.Errorf("renewed again it is another:\n%s\nbefore:\n%s", again, stamped)
	}
	told, err := translation.In(l, chineseTag)
	if err != nil || told.Steps[1].Predict.Choices[1] != "不在" || told.About != "一条鱼会怎样。" {
		t.Errorf("%+v %v", told, err)
	}

	// Nothing is there yet: all of it is to be done.
	fresh := renewed(mustWrite(t, nil))
	for _, want := range []string{"# title: A fish\n", "  # A: has a tank\n", "- step: You read it\n  of: ", "    # choices: [\"yes\", \"no\"]\n"} {
		if !strings.Contains(fresh, want) {
			t.Errorf("a new file lacks %q:\n%s", want, fresh)
		}
	}
	if got := gaps(mustWrite(t, map[string]string{"zh": fresh})); len(got) != 12 || got[0] != "title is not translated" || got[11] != "step 2 (You read it): choices is not translated" {
		t.Errorf("nothing is translated: %q", got)
	}

	// The lesson has changed: a text, a title and a step that is no more.
	changed := strings.NewReplacer("tell: Read it.", "tell: Read it now.", "title: A creates it", "title: A makes it").Replace(plainLesson)
	dir := t.TempDir()
	for name, text := range map[string]string{"fish.yaml": changed, "fish.zh.yaml": stamped + "- {step: gone, title: 没有了}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err = scenarios.Load(filepath.Join(dir, "fish.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := translation.In(l, chineseTag); err == nil || !strings.Contains(err.Error(), `fish.zh.yaml:9: step 1 (A creates it): step: the lesson's step at this place is "A makes it"`) {
		t.Error(err)
	}
	text, old, err := translation.Renewed(l, chineseTag)
	if err != nil || len(old) != 2 || old[1].String() != "step 2 (You read it): the lesson's text has changed since it was translated" {
		t.Errorf("%v %v", old, err)
	}
	for _, want := range []string{"- step: A makes it\n", "  #   title: A makes it\n", "  title: A 创建它\n", "  #   tell: Read it now.\n", "  tell: 读取它。\n", "# The lesson has no such step any more:\n", "没有了"} {
		if !strings.Contains(text, want) {
			t.Errorf("a renewed file lacks %q:\n%s", want, text)
		}
	}
	if got := gaps(mustWriteOver(t, dir, text)); len(got) != 0 {
		t.Errorf("renewed: %q", got)
	}
}

// mustWriteOver puts a translation beside the lesson in a folder, and reads that.
func mustWriteOver(t *testing.T, dir, text string) *scenarios.Lesson {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "fish.zh.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := scenarios.Load(filepath.Join(dir, "fish.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A report counts what is whole, what lacks texts, what is old, what is not there and what is broken.
func TestCover(t *testing.T) {
	l := mustWrite(t, map[string]string{"zh": chinese})
	stamped, _, err := translation.Renewed(l, language.Chinese)
	if err != nil {
		t.Fatal(err)
	}
	all := []*scenarios.Lesson{
		mustWrite(t, map[string]string{"zh": stamped}),
		mustWrite(t, map[string]string{"zh": strings.Replace(stamped, "  look: 它的名称\n", "", 1)}),
		mustWrite(t, map[string]string{"zh": strings.Replace(stamped, "of: ", "of: f", 1)}),
		mustWrite(t, map[string]string{"zh": "titel: x\n"}),
		mustWrite(t, nil),
	}
	c, err := translation.Cover(all, language.Chinese)
	if err != nil || c.String() != "zh: 1 lesson whole, 1 lacks 1 text, 1 older than the original, 1 not translated, 1 broken" || c.Complete() {
		t.Errorf("%s, %v", c.String(), err)
	}
	if c, err := translation.Cover(all[:1], language.Chinese); err != nil || !c.Complete() || c.String() != "zh: 1 lesson whole" {
		t.Errorf("%s, %v", c.String(), err)
	}
}

// A translation is no lesson, and says whose it is.
func TestLoad_translation(t *testing.T) {
	dir := t.TempDir()
	mustWriteOverPlain := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	mustWriteOverPlain("fish.yaml", plainLesson)
	file := mustWriteOverPlain("fish.zh.yaml", chinese)
	if _, err := scenarios.Load(file); err == nil || !strings.HasSuffix(err.Error(), "fish.zh.yaml is a translation of fish.yaml; name that, with --lang zh") {
		t.Error(err)
	}
	if l, err := scenarios.Load(mustWriteOverPlain("my.new.yaml", plainLesson)); err != nil || l.Name != "my.new" {
		t.Errorf("a lesson whose name ends with a language: %v %v", l, err)
	}
	names, err := scenarios.Names()
	if err != nil || slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, ".") }) {
		t.Errorf("%q, %v", names, err)
	}
}

// Whoever changes the language in the middle goes on in it, with what was told before.
func TestPlayer_Retell(t *testing.T) {
	server := lessontest.MustStart(t, controllers.List{})
	l := mustWrite(t, map[string]string{"zh": chinese})
	told, err := translation.In(l, language.Chinese)
	if err != nil {
		t.Fatal(err)
	}
	p := play.New(l, server.URL, play.Options{Ask: true})
	defer p.Reset(t.Context())
	if _, err := p.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Step(t.Context()); err != nil || p.State().Phase != play.Waiting {
		t.Fatalf("%+v %v", p.State(), err)
	}
	p.Retell(told)
	if s := p.State(); s.Step.Predict.Ask != "它在吗？" {
		t.Errorf("%+v", s)
	}
	if tells := p.Told(); tells[0].Title != "A 创建它" || tells[0].Tell != "A 创建 "+p.State().Namespace+"。" {
		t.Errorf("%+v", tells)
	}
	if !p.Answer("在") {
		t.Error("the right answer in the other language is wrong")
	}
	p.Retell(l)
	if s := p.State(); s.Answer != "yes" {
		t.Errorf("the answer is now %q", s.Answer)
	}
	p.Retell(told)
	if _, err := p.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	if tells := p.Told(); tells[1].Title != "你读取它" || p.State().Phase != play.Done {
		t.Errorf("%+v", tells)
	}
}

// Whatever a file has, the reader does not panic.
func FuzzReadTranslation(f *testing.F) {
	l, err := scenarios.Read("fish.yaml", []byte(plainLesson))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(chinese)
	f.Add("steps:\n- {step: A creates it, predict: {choices: []}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		tr, err := translation.Read("fish.zh.yaml", []byte(text), l)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fish.zh.yaml") {
				t.Errorf("%v does not name the file", err)
			}
			return
		}
		tr.Gaps(l)
	})
}

// The lessons that come along are all told in each language, whole and as they are now, each course by one name, in words that fit
// where they are shown.
func TestAll_languages(t *testing.T) {
	lessons, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range []language.Tag{language.Persian, language.Chinese} {
		t.Run(tag.String(), func(t *testing.T) { checkAll(t, lessons, tag) })
	}
	if tags, err := translation.Languages(); err != nil || !slices.Equal(tags, []language.Tag{language.Persian, language.Chinese}) {
		t.Errorf("%v %v", tags, err)
	}
}

// checkAll looks for what the lessons lack in a language, and for what does not fit.
func checkAll(t *testing.T, lessons []*scenarios.Lesson, tag language.Tag) {
	t.Helper()
	c, err := translation.Cover(lessons, tag)
	if err != nil || !c.Complete() {
		t.Errorf("%s, %v, not translated: %v: renew the files with kubarium scenario translate NAME --lang %s --out FILE, and translate what is there as a comment", c.String(), err, c.None, tag)
	}
	for _, p := range c.Partly {
		t.Errorf("%s: %v", p.Lesson, p.Gaps)
	}
	courses := map[string]string{}
	for _, l := range lessons {
		told, err := translation.In(l, tag)
		if err != nil {
			t.Error(err)
			continue
		}
		if before, ok := courses[l.Course]; ok && before != told.Course {
			t.Errorf("%s: the course %s is %s, and elsewhere %s", l.Name, l.Course, told.Course, before)
		}
		courses[l.Course] = told.Course
		if cells.Width(told.Title) > 54 {
			t.Errorf("%s: the title is cut in the list: %s", l.Name, told.Title)
		}
		for i, s := range told.Steps {
			checkWideRoom(t, fmt.Sprintf("%s, step %d", l.Name, i+1), s)
		}
	}
}

// checkWideRoom is checkRoom for words in any script.
func checkWideRoom(t *testing.T, step string, s scenarios.Step) {
	t.Helper()
	lines := func(text string, w int) int {
		return len(cells.Wrap(strings.ReplaceAll(text, "{ns}", strings.Repeat("x", 26)), w))
	}
	small := lines(s.Tell, 78)
	for label, text := range map[string]string{"Look at: ": s.Look, "You: ": s.You} {
		if text != "" {
			small += lines(label+text, 78)
		}
	}
	if n := lines(s.Tell, 118); n > 2 || small > 7 {
		t.Errorf("%s: a narration in %d lines of 118 columns, all its words in %d of 78", step, n, small)
	}
	if n := cells.Width(s.Look); n > 64 {
		t.Errorf("%s: %d columns to look at: %s", step, n, s.Look)
	}
	if s.Predict == nil {
		return
	}
	if n := cells.Width("? " + s.Predict.Ask); n > 71 {
		t.Errorf("%s: a question of %d columns: %s", step, n, s.Predict.Ask)
	}
	if n := cells.Width(strings.Join(s.Predict.Choices, "")) + 5*len(s.Predict.Choices) + len(". skip"); n > 76 {
		t.Errorf("%s: choices of %d columns: %q", step, n, s.Predict.Choices)
	}
}
