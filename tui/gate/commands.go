package gate

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"kubarium/flow/rule"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Commands are those that have no key.
func (x *Page) Commands() []term.Command {
	return []term.Command{
		{Keys: ":fault", Help: "add a fault rule: :fault hold before \"rv check\" on verb:update", Off: x.needsGate(), Do: func() {
			x.Env.Show(page.Gate)
			x.add()
		}},
		{Keys: ":fault off", Help: "remove all fault rules; what they hold stays held", Off: x.needsRules(), Do: x.off},
		{Keys: ":faults", Help: "replace the fault rules by those of a file: :faults FILE", Off: x.needsGate(), Do: x.askFile},
	}
}

func (x *Page) needsRules() string {
	if why := x.needsGate(); why != "" {
		return why
	}
	return page.Unless(len(x.Env.Gate.Rules) > 0, "there are no rules")
}

// Interpret makes commands of a line with a rule, or with a file of rules.
func (x *Page) Interpret(line string) []term.Command {
	line = strings.TrimPrefix(strings.TrimSpace(line), ":")
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	off := x.needsGate()
	switch {
	case rest == "" || rest == "off":
		return nil
	case word == "faults":
		return []term.Command{{Keys: ":" + line, Help: x.Env.F("replace the fault rules by those of %s", rest), Off: off, Do: func() { x.load(rest) }}}
	case word != "fault":
		return nil
	}
	r, err := x.parse(rest)
	if err != nil {
		return []term.Command{{Keys: ":" + line, Help: "no rule yet", Off: err.Error(), Do: func() {}}}
	}
	return []term.Command{{Keys: ":" + line, Help: r.Sentence(), Off: off, Do: func() { x.addLine(r.String()) }}}
}

// off removes all rules.
func (x *Page) off() {
	held := len(x.Env.Gate.Held)
	x.Env.AskServer("remove", func(a *client.Client) error { return removeRule(a, 0) }, func() {
		if held == 0 {
			x.Env.Say("all rules are removed")
			return
		}
		x.Env.Say("all rules are removed; %s until you let go", term.Plural(held, "held request"))
	})
}

func (x *Page) askFile() {
	x.Env.Over = &term.Prompt{Title: "Rules of a file", Text: []string{"They take the place of those that there are. A line a rule; seed 42 on a line of its own."}, Done: func(name string) {
		if name = strings.TrimSpace(name); name != "" {
			x.load(name)
		}
	}}
}

// load replaces the rules by those of a file.
func (x *Page) load(name string) {
	n := 0
	x.Env.AskRules(func() {
		x.Env.AskServer("faults "+name, func(a *client.Client) (err error) {
			n, err = loadFile(a, name)
			return err
		}, func() { x.Env.Say("%s of %s", term.Plural(n, "rule"), name) })
	})
}

// mostOfFile is how long a file of rules may be, in bytes.
const mostOfFile = 5 << 20

// loadFile reads a file of rules and replaces those that there are; it says how many there are then.
func loadFile(a *client.Client, name string) (int, error) {
	if info, err := os.Stat(name); err == nil && info.Size() > mostOfFile {
		return 0, errors.New("that is too long for a file of rules")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	set, err := rule.ParseSet(string(text))
	if err != nil {
		return 0, err
	}
	return len(set.Rules), replaceRules(a, string(text))
}

// readRefusal reads a status, and the seconds of Retry-After.
func readRefusal(words []string) (r refusal, err error) {
	if len(words) == 0 || len(words) > 2 {
		return r, errors.New("a refusal is a status from 400 to 599, and the seconds of Retry-After: 429 5")
	}
	if r.code, err = strconv.Atoi(words[0]); err != nil || r.code < 400 || r.code > 599 {
		return r, fmt.Errorf("a refusal needs a status from 400 to 599, not %q", words[0])
	}
	if len(words) == 2 {
		if r.after, err = strconv.Atoi(strings.TrimSuffix(words[1], "s")); err != nil || r.after < 1 || r.after > 86400 {
			return r, fmt.Errorf("Retry-After needs seconds from 1 to 86400, not %q", words[1])
		}
	}
	return r, nil
}
