package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kubarium/flow/rule"
	"kubarium/scenarios"
	"kubarium/scenarios/lessontest"
)

const goodLesson = `title: T
about: A.
actors: {A: first}
needs: [/api/v1]
steps:
- title: one
  tell: In {ns}.
  as: A
  request:
    method: POST
    path: /api/v1/namespaces/{ns}/configmaps
    body: {metadata: {name: x}}
  expect:
    status: 201
    body:
      metadata.name: x
      "metadata.labels['a.b/c']": {exists: false}
  keep: {v: metadata.resourceVersion}
- title: two
  tell: From {v}.
  as: A
  watch: {name: w, path: "/api/v1/configmaps?watch=1&resourceVersion={v}"}
- title: three
  tell: And then.
  predict: {ask: 'What?', choices: [a, b], answer: b}
  frames:
    from: w
    expect:
    - type: ADDED
      object: {metadata.resourceVersion: {newer: "{v}"}, "items[0].x": {count: 2}}
      keep: {w: metadata.uid}
- title: four
  tell: Words alone.
`

func TestRead(t *testing.T) {
	l, err := scenarios.Read("lessons/07-a-name.yaml", []byte(goodLesson))
	if err != nil {
		t.Fatal(err)
	}
	if l.Name != "a-name" || len(l.Steps) != 4 || l.Steps[0].Expect.Status != 201 || *l.Steps[0].Expect.Body["metadata.name"].Is != "x" {
		t.Errorf("%+v", l)
	}
}

// A lane of the page watches is the place of the step that opened the watch, and a place's placeholders are filled.
func TestRead_At(t *testing.T) {
	text := strings.Replace(goodLesson, "  tell: And then.\n", "  tell: And then.\n  at: {lane: w}\n  show: {page: watches}\n", 1)
	text = strings.Replace(text, "  tell: Words alone.\n", "  tell: Words.\n  at: {path: \"a['{v}']\"}\n  show: {tab: response}\n", 1)
	l, err := scenarios.Read("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if at := l.Steps[2].At; at.Request != 2 || at.Lane != "w" {
		t.Errorf("the lane is of %+v", at)
	}
	if got := l.Steps[3].Filled(map[string]string{"v": "7"}).At.Path; got != "a['7']" || l.Steps[3].At.Path != "a['{v}']" {
		t.Errorf("filled is %q", got)
	}
}

