package tui

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// back leaves what is open, innermost first, then the past, then the page; on Traffic it asks to quit.
func (u *ui) back() {
	switch {
	case u.closed():
	case u.past():
		u.toNow()
	case u.Front != u.home():
		u.Show(u.home())
	default:
		u.askQuit()
	}
}

// escape leaves what is open, innermost first, then the past, then the lesson, and stays on the page.
func (u *ui) escape() {
	switch {
	case u.closed():
	case u.past():
		u.toNow()
	case u.lesson.AskLeave():
	case u.Front == u.home():
		u.Say("nothing is open here; q %s", "asks to quit")
	default:
		u.Say("nothing is open here; q %s", term.Pick(u.home() == page.Traffic, "goes back to Traffic", "goes back to the command's page"))
	}
}

// home is the page from which q asks to quit: that of the command, if the UI was started for one.
func (u *ui) home() page.ID { return term.Pick(u.o.Command == nil, page.Traffic, page.Client) }

// closed closes the innermost layer of the page: words that were searched for, a zoom, a pane. It reports whether there
// was one.
func (u *ui) closed() bool {
	r, ok := u.page().(page.Returner)
	switch {
	case ok && r.Back():
	case u.unzoomed():
	case u.At > 0:
		u.Enter(u.At - 1)
	default:
		return u.backToRow()
	}
	return true
}

// unzoomed takes a zoom back, and reports whether that is to be seen.
func (u *ui) unzoomed() bool {
	before := u.lay.panes
	u.Zoom = false
	u.Relayout()
	return u.lay.panes != before
}

func (u *ui) toggleMouse() {
	u.mouse = !u.mouse
	u.Do(mouseEffect{u.mouse})
	if u.mouse {
		u.Say("the mouse is the UI's again")
	} else {
		u.Say("the mouse selects text now; %% takes it back (shift or option selects without this)")
	}
}

func (u *ui) toggleUnmask() {
	u.Unmasked = !u.Unmasked
	u.objects().Object.Reread()
	u.versions().About.Reread()
	if u.past() {
		u.live.objects().Object.Reread()
		u.live.versions().About.Reread()
	}
	if u.Unmasked {
		u.Say("UNMASKED: Secrets and Authorization headers are shown and copied as they are")
	} else {
		u.Say("Secrets and Authorization headers are masked again")
	}
}

// openHelp lists the keys of the focused pane.
func (u *ui) openHelp() {
	u.Over = &term.Picker{Title: u.F("Keys: %s", u.T(u.pane().Name())), What: "key", All: u.keyCommands()}
}

// openPalette lists all commands, also those without a key.
func (u *ui) openPalette() {
	named := u.namedCommands()
	slices.SortFunc(named, func(a, b term.Command) int { return strings.Compare(a.Keys, b.Keys) })
	u.Over = &term.Picker{Title: "Commands", What: "command", All: append(u.keyCommands(), named...), Also: u.interpret}
}

// interpret are the commands that pages make of a line.
func (u *ui) interpret(line string) []term.Command {
	var out []term.Command
	for _, s := range u.screens() {
		if p, ok := u.pages[s].(page.Interpreter); ok {
			out = append(out, p.Interpret(line)...)
		}
	}
	return out
}

// keyCommands are what the keys of the focused pane do.
func (u *ui) keyCommands() []term.Command {
	var out []term.Command
	for _, b := range u.bindings() {
		out = append(out, term.Command{Keys: term.KeyNames(b.Keys), Name: b.Hint, Help: b.Help, Off: b.Why(), Do: func() { u.run(&b) }})
	}
	return out
}

// namedCommands are the commands that have no key.
func (u *ui) namedCommands() []term.Command {
	all := []term.Command{
		{Keys: ":unmask", Help: "show Secrets and Authorization headers as they are, and mask them again", Do: u.toggleUnmask},
		{Keys: ":compact", Help: "compact the history up to now: watchers that lag get 410 Gone", Off: u.NeedsOwn(), Do: u.askCompact},
		{Keys: ":at", Help: "show all pages at a version: :at 4176; :at now goes back", Do: u.askAt, Takes: u.goToNamed},
		{Keys: ":quit", Help: u.quitHelp(), Do: u.askQuit},
		{Keys: ":detach", Help: "close the UI and keep serving", Off: u.needsOwn(), Do: func() { u.Do(quitEffect{QuitServe}) }},
		{Keys: ":anew", Help: "attached: show the run of a server that has started again", Off: u.needsNewRun(), Do: func() { u.Do(quitEffect{QuitAnew}) }},
	}
	for _, s := range u.screens() {
		if p, ok := u.pages[s].(page.Commander); ok {
			all = append(all, p.Commands()...)
		}
	}
	for _, name := range term.Themes() {
		all = append(all, term.Command{Keys: ":theme " + name, Help: u.F("change the colours to %s", name), Do: func() { u.theme(name) }})
	}
	return append(all, term.Command{Keys: ":theme", Help: "change the colours; without a name, say which there are", Do: func() { u.theme("") }, Takes: u.theme})
}

// quitHelp says what :quit does.
func (u *ui) quitHelp() string {
	switch {
	case u.o.Source.Kind != Own:
		return "leave: exit"
	case u.o.Command != nil:
		return "end the command and the server, and leave: exit"
	}
	return "stop the server and leave: exit"
}

// diagnostics shows how the UI itself does.
func (u *ui) diagnostics() {
	u.Over = &term.Reader{Title: "Diagnostics", Lines: func(w int) []term.Line {
		s := u.live.Stats
		row := func(name, format string, args ...any) term.Line {
			return term.Line{term.Name.Of(term.Pad(name, 22)), term.Plain.Of(term.Fit(fmt.Sprintf(format, args...), w-22))}
		}
		return []term.Line{
			row("requests recorded", "%s", term.Count(s.Published)),
			row("kept", "%s", u.kept()),
			row("no longer kept", "%s", term.Count(s.Evicted)),
			row("not kept until seen", "%s (drop)", term.Count(u.lost)),
			row("marked", "%d", len(u.Marks)),
			row("frames drawn", "%s", term.Count(u.meter.frames)),
			row("last frame took", "%s µs to fold, %s µs to draw", term.Count(u.meter.fold.Microseconds()), term.Count(u.meter.draw.Microseconds())),
			row("slowest frame", "%s µs", term.Count(u.meter.slowest.Microseconds())),
			row("data frames every", "%d ms", u.meter.slot.Milliseconds()),
			row("terminal takes", "%s ms a write, %s in all", term.Millis(u.meter.write), term.BytesText(u.meter.bytes)),
			row("size, theme", "%dx%d, %s", u.w, u.h, u.th.Name),
			row("shown", "%s", u.o.Source.words()),
			row("database", "%s", term.OrNone(u.o.DB)),
			row("version", "%s", term.OrNone(u.o.Version)),
		}
	}}
}
