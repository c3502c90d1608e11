package rule_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"kubarium/flow/rule"
)

// A rule is completed by the possible words; after "on" by the filter's fields that the rule can use.
func TestComplete(t *testing.T) {
	seen := func(field string) []string {
		if field == "res" {
			return []string{"deployments"}
		}
		return nil
	}
	for typed, want := range map[string]string{
		"":                                  "hold ",
		"ho":                                "hold ",
		"hold ":                             "hold for ",
		"hold for ":                         "hold for 10s ",
		"hold for 10s b":                    "hold for 10s before ",
		"hold before r":                     `hold before "rv check" `,
		`hold before "rv`:                   `hold before "rv check" `,
		`hold before "rv check" `:           `hold before "rv check" after `,
		`hold before "rv check" o`:          `hold before "rv check" once `,
		`hold on v`:                         `hold on verb:`,
		`hold on verb:up`:                   `hold on verb:update`,
		`hold before "rv check" on res:dep`: `hold before "rv check" on res:deployments`,
		"refuse ":                           "refuse 409 ",
		"refuse 429 ":                       "refuse 429 retry-after ",
		"cut ":                              "cut client ",
		"lag ":                              "lag 5s ",
		"lag rv 7 f":                        "lag rv 7 for ",
		"refuse 409 before encode on co":    "refuse 409 before encode on code:",
	} {
		got := rule.Complete(typed, utf8.RuneCountInString(typed), seen)
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	for typed, not := range map[string]string{
		"hold on ":         "hold on code:", // not known when a request comes
		"lag 5s ":          "lag 5s before ",
		"hold once ":       "hold once times ",
		"hold for 10s on ": "hold for 10s on fault:",
	} {
		if got := rule.Complete(typed, len(typed), nil); slices.Contains(got, not) {
			t.Errorf("%q: offers %q", typed, not)
		}
	}
}

// Each completion of an action, its values and a filter leads to a valid rule.
func TestComplete_LeadsToRules(t *testing.T) {
	for _, a := range rule.Actions {
		line := string(a) + " "
		if got := rule.Complete(line, len(line), nil); a == rule.Refuse || a == rule.Delay || a == rule.Coalesce ||
			a == rule.Lag {
			line = got[0]
		}
		line += "on verb:get"
		if _, err := rule.Parse(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if _, err := rule.Parse(rule.Example); err != nil {
		t.Error(err)
	}
}

// A rule is described in plain English.
func TestRule_Sentence(t *testing.T) {
	for line, want := range map[string]string{
		`hold before "rv check" on verb:update res:deployments`: "Stops every update request for deployments before " +
			"rv check until it is let go.",
		`hold for 30s`: "Stops every request before negotiate until it is let go, for " +
			"30s at most.",
		`delay 100ms-1s on who:k1 ns:shop`: "Lets every request of k1 in namespace shop wait between " +
			"100ms and 1s before negotiate.",
		`refuse 429 retry-after 3s once on verb:list`: "Answers every list request with 429 Too Many Requests before " +
			"negotiate, and asks to wait 3s. It acts only once.",
		`refuse 410 before frame on res:pods`: "Ends watches on pods with an ERROR event, 410 Gone, in the " +
			"place of an event.",
		`cut client before frame on verb:watch`: "Ends watches at an event, which is not sent; all watches of " +
			"its client end as well.",
		`cut after 2 times 3 on verb:create,update`: "Ends the connection of every create or update request before " +
			"negotiate, without an answer. The first 2 pass, then it acts 3 times at most.",
		`lose chance 0.25`: "Loses the answer of every request that has committed: the " +
			"change is stored, and the client does not learn it. It does so with a chance of 25 %, decided by " +
			"the seed.",
		`coalesce 500ms on res:configmaps`: "Sends watches on configmaps only the last change of an " +
			"object within 500ms: they never see the versions between.",
		`lag 5s on who:k1`: "Shows every request of k1 the server as it was 5s before, " +
			"and its watches too; writes see the present state.",
		`lag rv 7 for 10s`: "Shows every request the server as it was at version 7, and " +
			"its watches too; writes see the present state. That ends 10s after it began.",
		`hold on verb:get|who:k1`: "Stops every request with verb:get|who:k1 before negotiate " +
			"until it is let go.",
		`hold before frame on name:web`: "Stops every event of watches named web before it is written " +
			"until it is let go.",
	} {
		r, err := rule.Parse(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got := r.Sentence(); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", line, got, want)
		}
	}
}