// Each change of the good lesson makes it a bad one, and the message says where and why.
func TestRead_Errors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"title: T\n", "", "x.yaml: the lesson has no title"},
		{"about: A.\n", "", "x.yaml: the lesson does not say what it is about"},
		{goodLesson[strings.Index(goodLesson, "steps:"):], "steps: []", "x.yaml: the lesson has no steps"},
		{"actors: {A: first}", "actors: {A B: first}", `x.yaml: actor "A B": a name has only letters, digits and hyphens`},
		{"needs: [/api/v1]", "needs: [crd]", `x.yaml: need "crd" is neither a path nor RBAC nor nodes`},
		{"needs:", "replaces: [Deployment]\nneeds:", `x.yaml: replaces: "Deployment" is not the name of a controller`},
		{"needs:", "need:", `x.yaml:4: unknown field "need", did you mean needs?`},
		{"    status: 201", "    code: 201", `x.yaml:14: unknown field "code"`},
		{"status: 201", "status: ok", "x.yaml:14: cannot unmarshal !!str `ok` into int"},
		{"status: 201", "status: 9", "x.yaml:6: step 1 (one): expect says no status of the answer"},
		{"{exists: false}", "{exist: false}", `x.yaml:17: unknown condition "exist", did you mean exists?`},
		{"{exists: false}", "[1]", "x.yaml:17: a condition is a value, or one of is, not, exists, contains, newer, matches, count, less, more"},
		{"{exists: false}", "{matches: '['}", "x.yaml:6: step 1 (one): metadata.labels['a.b/c']: error parsing regexp: missing closing ]: `[`"},
		{"metadata.labels['a.b/c']", "metadata..labels", `x.yaml:6: step 1 (one): path "metadata..labels": a key is missing`},
		{"metadata.labels['a.b/c']", "metadata[x]", `x.yaml:6: step 1 (one): path "metadata[x]": [x] is not an index, a quoted key or field=value`},
		{"metadata.labels['a.b/c']", "metadata[0", `x.yaml:6: step 1 (one): path "metadata[0": a bracket is not closed`},
		{"method: POST", "method: SEND", `x.yaml:6: step 1 (one): method "SEND" is none of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS`},
		{"method: POST", "method: PATCH", "x.yaml:6: step 1 (one): a PATCH says its type in patch"},
		{"method: POST", "method: PATCH\n    patch: fast", `x.yaml:6: step 1 (one): patch "fast" is none of json, merge, strategic and apply`},
		{"path: /api/v1/namespaces", "path: api/v1/namespaces", `x.yaml:6: step 1 (one): path "api/v1/namespaces/{ns}/configmaps" does not begin with / or is not escaped`},
		{"{name: x}", "{name: .nan}", "x.yaml:6: step 1 (one): the body cannot be JSON: json: unsupported value: NaN"},
		{"{name: x}", `{name: "{y}"}`, "x.yaml:6: step 1 (one): nothing before it keeps a value for {y}"},
		{"In {ns}", "In {v2}", "x.yaml:6: step 1 (one): nothing before it keeps a value for {v2}"},
		{"keep: {v:", "keep: {V:", `x.yaml:6: step 1 (one): keep: "V" is not a name for a placeholder`},
		{"as: A\n  watch", "as: Z\n  watch", `x.yaml:19: step 2 (two): as: there is no actor "Z"`},
		{"as: A\n  watch", "as: A\n  expect: {status: 200}\n  watch", "x.yaml:19: step 2 (two): expect, until and keep are about the answer to a request, and there is none"},
		{"as: A\n  watch", "as: A\n  until: {status: 200}\n  watch", "x.yaml:19: step 2 (two): expect, until and keep are about the answer to a request, and there is none"},
		{"  expect:\n    status: 201", "  until: {status: 200}\n  expect:\n    status: 201", "x.yaml:6: step 1 (one): a step has expect or until, not both"},
		{"  expect:\n    status: 201", "  until:\n    status: 201", "x.yaml:6: step 1 (one): until repeats its request, which is for one that writes nothing: a GET, a dry run or a review"},
		{"status: 201", "headers: {Age: '1'}", "x.yaml:6: step 1 (one): expect says no status of the answer"},
		{"status: 201", "status: 201\n    headers: {Age: {matches: '['}}", "x.yaml:6: step 1 (one): Age: error parsing regexp: missing closing ]: `[`"},
		{"status: 201", "status: 201\n    text: {contains: '{y}'}", "x.yaml:6: step 1 (one): nothing before it keeps a value for {y}"},
		{"status: 201", "status: 201\n    size: {}", "x.yaml:15: a condition is a value, or one of is, not, exists, contains, newer, matches, count, less, more"},
		{"status: 201", "status: 201\n    size: {is: '{y}'}", "x.yaml:6: step 1 (one): nothing before it keeps a value for {y}"},
		{"{name: w, path", "{name: w, headers: {Accept: '{y}'}, path", "x.yaml:19: step 2 (two): nothing before it keeps a value for {y}"},
		{"as: A\n  watch", "as: A\n  frames: {from: w}\n  watch", "x.yaml:19: step 2 (two): a step is one of request, answer, watch and frames"},
		{"{name: w, path", "{path", "x.yaml:19: step 2 (two): a watch has a name of its own"},
		{"answer: b", "answer: c", "x.yaml:23: step 3 (three): predict asks something, and its answer is one of its choices"},
		{"'What?'", "'{y}?'", "x.yaml:23: step 3 (three): nothing before it keeps a value for {y}"},
		{"from: w", "from: u", `x.yaml:23: step 3 (three): frames: no step before opened a watch named "u"`},
		{"type: ADDED", "type: NEW", `x.yaml:23: step 3 (three): frame type "NEW" is none of ADDED, MODIFIED, DELETED, BOOKMARK, ERROR`},
		{"actors: {A: first}", "actors: {you: first}", `x.yaml: actor "you": that name is the reader's`},
		{"actors: {A: first}", "actors: {A: first, A: second}", "x.yaml:3: there are two actors \"A\""},
		{"actors: {A: first}", "actors: [A]", "x.yaml:3: actors are a map of names and roles"},
		{"as: A\n  request", "as: you\n  request", "x.yaml:6: step 1 (one): as: a step of the reader has a command in you, and the request or the watch that it makes"},
		{"  tell: Words alone.\n", "  tell: Words.\n  as: you\n  you: kubectl version\n", "x.yaml:32: step 4 (four): as: a step of the reader has a command in you, and the request or the watch that it makes"},
		{"method: POST", "method: POSTT", `x.yaml:6: step 1 (one): method "POSTT" is none of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS, did you mean POST?`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  show: {page: trafic}\n", `x.yaml:6: step 1 (one): show: page "trafic" is none of traffic, watches, lists, versions, conflicts, deletes, objects, gate, did you mean traffic?`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  show: {pane: left}\n", `x.yaml:6: step 1 (one): show: pane "left" is none of list, detail`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  show: {tab: efects}\n", `x.yaml:6: step 1 (one): show: tab "efects" is none of story, request, response, stations, sql, effects, raw, did you mean effects?`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  show: {page: objects, tab: story}\n", `x.yaml:6: step 1 (one): show: tab "story" is none of yaml, fields, history, owners, watched by, rows`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  show: {page: lists, tab: story}\n", `x.yaml:6: step 1 (one): show: the page lists has no tabs`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  show: {pane: list, tab: story}\n", `x.yaml:6: step 1 (one): show: a tab is of the pane detail`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  show: {object: configmaps/x}\n", `x.yaml:6: step 1 (one): show: object "configmaps/x" is not the path of an object or a collection`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  show: {object: '/api/v1/namespaces/{n}/configmaps'}\n", `x.yaml:6: step 1 (one): nothing before it keeps a value for {n}`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  show: {tab: response}\n  at: {path: a, row: b}\n", `x.yaml:6: step 1 (one): at: a place is one of path, header, lane and row`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  at: {request: 5}\n", `x.yaml:6: step 1 (one): at: there is no step 5`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  at: {request: -1}\n", `x.yaml:6: step 1 (one): at: there is no step -1`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  show: {tab: response}\n  at: {path: a..b}\n", `x.yaml:6: step 1 (one): at: path "a..b": a key is missing`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  at: {path: a.b}\n", `x.yaml:6: step 1 (one): at: a path or a header is on a tab; name it in show`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  show: {page: lists}\n  at: {header: Age}\n", `x.yaml:6: step 1 (one): at: a path or a header is on a tab; name it in show`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  show: {page: watches}\n  at: {lane: w}\n", `x.yaml:6: step 1 (one): at: no step up to this one opened a watch named "w"`},
		{"  tell: From {v}.\n", "  tell: From {v}.\n  at: {lane: w}\n", `x.yaml:19: step 2 (two): at: lanes are on the pages watches and versions`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  at: {row: 'rv {y}'}\n", `x.yaml:6: step 1 (one): nothing before it keeps a value for {y}`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  show: {tab: response}\n  at: {path: \"a['{y}']\"}\n", `x.yaml:6: step 1 (one): nothing before it keeps a value for {y}`},
		{"  tell: In {ns}.\n", "  tell: In {ns}.\n  at: {text: b}\n", `x.yaml:8: unknown field "text"`},
		{"  tell: Words alone.\n", "", "x.yaml:32: step 4 (four): a step must have a title and tell"},
		{"  tell: Words alone.\n", "  tell: Words.\n---\ntitle: more\n", "x.yaml: a file must contain exactly one lesson"},
		{goodLesson, "", "x.yaml: the file is empty"},
		{goodLesson, "title: [", "x.yaml:1: did not find expected node content"},
		{goodLesson, strings.Repeat("#", 1<<20+1), "x.yaml: larger than 1048576 bytes"},
	} {
		if !strings.Contains(goodLesson, c.old) {
			t.Fatalf("the good lesson has no %q", c.old)
		}
		_, err := scenarios.Read("x.yaml", []byte(strings.Replace(goodLesson, c.old, c.new, 1)))
		if err == nil || err.Error() != c.want {
			t.Errorf("%.40q → %.40q:\n got %v\nwant %s", c.old, c.new, err, c.want)
		}
	}
}

