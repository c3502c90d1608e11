package e2e_test

import (
	"reflect"
	"strings"
	"testing"

	"kubarium/tests/e2e"
)

func TestParse(t *testing.T) {
	got, err := e2e.Parse(`# a story
$ kubectl get ns
> default
~ error
![1.26] kubectl events -n x
& kubectl get cm -w
+ a 1

-- a.yaml --
kind: ConfigMap
$ not a command
-- b --
`)
	if err != nil {
		t.Fatal(err)
	}
	want := &e2e.Script{
		Steps: []e2e.Step{
			{Line: 2, Mode: '$', Command: "kubectl get ns", Want: []string{"default"}, Never: []string{"error"}},
			{Line: 5, Mode: '!', Since: 26, Command: "kubectl events -n x"},
			{Line: 6, Mode: '&', Command: "kubectl get cm -w"},
			{Line: 7, Mode: '+', Want: []string{"a 1"}},
		},
		Files: map[string]string{"a.yaml": "kind: ConfigMap\n$ not a command\n", "b": ""},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	for text, complaint := range map[string]string{"> x": "no command before", "$ x\n* y": "line 2: a line begins with",
		"$[1.x] y": "invalid syntax"} {
		if _, err := e2e.Parse(text); err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestStep_Check(t *testing.T) {
	step := e2e.Step{Mode: '$', Want: []string{"a", "b"}, Never: []string{"c"}}
	cases := []struct {
		mode   byte
		output string
		failed bool
		want   string
	}{
		{'$', "x a y b", false, ""},
		{'$', "x b y a", false, `no "b"`},
		{'$', "a b c", false, `has "c"`},
		{'$', "a b", true, "failed"},
		{'!', "a b", false, "succeeded"},
		{'!', "a b", true, ""},
	}
	for _, c := range cases {
		step.Mode = c.mode
		got := step.Check(c.output, c.failed)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
