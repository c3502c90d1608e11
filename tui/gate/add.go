package gate

import (
	"errors"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/tui/client"
	"kubarium/tui/term"
)

// A lineEdit is the line of a rule that is being typed.
type lineEdit struct {
	term.LineEdit
	rule    rule.Rule
	problem string   // why it is no rule yet
	offers  []string // how it could go on
	back    int      // how far up has gone into what was typed before
	typed   bool     // something was typed: an error is worth showing
}

// add begins a rule, with the filter that is set if there is one.
func (x *Page) add() {
	text, at := "", 0
	if match := x.Env.Feed.Match; !match.Empty() {
		text, at = "hold on "+match.String(), len("hold")
	}
	x.begin(text, at)
}

func (x *Page) begin(text string, at int) {
	x.Env.Enter(0)
	x.adding = &lineEdit{LineEdit: term.LineEdit{Text: text, At: at}}
	x.reread()
}

// reread reads what is typed: whether it is a rule, and how it could go on.
func (x *Page) reread() {
	e := x.adding
	e.offers = slices.DeleteFunc(rule.Complete(e.Text, len([]rune(e.Text[:e.At])), x.seen), func(offer string) bool {
		_, err := x.parse(offer)
		action, _, _ := strings.Cut(offer, " ")
		return errors.Is(err, rule.ErrInside) || x.Env.Through() && rule.Action(action).Inside()
	})
	e.problem = ""
	var err error
	if e.rule, err = x.parse(e.Text); err != nil {
		e.problem = err.Error()
	}
	x.Env.Dirty = true
}

// parse reads a rule that can act here.
func (x *Page) parse(line string) (rule.Rule, error) {
	r, err := rule.Parse(line)
	if err == nil && x.Env.Through() {
		err = r.AtGlass()
	}
	return r, err
}

// seen are the values of a field in the newest requests.
func (x *Page) seen(field string) []string {
	held, _ := x.Env.Log.Since(x.Env.Seq-min(x.Env.Seq, 500), 0)
	found := map[string]bool{}
	for _, f := range held {
		if f.Client.Own() && !x.Env.Feed.Own {
			continue
		}
		if v := valueOf(f, field); v != "" {
			found[v] = true
		}
	}
	out := make([]string, 0, len(found))
	for v := range found {
		out = append(out, v)
	}
	slices.Sort(out)
	return out
}

func valueOf(f *flow.Flow, field string) string {
	switch field {
	case "who":
		return f.Client.Tag
	case "user":
		return f.Client.User
	case "res":
		return f.Target.Resource
	case "name":
		return f.Target.Name
	case "ns":
		return f.Target.Namespace
	case "run":
		return f.Client.Session
	}
	return ""
}

// Typing reports whether a rule is being typed.
func (x *Page) Typing() bool { return x.adding != nil }

// Typed handles a key while a rule is typed.
func (x *Page) Typed(k string) {
	e := x.adding
	switch k {
	case "enter":
		x.finish()
		return
	case "esc", "ctrl+c":
		x.adding, x.Env.Dirty = nil, true
		return
	case "tab":
		if len(e.offers) > 0 {
			e.LineEdit = term.LineEdit{Text: e.offers[0] + strings.TrimLeft(e.Text[e.At:], " "), At: len(e.offers[0])}
		}
	case "up", "down":
		x.recall(k)
	default:
		if !e.Key(k) {
			return
		}
	}
	e.typed = true
	x.reread()
}

// Pasted inserts text into the rule.
func (x *Page) Pasted(s string) {
	x.adding.Insert(s)
	x.adding.typed = true
	x.reread()
}

// recall goes through the rules that were added.
func (x *Page) recall(k string) {
	e := x.adding
	e.back = term.Pick(k == "up", min(e.back+1, len(x.past)), max(e.back-1, 0))
	text := ""
	if e.back > 0 {
		text = x.past[len(x.past)-e.back]
	}
	e.LineEdit = term.NewLineEdit(text)
}

// finish adds the rule, if it is one.
func (x *Page) finish() {
	e := x.adding
	if e.problem != "" {
		e.typed, x.Env.Dirty = true, true
		x.Env.Say("that is no rule yet: %s", e.problem)
		return
	}
	x.adding = nil
	x.addLine(e.rule.String())
}

// addLine adds a rule, which is remembered.
func (x *Page) addLine(line string) {
	x.past = append(slices.DeleteFunc(x.past, func(s string) bool { return s == line }), line)
	x.Env.AskRules(func() {
		x.Env.AskServer("add", func(a *client.Client) error { return addRules(a, line) }, func() { x.Env.Say("added: %s", line) })
	})
}

// drawAdding shows the rule that is typed, whether it is one, and how it could go on. It returns how many lines that
// takes.
func (x *Page) drawAdding(c *term.Canvas, r term.Rect) int {
	e := x.adding
	if e == nil {
		return 0
	}
	at := e.Draw(c, r, c.Put(r, 1, 0, term.Key, "rule "), 0)
	if len(e.offers) > 0 && at+8 < r.W {
		c.Put(r, at+1, 0, term.Dim, term.Fit("tab "+offered(e.offers), r.W-at-2))
	}
	st, said := term.Dim, "An action, then what it needs, then on and a filter. tab goes on, ↑ recalls, enter adds it, esc closes."
	switch {
	case e.problem == "":
		st, said = term.Plain, "✓ "+e.rule.Sentence()
	case e.typed:
		st, said = term.Warn, "✗ "+e.problem
	}
	tall := 1
	for _, l := range term.WrapLines(st, said, max(10, r.W-2)) {
		c.Line(r, 1, tall, l)
		tall++
	}
	c.Put(r, 0, tall, term.Border, strings.Repeat("─", r.W))
	return tall + 1
}

// offered are the last words of a few completions.
func offered(all []string) string {
	var words []string
	for _, s := range all[:min(5, len(all))] {
		s = strings.TrimRight(s, " ")
		if i := strings.LastIndex(s, ` "`); i >= 0 && strings.HasSuffix(s, `"`) {
			words = append(words, s[i+1:])
			continue
		}
		words = append(words, s[strings.LastIndex(s, " ")+1:])
	}
	return strings.Join(words, " ")
}