// The lessons that come along can be found by name, have all that a learner needs, and check what they claim.
func TestAll(t *testing.T) {
	lessons, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lessons {
		if len([]rune(l.Title)) > 54 { // the list shows as much in a terminal of 80 columns
			t.Errorf("%s: the title is cut in the list: %s", l.Name, l.Title)
		}
		for i, s := range l.Steps {
			checkRoom(t, fmt.Sprintf("%s, step %d", l.Name, i+1), s)
		}
		found, err := scenarios.Find(l.Name)
		if err != nil || found.Title != l.Title {
			t.Errorf("%s: %v", l.Name, err)
		}
		if l.Course == "" || l.Learned == "" {
			t.Errorf("%s has no course, or does not say what it teaches", l.Name)
		}
		if _, err := scenarios.Find(l.Next); (l.Next == "") != (l == lessons[len(lessons)-1]) || l.Next != "" && err != nil {
			t.Errorf("%s goes on with %q: %v", l.Name, l.Next, err)
		}
		predictions := 0
		for _, s := range l.Steps {
			if s.Predict != nil {
				predictions++
			}
		}
		if predictions == 0 {
			t.Errorf("%s asks the learner nothing", l.Name)
		}
		if n := len(l.Steps); n < 5 || n > 11 {
			t.Errorf("%s has %d steps: nobody learns much from fewer than 5, or takes more than 11 at once", l.Name, n)
		}
	}
}

