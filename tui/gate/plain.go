package gate

import (
	"fmt"
	"strconv"
	"strings"

	"kubarium/flow/rule"
	"kubarium/tui/gates"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// WordsHelp says what the words of this page mean.
func (x *Page) WordsHelp() string {
	return `gate: the fault rules, and who is held. fault LINE: add a rule; fault off: remove all; faults FILE: replace them by those of a file.
go N, refuse N CODE [SECONDS], drop N: let held request N go, refuse it with a status and Retry-After, or cut its connection; go all: let all go.`
}

// A told is the gate in words. It asks the server directly: here nothing else waits.
type told struct {
	x     *Page
	print func(format string, args ...any)
}

// Tell does the commands of this page and reports whether word is one of them.
func (x *Page) Tell(word, rest string, print func(format string, args ...any)) bool {
	t := told{x, print}
	switch word {
	case "gate", "fault", "faults", "go", "refuse", "drop":
	default:
		return false
	}
	if x.Env.NoGate != "" && (word != "gate" || x.Env.Through()) {
		print("%s", term.Pick(x.Env.Through(), x.Env.NoGate+".", "A recording holds nothing, and has no rules."))
		return true
	}
	switch word {
	case "gate":
		t.gate()
	case "fault":
		t.fault(rest)
	case "faults":
		t.faults(rest)
	case "go":
		t.verdict(rest, verdict{do: "go"}, "goes on")
	case "drop":
		t.verdict(rest, verdict{do: "drop"}, "is dropped")
	case "refuse":
		t.refuse(rest)
	}
	return true
}

func (t told) gate() {
	if t.x.Env.NoGate != "" {
		t.touched()
		return
	}
	s, err := readState(t.x.Env.API)
	if err != nil {
		t.print("The gate is not known: %s.", err)
		return
	}
	if len(s.Rules) == 0 {
		t.print("There are no rules. fault %s adds one.", t.x.example())
	}
	for i := range s.Rules {
		t.rule(&s.Rules[i])
	}
	if len(s.Held) == 0 {
		t.print("Nothing is held.")
	}
	for i := range s.Held {
		t.print("%s", t.x.HeldWords(&s.Held[i]))
	}
}

func (t told) rule(a *rule.Active) {
	words := "This Kubarium cannot read it."
	if r, err := rule.Parse(a.Line); err == nil {
		words = r.Sentence()
	}
	t.print("Rule %d: %s. %s It has met %s and acted on %s.%s", a.ID, a.Line, words, term.Count(a.Seen), term.Count(a.Hits), term.Pick(a.Spent, " It is spent.", ""))
}

// HeldWords is a sentence about a held request.
func (x *Page) HeldWords(h *rule.Held) string {
	s := fmt.Sprintf("Held %d: %s %s %s waits before %s, for %s.", h.ID, who(h), h.Target.Verb, gates.Target(h),
		h.Station, gates.Waits(h, x.Env.Now()))
	if o := gates.Outlook(h); o != "" {
		s += " " + strings.ToUpper(o[:1]) + o[1:] + "."
	}
	return s
}

// touched prints what rules did in a recording.
func (t told) touched() {
	t.x.arrange()
	n := 0
	for _, r := range t.x.Rows {
		if r.flow == nil && r.watch == nil {
			continue
		}
		n++
		f := r.request()
		number := ""
		if r.flow != nil {
			number = fmt.Sprintf("%d. ", f.Seq)
		}
		t.print("%s%s %s %s: %s.", number, f.Client.Tag, f.Target.Verb, label.Target(f)+label.Where(f.Target), r.done())
	}
	if n == 0 {
		t.print("No request of this recording was touched by a rule.")
	}
}

func (t told) fault(rest string) {
	if rest == "off" {
		t.said(removeRule(t.x.Env.API, 0), "All rules are removed. What they held stays held.")
		return
	}
	r, err := t.x.parse(rest)
	if err != nil {
		t.print("That is no rule: %s.", err)
		return
	}
	t.x.Env.AskInWords(t.print, rulesGo, func() { t.said(addRules(t.x.Env.API, r.String()), "Added: "+r.Sentence()) })
}

func (t told) faults(name string) {
	if name == "" {
		t.print("faults needs a file.")
		return
	}
	t.x.Env.AskInWords(t.print, rulesGo, func() {
		n, err := loadFile(t.x.Env.API, name)
		t.said(err, fmt.Sprintf("%s of %s.", term.Plural(n, "rule"), name))
	})
}

// rulesGo says what rules do, before the name of a context.
const rulesGo = "acts on what clients send through the glass to"

// said prints what was done, or why it failed.
func (t told) said(err error, done string) {
	if err != nil {
		t.print("That did not work: %s.", strings.TrimSuffix(err.Error(), "."))
		return
	}
	t.print("%s", done)
}

// verdict decides about the one whose number was typed.
func (t told) verdict(number string, v verdict, what string) {
	if number == "all" && v.do == "go" {
		t.said(v.send(t.x.Env.API), "All go on.")
		return
	}
	id, err := strconv.ParseUint(number, 10, 64)
	if err != nil || id == 0 {
		t.print("%s needs the number of a held request: %s 3", v.do, v.do)
		return
	}
	v.id = id
	t.said(v.send(t.x.Env.API), fmt.Sprintf("Held request %d %s.", id, what))
}

func (t told) refuse(rest string) {
	number, words, _ := strings.Cut(rest, " ")
	r, err := readRefusal(strings.Fields(words))
	if err != nil {
		t.print("refuse needs the number of a held request and a status: refuse 3 409. %s.", strings.ToUpper(err.Error()[:1])+err.Error()[1:])
		return
	}
	t.verdict(number, verdict{do: "refuse", code: r.code, after: r.after}, "is refused with "+r.String())
}
