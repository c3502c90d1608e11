package aggregated_test

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	steps, err := parse("# a comment\n\n### one\nPOST /api?a=b\nAccept: text/plain\nUntil: 403 `denied`\nKeep: v " +
		"metadata.v\nOnly: x\n\n{a: 1}\n# not a comment\n\n### two\nGET /\n")
	if err != nil || len(steps) != 2 {
		t.Fatalf("%v, %v", steps, err)
	}
	one := steps[0]
	if one.line != 3 || one.title != "one" || one.verb != "POST" || one.rest != "/api?a=b" ||
		one.header.Get("Accept") != "text/plain" ||
		one.until != "403 `denied`" || one.keep[0] != [2]string{"v", "metadata.v"} || one.only != "x" ||
		one.body != "{a: 1}\n# not a comment" {
		t.Errorf("%+v", one)
	}
	for text, complaint := range map[string]string{"GET /": "there is no step", "### a\nGET /\nAccept": "not a header",
		"### a\n### b\nGET /": "without a verb"} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAnswer_is(t *testing.T) {
	a := answer{status: 403, body: []byte(`{"message":"denied"}`)}
	for until, want := range map[string]bool{"": true, "403": true, "403 `denied`": true,
		"403 `\"message\":` `denied`": true, "404": false, "403 `granted`": false} {
		if a.is(until) != want {
			t.Errorf("%q: %t", until, !want)
		}
	}
}