// The road is of twelve lessons that there are, in front of all others. Each leads to the next one, and the first is short.
func TestRoad(t *testing.T) {
	names, err := scenarios.Road()
	if err != nil || len(names) != 12 {
		t.Fatal(names, err)
	}
	lessons, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range lessons {
		if on := i < len(names); (l.Road != "") != on || on && l.Name != names[i] || on && l.Next != lessons[i+1].Name {
			t.Errorf("%d: %s on the road %q, before %s", i, l.Name, l.Road, l.Next)
		}
	}
	if first := lessons[0]; len(first.Steps) > 7 || first.Steps[0].Predict != nil {
		t.Errorf("the first lesson, %s, is long, or begins with a question", first.Name)
	}
}

// docs/learn.md lists the road and, by course, all lessons in the order of their files.
func TestAll_listed(t *testing.T) {
	lessons, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/learn.md")
	if err != nil {
		t.Fatal(err)
	}
	_, course, _ := strings.Cut(string(page), "## Lessons\n")
	course, _, _ = strings.Cut(course, "\n## ")
	road, courses, _ := strings.Cut(course, "By course:")
	names, err := scenarios.Road()
	if err != nil {
		t.Fatal(err)
	}
	mustName(t, road, names)
	slices.SortFunc(lessons, func(a, b *scenarios.Lesson) int { return strings.Compare(a.Source.File, b.Source.File) })
	names = nil
	for _, l := range lessons {
		names = append(names, l.Name)
	}
	mustName(t, courses, names)
}

// mustName sees that a text has these names in this order.
func mustName(t *testing.T, text string, names []string) {
	t.Helper()
	text, at := strings.Join(strings.Fields(text), " "), 0
	for _, name := range names {
		i := strings.Index(text[at:], " "+name)
		if i < 0 {
			t.Fatalf("the page has no %s, or not in its place", name)
		}
		at += i + len(name)
	}
}

