package scenarios_test

import (
	"strings"
	"testing"

	"kubarium/scenarios"
)

// A step that cannot close a watch, or cannot send its request several times, is refused with the reason.
func TestRead_CloseAndEach(t *testing.T) {
	const (
		words, watch = "  tell: Words alone.\n", "as: A\n  watch"
		keep         = "  keep: {v: metadata.resourceVersion}\n"
		five         = "- title: five\n  tell: More.\n"
	)
	for _, c := range []struct{ old, new, want string }{
		{"title: one\n", "title: one\n  close: w\n", `6: step 1 (one): close: no step before opened a watch named "w"`},
		{"title: three\n", "title: three\n  close: w\n", `23: step 3 (three): frames: the watch "w" was closed before`},
		{words, words + "  close: w\n" + five + "  close: w\n", `35: step 5 (five): close: the watch "w" was closed before`},
		{words, words + "  frames: {from: w, ends: true}\n" + five + "  close: w\n",
			`35: step 5 (five): close: the server has ended the watch "w" before`},
		{words, words + "  you: kubectl\n  as: you\n  watch: {name: u, path: /api/v1/pods}\n" + five + "  close: u\n",
			`37: step 5 (five): close: only the reader can end the watch "u", by ending its command`},

		{keep, "  each: [x]\n", "6: step 1 (one): each has 2 to 100 texts"},
		{keep, "  each: [x, x]\n", `6: step 1 (one): each: "x" is empty, or there twice`},
		{keep, "  each: [x, y]\n" + keep,
			"6: step 1 (one): each is not for a step with later, until, keep or none: they are about one answer"},
		{keep, "  keep: {each: metadata.uid, v: metadata.uid}\n" + strings.Replace(five, "five", "more", 1) +
			"  as: A\n  each: [x, y]\n  request: {method: GET, path: /api}\n  expect: {status: 200}\n",
			"19: step 2 (more): each: a step before keeps a value for {each}"},
		{words, words + "  each: [x, y]\n", "32: step 4 (four): each is about a request, and there is none"},
		{words, words + "  as: you\n  you: kubectl\n  each: [x, y]\n  request: {method: GET, path: /api}\n",
			"32: step 4 (four): each: the reader's own step is one request"},
		{"name: x}}\n", "name: '{each}'}}\n", "6: step 1 (one): nothing before it keeps a value for {each}"},
		{words, "  tell: Not one {each}.\n", "32: step 4 (four): nothing before it keeps a value for {each}"},
	} {
		if !strings.Contains(goodLesson, c.old) {
			t.Fatalf("the good lesson has no %q", c.old)
		}
		_, err := scenarios.Read("x.yaml", []byte(strings.Replace(goodLesson, c.old, c.new, 1)))
		if want := "x.yaml:" + c.want; err == nil || err.Error() != want {
			t.Errorf("%.40q → %.60q:\n got %v\nwant %s", c.old, c.new, err, want)
		}
	}
}
