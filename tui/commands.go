package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// back leaves what is open, innermost first; at the end it asks to quit.
func (u *ui) back() {
	r, ok := u.page().(returner)
	switch {
	case ok && r.back():
	case u.zoom:
		u.zoom, u.at = false, 0
		u.enter(0)
	case u.at > 0:
		u.enter(u.at - 1)
	case u.screen != pageTraffic:
		u.show(pageTraffic)
	default:
		u.askQuit()
	}
}

func (u *ui) askQuit() {
	u.over = &menu{
		title: "Quit Kubarium?",
		text:  []string{"The API server at " + u.url + " stops as well."},
		items: []item{
			{key: "q", label: "quit: stop the server and leave", do: func() { u.do(quitEffect{QuitStop}) }},
			{key: "d", label: "detach: close the UI, keep serving", do: func() { u.do(quitEffect{QuitServe}) }},
		},
	}
}

// interrupt quits when it comes twice within two seconds.
func (u *ui) interrupt() {
	now := u.now()
	if now.Before(u.armed) {
		u.do(quitEffect{QuitStop})
		return
	}
	u.armed = now.Add(2 * time.Second)
	u.say("^c once more quits and stops the API server; q asks")
}

func (u *ui) toggleMouse() {
	u.mouse = !u.mouse
	u.do(mouseEffect{u.mouse})
	if u.mouse {
		u.say("the mouse is the UI's again")
	} else {
		u.say("the mouse selects text now; %% takes it back (shift or option selects without this)")
	}
}

func (u *ui) toggleUnmask() {
	u.unmasked = !u.unmasked
	u.objects().object.reread()
	u.versions().about.reread()
	if u.unmasked {
		u.say("UNMASKED: Secrets and Authorization headers are shown and copied as they are")
	} else {
		u.say("Secrets and Authorization headers are masked again")
	}
}

// explain says in words what the focused pane shows.
func (u *ui) explain() {
	p := u.pane()
	words := p.legend()
	u.over = &reader{title: "What this shows: " + p.name(), lines: func(w int) []line {
		var out []line
		for i, s := range words {
			if i > 0 {
				out = append(out, nil)
			}
			out = append(out, wrapLines(sPlain, s, w)...)
		}
		return out
	}}
}

// openHelp lists the keys of the focused pane.
func (u *ui) openHelp() {
	u.over = &picker{title: "Keys: " + u.pane().name(), all: u.keyCommands()}
}

// openPalette lists all commands, also those without a key.
func (u *ui) openPalette() {
	named := u.namedCommands()
	slices.SortFunc(named, func(a, b command) int { return strings.Compare(a.keys, b.keys) })
	u.over = &picker{title: "Commands", all: append(u.keyCommands(), named...)}
}

// keyCommands are what the keys of the focused pane do.
func (u *ui) keyCommands() []command {
	var out []command
	for _, b := range u.bindings() {
		out = append(out, command{keys: keyNames(b.keys), help: b.help, off: b.why(), do: func() { u.run(&b) }})
	}
	return out
}

// namedCommands are the commands that have no key.
func (u *ui) namedCommands() []command {
	all := []command{
		{keys: ":unmask", help: "show Secrets and Authorization headers as they are, and mask them again", do: u.toggleUnmask},
		{keys: ":compact", help: "make every version up to now unreadable, so that who is behind meets a 410", do: u.askCompact},
		{keys: ":quit", help: "stop the server and leave", do: u.askQuit},
		{keys: ":detach", help: "close the UI and keep serving", do: func() { u.do(quitEffect{QuitServe}) }},
	}
	for _, s := range u.screens() {
		if p, ok := u.pages[s].(commander); ok {
			all = append(all, p.commands()...)
		}
	}
	for name := range looks {
		if !strings.HasSuffix(name, "24") {
			all = append(all, command{keys: ":theme " + name, help: "change the colours to " + name, do: func() { u.th = newTheme(name) }})
		}
	}
	return all
}

// diagnostics shows how the UI itself does.
func (u *ui) diagnostics() {
	u.over = &reader{title: "Diagnostics", lines: func(w int) []line {
		s := u.stats
		row := func(name, format string, args ...any) line {
			return line{{sName, pad(name, 22)}, {sPlain, fit(fmt.Sprintf(format, args...), w-22)}}
		}
		return []line{
			row("requests recorded", "%s", count(s.Published)),
			row("held in memory", "%s of at most %s, %s of %s", count(s.Flows), count(s.Limits.Flows), bytesText(s.Bytes), bytesText(s.Limits.Bytes)),
			row("aged out of memory", "%s", count(s.Evicted)),
			row("aged out unseen", "%s (drop)", count(u.lost)),
			row("marked", "%d", len(u.marks)),
			row("frames drawn", "%s", count(u.meter.frames)),
			row("last frame took", "%s µs to fold, %s µs to draw", count(u.meter.fold.Microseconds()), count(u.meter.draw.Microseconds())),
			row("slowest frame", "%s µs", count(u.meter.slowest.Microseconds())),
			row("data frames every", "%d ms", u.meter.slot.Milliseconds()),
			row("terminal takes", "%s ms a write, %s in all", millis(u.meter.write), bytesText(u.meter.bytes)),
			row("size, theme", "%dx%d, %s", u.w, u.h, u.th.name),
			row("database", "%s", orNone(u.o.DB)),
			row("version", "%s", orNone(u.o.Version)),
		}
	}}
}