// checkRoom sees that a step's words fit where they are shown: the narration in two lines of a strip of 120 columns, all
// of them in the seven lines that a screen of 80 by 24 has for them, a question and its choices in lines of 80.
func checkRoom(t *testing.T, step string, s scenarios.Step) {
	t.Helper()
	if lines := linesOf(s.Tell, 118); s.Title == "" || s.Tell == "" || lines > 2 {
		t.Errorf("%s: no title, or a narration of %d characters in %d lines", step, len(s.Tell), lines)
	}
	small := linesOf(s.Tell, 78)
	if s.Look != "" {
		small += linesOf("Look at: "+s.Look, 78)
	}
	if s.You != "" {
		small += linesOf("You: "+s.You, 78)
	}
	if small > 7 {
		t.Errorf("%s: its words take %d lines of 80 columns", step, small)
	}
	if len(s.Look) > 64 {
		t.Errorf("%s: %d characters to look at: %s", step, len(s.Look), s.Look)
	}
	if s.Predict == nil {
		return
	}
	if width := len("? " + s.Predict.Ask); width > 71 {
		t.Errorf("%s: a question of %d columns: %s", step, width, s.Predict.Ask)
	}
	if width := len(strings.Join(s.Predict.Choices, "")) + 5*len(s.Predict.Choices) + len(". skip"); width > 76 {
		t.Errorf("%s: choices of %d columns: %q", step, width, s.Predict.Choices)
	}
}

// linesOf is how many lines a text takes, with the longest name that a namespace of a lesson may have.
func linesOf(text string, width int) int {
	lines, at := 1, -1 // -1 stands for the space that does not come before the first word
	for _, word := range strings.Fields(strings.ReplaceAll(text, "{ns}", strings.Repeat("x", 26))) {
		if at += 1 + len(word); at > width {
			lines, at = lines+1, len(word)
		}
		for ; at > width; at -= width { // a word that is longer than a line
			lines++
		}
	}
	return lines
}

// Courses follow each other, each in one piece.
func TestAll_courses(t *testing.T) {
	lessons, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	seen, last := map[string]bool{}, ""
	for _, l := range lessons {
		if l.Road != "" {
			continue
		}
		if l.Course != last && seen[l.Course] {
			t.Errorf("%s: the course %s has begun before", l.Name, l.Course)
		}
		seen[l.Course], last = true, l.Course
	}
	if len(seen) != 12 {
		t.Errorf("courses %v", seen)
	}
}

// What a step shows is filled in: the page traffic by default, a tab in the pane detail, and the object of the step's own request.
func TestStep_Shown(t *testing.T) {
	get := func(path string) *scenarios.Request { return &scenarios.Request{Method: "GET", Path: path} }
	for _, c := range []struct {
		step scenarios.Step
		want scenarios.Show
		ref  string
	}{
		{scenarios.Step{}, scenarios.Show{Page: "traffic", Pane: "list"}, ""},
		{scenarios.Step{Request: get("/api/v1/pods"), Show: scenarios.Show{Tab: "sql"}}, scenarios.Show{Page: "traffic", Pane: "detail", Tab: "sql"}, ""},
		{scenarios.Step{Request: get("/api/v1/namespaces/a/pods/b/status?x=y"), Show: scenarios.Show{Page: "objects"}}, scenarios.Show{Page: "objects", Pane: "list"}, "a pods pods/b/status"},
		{scenarios.Step{Request: get("/version"), Show: scenarios.Show{Page: "versions", Object: "/apis/apps/v1/namespaces/a/deployments"}},
			scenarios.Show{Page: "versions", Pane: "list", Object: "/apis/apps/v1/namespaces/a/deployments"}, "a deployments.apps deployments"},
		{scenarios.Step{Request: get("/api/v1/namespaces/a"), Show: scenarios.Show{Page: "deletes"}}, scenarios.Show{Page: "deletes", Pane: "list"}, " namespaces namespaces/a"},
	} {
		show, ref := c.step.Shown()
		got := ""
		if ref.Resource != "" {
			got = ref.Namespace + " " + ref.GroupResource() + " " + ref.String()
		}
		if show != c.want || got != c.ref {
			t.Errorf("%+v, %q, want %+v, %q", show, got, c.want, c.ref)
		}
	}
}

