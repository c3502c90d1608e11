package rule_test

import (
	"fmt"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/flow/rule"
)

// Rules print as they are parsed, in their shortest form.
func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		"hold":                       "",
		"hold for 30s before commit": "hold for 30s before store",
		`hold before "rv check" name door on verb:update res:deployments`: "",
		"hold before frame on verb:watch name:db-0":                       "",
		"delay 200ms":                                   "",
		"delay 100ms-1s before answer":                  "delay 100ms-1s before encode",
		"refuse 429 retry-after 3s once on verb:list":   "",
		"refuse 410 before frame after 3 on res:pods":   "",
		"refuse 409   times 1":                          "refuse 409 once",
		"cut client after 3 once on who:op verb:create": "",
		"lose once on (verb:create|verb:update) !ns:kube-system # the third kind": "lose once on " +
			"(verb:create|verb:update) !ns:kube-system",
		"lose on code:201":                 "",
		"coalesce 500ms on res:configmaps": "",
		"lag 5s on who:op":                 "",
		"lag rv 4100 for 10s times 2 chance 0.25": "lag rv 4100 for 10s times 2 " +
			"chance 0.25",
		"lag rv 4100 name old":          "",
		"cut before negotiate":          "cut",
		"refuse 500 on \"on\"":          "refuse 500 on on",
		"hold name on-call on res:pods": "",
		"delay 1h30m chance 1 after 2 before admit": "delay 1h30m0s before admit after " +
			"2 chance 1",
	} {
		if want == "" {
			want = line
		}
		r, err := rule.Parse(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := r.String(); got != want {
			t.Errorf("%s: printed %s, want %s", line, got, want)
		}
	}
}

// Errors are one line that says what is expected.
func TestParse_errors(t *testing.T) {
	for line, want := range map[string]string{
		"":                              "a rule begins with what it does: hold, delay",
		"hodl":                          `unknown action "hodl", did you mean hold?`,
		"hold 30s":                      `unknown word "30s" after hold`,
		"hold beforr store":             `did you mean before?`,
		"hold before stor":              `no rule can act before "stor", did you mean store?`,
		"hold before":                   "hold needs a station",
		"hold on":                       `"on" needs a filter`,
		"hold on verb":                  "",
		`hold on ~before`:               "",
		`hold on "before"`:              `before must come before "on"`,
		"hold on res:pods before store": `before must come before "on"`,
		"hold on verb:":                 "the filter of a rule",
		"hold on cod:409":               "did you mean code",
		"hold on code:409":              "a rule before negotiate cannot know code",
		"hold before encode on dur>5ms": "cannot know dur",
		"delay":                         "delay needs a time",
		"delay 0s":                      "expected a time such as",
		"delay 2s-1s":                   "the first time of a delay must be less than the second",
		"delay 25h":                     "at most a day",
		"refuse":                        "refuse needs a status",
		"refuse 200":                    "between 400 and 599",
		"refuse 429 retry-after 1500ms": "whole seconds",
		"lag":                           "needs a time or a version",
		"lag rv x":                      "needs a resourceVersion",
		"lag 5s before store":           "lag can only act before cache",
		"lose before store":             "lose can only act before encode",
		"hold once times 2":             "only once",
		"hold after 0":                  "a number from 1",
		"hold chance 1.5":               "at most 1",
		"hold chance NaN":               "at most 1",
		"hold name":                     "a word after name",
		"hold \"":                       "a quote is not closed",
		"hold\nhold":                    "one line",
		strings.Repeat("a", 5000):       "at most 4096 bytes",
	} {
		_, err := rule.Parse(line)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", line, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%.60s: %v, want %s", line, err, want)
		}
	}
}

// A file has a seed, comments and empty lines; an error names its line.
func TestParseSet(t *testing.T) {
	s, err := rule.ParseSet("# what a bad day looks like\nseed 42\n\nrefuse 429 once on \"a # b\" # too many\n  " +
		"lose  \n")
	if want := "seed 42\nrefuse 429 once on \"a # b\"\nlose\n"; err != nil || s.String() != want {
		t.Errorf("%q %v, want %q", s.String(), err, want)
	}
	for text, want := range map[string]string{
		"hold\nseed x\n":               "line 2: a seed is a number",
		"\nhodl":                       "line 2: unknown action",
		strings.Repeat("hold\n", 1001): "line 1001: there can be at most 1000 rules",
	} {
		if s, err := rule.ParseSet(text); err == nil || !strings.HasPrefix(err.Error(), want) || len(s.Rules) > 0 {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

// Kubarium's own requests match only rules that name their client, and requests below /debug/ match none.
func TestRule_Means(t *testing.T) {
	other := flow.Flow{Path: "/api/v1/pods", Client: flow.Client{Tag: "k1", UserAgent: "kubectl/v1.37.0"}}
	own := flow.Flow{Path: "/api/v1/pods", Client: flow.Client{Tag: "ui", UserAgent: flow.UIAgent}}
	debug := flow.Flow{Path: "/debug/gate", Client: other.Client}
	for line, want := range map[string][3]bool{
		"hold":              {true, false, false},
		"hold on pods":      {true, false, false},
		"hold on who:ui":    {false, true, false},
		"hold on who:k1":    {true, false, false},
		"hold on !who:k1":   {false, false, false},
		"hold on res:nodes": {false, false, false},
	} {
		r, err := rule.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if got := [3]bool{r.Means(&other), r.Means(&own), r.Means(&debug)}; got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

func FuzzParseSet(f *testing.F) {
	for _, text := range []string{"seed 7\nhold before \"rv check\" on verb:update",
		"refuse 429 retry-after 3s once chance 0.5 name a on !(x|y)", "lag rv 1 for 2s", "coalesce 1s on \"#\""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := rule.ParseSet(text)
		if err != nil {
			return
		}
		again, err := rule.ParseSet(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("%q is printed as %q, which is read as %q: %v", text, s, again, err)
		}
	})
}

func ExampleParse() {
	r, _ := rule.Parse(`hold before commit name door on verb:update res:deployments`)
	fmt.Println(r.Action, r.Before, r.Name, r.On)
	// Output: hold store door verb:update res:deployments
}
