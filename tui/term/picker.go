package term

import (
	"slices"
	"strings"

	"kubarium/scenarios/words"
	"kubarium/server/nearest"
)

// A Picker lists commands, narrows them as the user types, and runs the chosen one.
type Picker struct {
	Title  string
	What   string // one of All: "command"
	edit   LineEdit
	All    []Command
	Also   func(typed string) []Command // further commands for the typed words; nil for none
	list   List[int]
	chosen bool         // with a key; otherwise enter runs only what the typed words name
	rows   Rect         // where the commands were drawn last
	words  *words.Words // the language in which they were drawn last
}

// A Command is a line of a picker.
type Command struct {
	Keys string
	Name string // a further name; "" for none
	Help string
	Off  string // why it cannot be run now; "" if it can
	Do   func()
	// Takes runs the command with the words after its name; nil for a command without arguments.
	Takes func(words string)

	told string // Help in the language of the screen; "" where that is English
}

// Height returns the number of visible commands.
func (p *Picker) Height() int { return p.list.Height() }

// Move chooses another command.
func (p *Picker) Move(n int) {
	if found := p.matches(); !p.chosen && p.named(found) == nil {
		n -= Pick(n > 0, 1, 0) // onto the first one
	}
	p.chosen = true
	p.list.Move(n)
}

// End chooses the first command, or the last.
func (p *Picker) End(bottom bool) {
	p.matches()
	p.chosen = true
	p.list.End(bottom)
}

// matches returns the commands that match the typed words, best first, and updates the list.
func (p *Picker) matches() []Command {
	all := p.All
	if p.Also != nil && strings.TrimSpace(p.edit.Text) != "" {
		all = append(slices.Clip(all), p.Also(p.edit.Text)...)
	}
	if p.words != nil {
		all = slices.Clone(all)
		for i := range all {
			all[i].told = p.words.T(all[i].Help)
		}
	}
	found := ranked(all, p.edit.Text)
	p.list.Keep(len(found), nil)
	return found
}

// Key narrows the commands, moves among them, or runs the chosen one.
func (p *Picker) Key(h Host, k string) {
	found := p.matches()
	switch k {
	case "esc":
		h.CloseOver()
	case "ctrl+p":
		p.Move(-1)
	case "ctrl+n", "tab":
		p.Move(1)
	case "up", "down", "pgup", "pgdown":
		MoveBy(p, k)
	case "enter":
		if c := p.named(found); c != nil {
			c.run(h, p.edit.Text)
		} else {
			h.Say("%s", p.unnamed(found))
		}
	default:
		if p.edit.Key(k) {
			p.list, p.chosen = List[int]{}, false
		}
	}
}

// named returns the command that enter runs: the chosen one, or the first if the typed words name it or begin its name.
func (p *Picker) named(found []Command) *Command {
	i := p.list.At()
	if i < 0 {
		return nil
	}
	best := found[0].rank(p.edit.Text)
	if !p.chosen && (best >= helped || best > exact && p.excess() != "") {
		return nil
	}
	return &found[i]
}

// excess says which words come after the name of a command without arguments; "" if none do.
func (p *Picker) excess() string {
	name, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(p.edit.Text), ":"), " ")
	for _, c := range p.All {
		if rest != "" && c.Takes == nil && strings.EqualFold(c.Keys, ":"+name) {
			return p.words.F("%s takes no argument: %q", c.Keys, strings.TrimSpace(rest))
		}
	}
	return ""
}

// unnamed says why enter runs nothing.
func (p *Picker) unnamed(found []Command) string {
	if why := p.excess(); why != "" {
		return why
	}
	typed := strings.TrimPrefix(strings.TrimSpace(p.edit.Text), ":")
	word, _, _ := strings.Cut(typed, " ")
	var names []string
	for _, c := range p.All {
		names = append(names, strings.TrimPrefix(c.Keys, ":"), c.Name)
	}
	no := p.words.F("no %s is named %q", p.words.T(p.What), typed)
	return no + Pick(len(found) > 0, p.words.T("; ↓ chooses one that is listed"), nearest.Hint(word, names))
}

// run closes the picker and runs the command.
func (c *Command) run(h Host, typed string) {
	h.CloseOver()
	if c.Off != "" {
		h.Say("%s: %s", c.Keys, c.Off)
		return
	}
	if words := c.words(typed); words != "" {
		c.Takes(words)
		return
	}
	c.Do()
}

// Click runs the command at a place.
func (p *Picker) Click(h Host, x, y int) {
	found := p.matches()
	from, to := p.list.Range(p.rows.H)
	if i := from + y - p.rows.Y; p.rows.Has(x, y) && i < to {
		found[i].run(h, p.edit.Text)
	}
}

// Draw draws the typed words and the matching commands in a box as wide as the longest needs. Where lines are cut, the
// chosen one is whole below them.
func (p *Picker) Draw(c *Canvas, screen Rect) {
	p.words = c.Words
	found := p.matches()
	keys, widest := 0, 60
	all := append(slices.Clip(p.All), found...)
	for i := range all {
		keys = min(max(keys, Text(Plain, all[i].Keys).Width()), 16)
		widest = max(widest, Text(Plain, all[i].text(c.Words)).Width())
	}
	widest += keys + 2 + 4
	w := min(screen.W-4, widest)
	below := Pick(w < widest, detailRows, 0)
	from, to := p.list.Range(max(1, min(len(found), screen.H-6-below)))
	lines := []Line{{{Key, "> "}, {Plain, p.edit.Text}, {Mode, " "}}}
	marked := p.named(found) != nil
	for i := from; i < to; i++ {
		m := &found[i]
		l := FitLine(Line{{Key, Pad(Fit(m.Keys, keys), keys+2)}, {Pick(m.Off == "", Plain, Dim), m.text(c.Words)}}, w-4)
		if marked && i == p.list.At() {
			l = Mark(l, w-4)
		}
		lines = append(lines, l)
	}
	switch {
	case len(found) == 0:
		lines = append(lines, Text(Dim, c.Words.T("no match; esc closes")))
	case !marked:
		lines = append(lines, Text(Dim, c.Words.T("↓ chooses one of them")))
	}
	if at := p.list.At(); below > 0 && at >= 0 && marked {
		lines = append(lines, nil)
		text := found[at].Keys + "  " + found[at].text(c.Words)
		for _, s := range append(Wrap(text, w-4), make([]string, below)...)[:below-1] {
			lines = append(lines, Text(Bold, s))
		}
	}
	r := Box(c, screen, c.Words.T(p.Title), lines, w)
	if more := p.list.More(); more > 0 {
		c.Right(r, r.W-2, r.H-1, Dim, moreText(more)+" ")
	}
	p.rows = Rect{r.X, r.Y + 2, r.W, to - from}
}

// detailRows are for the chosen command below the others: a blank and two lines.
const detailRows = 3

// text is what a command does, and why it cannot.
func (c *Command) text(in *words.Words) string {
	if c.Off == "" {
		return in.T(c.Help)
	}
	return in.T(c.Help) + "  (" + in.T(c.Off) + ")"
}