func TestFind(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte(goodLesson), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := scenarios.Find(file); err != nil || l.Name != "mine" {
		t.Errorf("%v %v", l, err)
	}
	if _, err := scenarios.Find(file + ".yaml"); err == nil || !strings.HasPrefix(err.Error(), "read lesson: ") {
		t.Error(err)
	}
	if l, err := scenarios.Find("own-kind"); err != nil || l.Name != "custom-resource" {
		t.Errorf("an old name leads to %v, %v", l, err)
	}
	if _, err := scenarios.Find("lost-updates"); err == nil || err.Error() != `there is no lesson "lost-updates", did you mean lost-update?` {
		t.Error(err)
	}
	want := `there is no lesson "nope"; "kubarium scenario list" names them`
	if _, err := scenarios.Find("nope"); err == nil || err.Error() != want {
		t.Error(err)
	}
}

// No text makes the reader panic, and every refusal names the file.
func FuzzRead(f *testing.F) {
	f.Add(goodLesson)
	f.Add(lessontest.Bad)
	f.Add(lessontest.GuardedHead + lessontest.GuardedRest)
	f.Add("title: [\n")
	f.Add("steps:\n- &a {title: x, tell: *a}\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := scenarios.Read("f.yaml", []byte(text))
		if err != nil && !strings.HasPrefix(err.Error(), "f.yaml:") {
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil && (l.Title == "" || len(l.Steps) == 0) {
			t.Fatalf("%q is taken for a lesson", text)
		}
	})
}

// The rules of the lessons that come along can be read.
func TestAll_faults(t *testing.T) {
	lessons, err := scenarios.All()
	if err != nil {
		t.Fatal(err)
	}
	rules := 0
	for _, l := range lessons {
		for _, s := range l.Steps {
			for _, line := range s.Faults {
				rules++
				line = strings.NewReplacer("{ns}", "lesson-x", "{then}", "7").Replace(line)
				if _, err := rule.Parse(line); err != nil {
					t.Errorf("%s: %s: %v", l.Name, line, err)
				}
			}
		}
	}
	if rules < 5 {
		t.Errorf("%d rules", rules)
	}
}

