package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/server/flow"
	"kubarium/tui/story"
)

// back leaves what is open, innermost first; at the end it asks to quit.
func (u *ui) back() {
	switch {
	case u.inspector.query != "" && u.pane().context() == inInspector:
		u.inspector.query = ""
	case u.returned():
	case u.zoom || u.side:
		u.zoom, u.side = false, false
		u.relayout()
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

func (u *ui) nextFormat() {
	in := &u.inspector
	in.format = (in.format + 1) % bodyFormats
	if f := in.u.shown(); in.format == asWire && f != nil && !hasFields(f.RequestBody) && !hasFields(f.ResponseBody) {
		in.format++
	}
	in.askTable()
	u.say("bodies as %s", u.inspector.format)
}

func (u *ui) nextClock() {
	u.traffic.clock = (u.traffic.clock + 1) % clocks
	u.say("time: %s", u.traffic.clock)
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
	words := story.Explain(p.name())
	if of := u.page(); of != nil {
		words = of.legend()
	}
	switch p.context() {
	case inFrames:
		words = []string{"Each line is an event that was written to the selected watch, with its revision and size.",
			"after is the time from the commit of the change to the socket; bookmarks and the first objects have none.",
			"enter goes to the request that made the change."}
	case inLearn:
		words = []string{"Each lesson sends real requests to this server, told step by step; its actors are the short names under who.",
			"space runs it, . plays one step, R removes what it created."}
	}
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
	in := u.pane().context()
	u.over = &picker{title: "Keys: " + contexts[in], all: u.commandsOf(func(b *binding) bool { return b.in&in != 0 })}
}

// openPalette lists all commands, also those without a key.
func (u *ui) openPalette() {
	in := u.pane().context()
	all := u.commandsOf(func(b *binding) bool { return b.in&in != 0 })
	named := u.namedCommands()
	slices.SortFunc(named, func(a, b command) int { return strings.Compare(a.keys, b.keys) })
	u.over = &picker{title: "Commands", all: append(all, named...)}
}

// namedCommands are the commands that have no key.
func (u *ui) namedCommands() []command {
	all := []command{
		{keys: ":unmask", help: "show Secrets and Authorization headers as they are, and mask them again", do: u.toggleUnmask},
		{keys: ":compact", help: "make every version up to now unreadable, so that who is behind meets a 410", do: u.askCompact},
		{keys: ":quit", help: "stop the server and leave", do: u.askQuit},
		{keys: ":detach", help: "close the UI and keep serving", do: func() { u.do(quitEffect{QuitServe}) }},
	}
	all = append(all, u.versions().commands()...)
	for t := tabStory; t < tabs; t++ {
		all = append(all, command{keys: ":" + strings.ToLower(t.String()), help: "open the inspector's tab " + t.String(), off: u.needsSelection(), do: func() {
			u.show(pageTraffic)
			u.inspector.turn(int(t - u.inspector.tab))
			u.focus(true)
		}})
	}
	for name := range looks {
		if !strings.HasSuffix(name, "24") {
			all = append(all, command{keys: ":theme " + name, help: "change the colours to " + name, do: func() { u.th = newTheme(name) }})
		}
	}
	return all
}

func (u *ui) commandsOf(want func(*binding) bool) []command {
	var out []command
	for i := range u.bindings {
		b := &u.bindings[i]
		if want(b) {
			out = append(out, command{keys: keyNames(b.keys), help: b.help, off: b.why(), do: func() { u.run(b) }})
		}
	}
	return out
}

// keyName is how a key is written on the screen.
func keyName(k string) string {
	if rest, ok := strings.CutPrefix(k, "ctrl+"); ok {
		return "^" + rest
	}
	switch k {
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "shift+tab":
		return "S-tab"
	}
	return k
}

func keyNames(ks []string) string {
	names := make([]string, len(ks))
	for i, k := range ks {
		names[i] = keyName(k)
	}
	return strings.Join(names, " ")
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

// otherMark is the newest marked request that is not the selected one.
func (u *ui) otherMark() *flow.Flow {
	for i := len(u.marks) - 1; i >= 0; i-- {
		if u.marks[i] != u.sel {
			return u.marks[i]
		}
	}
	return nil
}

// compare shows what differs between the marked request and the selected one.
func (u *ui) compare() {
	a, b := u.otherMark(), u.sel
	if !u.unmasked {
		a, b = redact(a), redact(b)
	}
	u.over = &reader{title: fmt.Sprintf("#%d compared with #%d", a.Seq, b.Seq), lines: func(w int) []line {
		p := &inspectorPage{w: w}
		p.title("Request line")
		p.more(diffLines([]string{requestLine(a)}, []string{requestLine(b)}, w)...)
		p.title("Answer")
		p.more(diffLines([]string{answerLine(a)}, []string{answerLine(b)}, w)...)
		p.title("Request body")
		p.more(diffLines(pretty(a.RequestBody.Kept), pretty(b.RequestBody.Kept), w)...)
		p.title("Response body")
		p.more(diffLines(pretty(a.ResponseBody.Kept), pretty(b.ResponseBody.Kept), w)...)
		return p.lines
	}}
}

func requestLine(f *flow.Flow) string {
	if f.Query == "" {
		return f.Method + " " + f.Path
	}
	return f.Method + " " + f.Path + "?" + f.Query
}

func answerLine(f *flow.Flow) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", f.Status, f.Reason, f.Message))
}