// Each change of a good lesson with faults makes it a bad one, and the message says why.
func TestRead_FaultErrors(t *testing.T) {
	good := lessontest.FaultyHead + lessontest.FaultyRest
	lessontest.MustRead(t, "x.yaml", good)
	const two, three = "x.yaml:11: step 2 (two): ", "x.yaml:17: step 3 (three): "
	for _, c := range []struct{ old, new, want string }{
		{"[/debug/gate]", "[/api/v1]", two + "faults and mend need a gate: the lesson must have /debug/gate in its needs"},
		{" ns:{ns}'", "'", two + `fault rule "hold name door on who:A verb:update" must apply to the lesson alone: ns:{ns} after on, without | and #`},
		{" ns:{ns}'", " ns:default'", two + `fault rule "hold name door on who:A verb:update ns:default" must apply to the lesson alone: ns:{ns} after on, without | and #`},
		{" ns:{ns}'", " !ns:{ns}'", two + `fault rule "hold name door on who:A verb:update !ns:{ns}" must apply to the lesson alone: ns:{ns} after on, without | and #`},
		{" ns:{ns}'", " | ns:{ns}'", two + `fault rule "hold name door on who:A verb:update | ns:{ns}" must apply to the lesson alone: ns:{ns} after on, without | and #`},
		{" ns:{ns}'", " # ns:{ns}'", two + `fault rule "hold name door on who:A verb:update # ns:{ns}" must apply to the lesson alone: ns:{ns} after on, without | and #`},
		{"'hold name door on who:A", `"hold\nhold on who:A`, ""},
		{"who:A", "rv:{v}", two + "nothing before it keeps a value for {v}"},
		{"  later: slow", "  later: slow\n  expect: {status: 200}", two + "later: what the answer must be is said by the step that awaits it"},
		{"  as: A\n  request: {method: PUT", "  as: you\n  you: kubectl\n  request: {method: PUT", two + "later: the reader's own request cannot be held while the lesson goes on"},
		{"  mend: true", "  later: slow", "x.yaml:22: step 4 (four): later is about a request, and there is none"},
		{"of: slow", "of: fast", three + `answer: no request "fast" was sent later, or its answer was awaited before`},
		{"  mend: true", "  answer: {of: slow}\n  expect: {status: 200}", `x.yaml:22: step 4 (four): answer: no request "slow" was sent later, or its answer was awaited before`},
		{"do: go", "do: goo", three + `answer: do "goo" is none of go, refuse, drop, did you mean go?`},
		{"do: go", "code: 409", three + "answer: code and retryAfter are about do: refuse"},
		{"do: go", "do: refuse, code: 200", three + "answer: code is a status between 400 and 599, and retryAfter a number of seconds"},
		{"{status: 200, body: {metadata.name: x}}", "{none: true}", three + "expect: none excludes all else, since there is no answer to check"},
		{"{status: 201}", "{none: true, status: 201}", "x.yaml:6: step 1 (one): expect: none excludes all else, since there is no answer to check"},
		{"  expect: {status: 201}", "  until: {none: true}", ""},
		{"  expect: {status: 200, body: {metadata.name: x}}", "  until: {status: 200}", ""},
		{"  expect: {status: 200, body: {metadata.name: x}}\n", "", three + "expect says no status of the answer"},
	} {
		if strings.Count(good, c.old) != 1 {
			t.Fatalf("the good lesson does not have one %q", c.old)
		}
		_, err := scenarios.Read("x.yaml", []byte(strings.Replace(good, c.old, c.new, 1)))
		if err == nil || c.want != "" && err.Error() != c.want {
			t.Errorf("%.40q → %.40q:\n got %v\nwant %s", c.old, c.new, err, c.want)
		}
	}
}

// Each change of a good lesson with servers makes it a bad one, and the message says why.
func TestRead_ServerErrors(t *testing.T) {
	good := lessontest.GuardedHead + lessontest.GuardedRest
	lessontest.MustRead(t, "x.yaml", good)
	const guard, one, two = `x.yaml: server "guard": `, "x.yaml:17: step 1 (one): ", "x.yaml:36: step 2 (two): "
	for _, c := range []struct{ old, new, want string }{
		{"  guard:\n", "  Guard:\n", `x.yaml: server "Guard": a name begins with a small letter, and has only letters and digits`},
		{"    routes:\n", "  empty: {}\n  more:\n    routes:\n", `x.yaml: server "empty" has neither reviews nor routes`},
		{"    reviews:\n", "    review:\n", `x.yaml:6: unknown field "review", did you mean reviews?`},
		{"code: 409", "code: 200", guard + "review 1: deny has a message, and its code is a status between 400 and 599"},
		{`message: "not in {ns}, says {guard.url}"`, `message: ""`, guard + "review 1: deny has a message, and its code is a status between 400 and 599"},
		{"says {guard.url}", "says {pump.url}", guard + "review 1: nothing before it keeps a value for {pump.url}"},
		{"says {guard.url}", "says {v}", guard + "review 1: nothing before it keeps a value for {v}"},
		{"drop: true", "drop: true\n      warnings: [x]", guard + "review 2: drop excludes all else, since there is no answer then"},
		{"drop: true", "seconds: 31", guard + "review 2: seconds is a number from 0 to 30"},
		{"path: /check\n", "path: /check\n      deny: {message: x}\n", guard + "review 3: what is denied is not patched"},
		{"path: /check\n", "path: check\n", guard + `review 3: path "check" does not begin with / or is not escaped`},
		{`by: "{id}"}}]`, "by: .nan}}]", guard + "review 3: the patch cannot be JSON: json: unsupported value: NaN"},
		{"when: {object.metadata.name: deaf}", "when: {'object[': deaf}", guard + `review 2: path "object[": a bracket is not closed`},
		{`{path: "/hello/{id}"`, `{method: SEND, path: "/hello/{id}"`, guard + `route 1: method "SEND" is none of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS`},
		{`"/hello/{id}"`, `"/hello?x=1"`, guard + `route 1: path "/hello?x=1" has a query; a route is for all of them`},
		{`text: "it is {ns}"`, `text: x, body: {}`, guard + "route 1: an answer has body or text, not both"},
		{`text: "it is {ns}"`, `status: 99`, guard + "route 1: status is between 200 and 599"},
		{`X-Of: "{guard.host}"`, `X-Of: "a\nb"`, guard + `route 1: header "X-Of" has a line break`},
		{`kubernetes.io/metadata.name: "{ns}"`, `a: b`, one + `a MutatingWebhookConfiguration must mean the lesson alone: its namespaceSelector has matchLabels {kubernetes.io/metadata.name: "{ns}"}`},
		{"At {guard.url}", "At {guard.uri}", ""},
		{"At {guard.url}", "At {pond.port}", one + "nothing before it keeps a value for {pond.port}"},
		{"asked: {server: guard, method: POST", "asked: {server: pump, method: POST", two + `asked: there is no server "pump"`},
		{"asked: {server: guard, method: POST", "asked: {server: guard, method: PORT", two + `asked: method "PORT" is none of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS, did you mean POST?`},
		{`request.name: "bad-{id}"`, `request.name: "bad-{v}"`, two + "nothing before it keeps a value for {v}"},
		{"query: {contains: timeout=2s}", "query: {}", "x.yaml:41: a condition is a value, or one of is, not, exists, contains, newer, matches, count, less, more"},
		{"  stop: guard\n", "  stop: pump\n", `x.yaml:60: step 6 (six): stop and start: there is no server "pump"`},
		{"role: reads", "rule: reads", `x.yaml:3: unknown field "rule" of an actor, did you mean role?`},
		{"role: reads", "role: reads, token: x", `x.yaml: actor "Alice": a user or a token says who it is, not both`},
		{`user: "alice-{id}", `, "", `x.yaml: actor "Alice": groups are those of a user, and there is none`},
		{"groups: [keepers]", `groups: ["a\nb"]`, `x.yaml: actor "Alice": a user, a group or a token has a line break`},
		{"groups: [keepers]", `groups: ["{v}"]`, "x.yaml:76: step 9 (nine): nothing before it keeps a value for {v}"},
		{"alice-{id}\", groups", "alice-{id}\", group", `x.yaml:3: unknown field "group" of an actor, did you mean groups?`},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatalf("the good lesson has no %q", c.old)
		}
		_, err := scenarios.Read("x.yaml", []byte(strings.Replace(good, c.old, c.new, 1)))
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%.40q → %.40q:\n got %v\nwant %s", c.old, c.new, err, c.want)
		}
	}
}

func TestCommand(t *testing.T) {
	for _, c := range []struct{ you, want string }{
		{"kubectl get pods", "kubectl -s u get pods"},
		{"kubectl create configmap x -o yaml | kubectl apply -f -", "kubectl -s u create configmap x -o yaml | kubectl -s u apply -f -"},
		{"echo 'kubectl x' | kubectl replace -f -", "echo 'kubectl x' | kubectl -s u replace -f -"},
		{"echo mykubectl get", "echo mykubectl get"},
	} {
		if got := scenarios.Command(c.you, " -s u"); got != c.want {
			t.Errorf("%s: %s", c.you, got)
		}
		if got := scenarios.Command(c.you, ""); got != c.you {
			t.Errorf("%s: %s", c.you, got)
		}
	}
}
