package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubarium/cells"
	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/flow/redact"
	"kubarium/tui/inspect"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// A plain is the UI for screen readers and pipes: it appends sentences and takes typed commands. It draws nothing.
type plain struct {
	u     *ui
	out   io.Writer
	match *filter.Filter
	wait  bool // only tell a request when `next` is typed
	queue []*flow.Flow
	told  string     // the narration told last
	held  uint64     // the newest one at the gate that was told
	done  chan error // gets the answer of the lesson's player; nil while it is not called
	err   error      // of the last write
}

// plainQueue is how many requests wait for `next` at most; older ones are skipped, and that is said.
const plainQueue = 1000

// runPlain tells what happens until `quit`, the end of input, or the end of ctx.
func runPlain(ctx context.Context, o Options) (quit Quit, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &plain{u: newUI(o, term.NewTheme("mono")), out: o.Out}
	wake, end := o.Log.Subscribe()
	defer end()
	p.recall()
	p.u.followGate(ctx)
	p.print("%s Type help for the commands.", o.greeting())
	lines := readLines(ctx, o.In)
	for p.err == nil {
		select {
		case <-ctx.Done():
			return QuitStop, nil
		case l, ok := <-lines:
			if !ok {
				lines = nil // no more input: go on telling, as for a pipe
				continue
			}
			if q, done := p.command(l); done {
				return q, nil
			}
		case err := <-p.done:
			p.done = nil
			p.lessonEnded(err)
		case <-o.Source.Changed:
			for _, text := range o.Source.News() {
				p.print("%s", text)
			}
		case <-p.u.Gate.News():
			p.gate()
		case <-p.u.lesson.News():
			p.happened()
		case <-wake:
			p.fold()
			if !sleep(ctx, time.Second/time.Duration(o.FPS)) {
				return QuitStop, nil
			}
		}
	}
	return QuitServe, fmt.Errorf("terminal UI: %w", p.err)
}

// greeting says what is told.
func (o *Options) greeting() string {
	switch {
	case o.Source.Kind == Attached:
		return fmt.Sprintf("Attached to %s, which goes on when this is closed.", o.URL)
	case o.Source.Kind == Own:
		return fmt.Sprintf("Kubarium serves %s.", o.URL)
	case o.Other != nil:
		return fmt.Sprintf("These are the recordings %s, run A, and %s, run B. What is told is of run A.", o.Source.Name, o.Other.Name)
	}
	return fmt.Sprintf("This is the recording %s of the server at %s.", o.Source.Name, o.URL)
}

// recall reads back what was before the UI began, at once.
func (p *plain) recall() {
	p.u.recall()
	p.settle()
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// readLines hands over what is typed, line by line, and closes the channel at the end of input.
func readLines(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- strings.TrimSpace(s.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

func (p *plain) print(format string, args ...any) {
	if p.err != nil {
		return
	}
	_, p.err = fmt.Fprintln(p.out, strings.TrimRight(cells.Inert(fmt.Sprintf(format, args...)), " "))
}

// fold tells the requests that came since the last time.
func (p *plain) fold() {
	now := p.u.live
	lost, from := p.u.lost, now.Seq
	p.u.fold()
	if n := p.u.lost - lost; n > 0 {
		p.print("%s requests aged out before they could be told.", term.Count(n))
	}
	p.gate()
	p.narrate()
	flows, _ := now.Log.Since(from, 0)
	for _, f := range flows {
		if f.Seq > now.Seq { // it came since, and is told the next time
			break
		}
		if f.Client.Own() && !p.match.Seeks(f) || !p.match.Match(f) {
			continue
		}
		if p.wait {
			p.queue = append(p.queue, f)
			continue
		}
		p.tell(f)
	}
	if n := len(p.queue) - plainQueue; n > 0 {
		p.queue = p.queue[n:]
		p.print("%s requests were skipped: too many wait for next.", term.Count(n))
	}
}

func (p *plain) tell(f *flow.Flow) { p.print("%d. %s", f.Seq, story.Line(p.masked(f))) }

func (p *plain) masked(f *flow.Flow) *flow.Flow {
	if p.u.Unmasked {
		return f
	}
	return redact.Flow(f)
}

// The words of plain mode, but for those of pages.
const (
	plainHelp = `next: tell the next request and wait; go: tell every request at once.
show NUMBER [call N] [story|request|response|stations|%s|effects|raw]: one request, or a call that the server made for it, from a side.
filter TERMS: tell only these requests, filter alone tells all; watchers: who watches, and how far behind.
lists, conflicts, deletes, doctor: what was listed, which writes met another's, what is going away, which mistakes clients make; with a NUMBER, one of them.
lessons [WORDS], lesson NAME, run, step, pause, reset, answer CHOICE, pace [wait|×0.5|×1|×2|×4]: play a lesson; lang LANGUAGE: in another language.`
	plainEnd = `at RV: lists, conflicts, deletes, watchers, objects and requests as they were at a resourceVersion, until at now.
status; unmask; quit: stop the server; detach: close this and keep serving.`
)

// help says which words there are.
func (p *plain) help() string {
	lines := []string{fmt.Sprintf(plainHelp, p.storeSide())}
	if p.u.pages[page.Compare] != nil {
		lines = append(lines, "compare: where the two runs part, and what differs; with a NUMBER, one of the differences.")
	}
	for _, s := range slices.Backward(p.u.screens()) {
		if t, ok := p.u.pages[s].(page.Teller); ok {
			lines = append(lines, t.WordsHelp())
		}
	}
	return strings.Join(append(lines, plainEnd), "\n")
}

// command does what was typed; done says that the UI is to end.
func (p *plain) command(l string) (how Quit, done bool) {
	word, rest, _ := strings.Cut(l, " ")
	rest = strings.TrimSpace(rest)
	if word != "yes" {
		p.u.objects().Unconfirm()
	}
	switch word {
	case "":
	case "quit", "q", "exit":
		return QuitStop, true
	case "detach":
		return QuitServe, true
	case "help", "?":
		p.print("%s", p.help())
	case "next", "n":
		p.next()
	case "go":
		if rest != "" {
			p.pages(word, rest)
			break
		}
		p.wait = false
		for _, f := range p.queue {
			p.tell(f)
		}
		p.queue = nil
	case "show":
		p.show(rest)
	case "watchers":
		p.watchers()
	case "filter":
		p.filter(rest)
	case "unmask":
		p.u.toggleUnmask()
		p.print("%s", p.u.Toast.Text)
	case "at":
		p.at(rest)
	case "status":
		s := p.u.live.Stats
		p.print("%s requests recorded, %s held, %s aged out unseen. The newest resourceVersion is %d.", term.Count(s.Published), term.Count(s.Flows), term.Count(p.u.lost), p.u.live.Time.Head)
		p.remind()
	default:
		if !p.page(word, rest) && !p.lesson(word, rest) && !p.pages(word, rest) {
			p.print("Unknown command %q. Type help for the commands.", word)
		}
	}
	return 0, false
}

func (p *plain) next() {
	p.wait = true
	if len(p.queue) == 0 {
		p.print("Nothing new. Requests wait from now on until next or go.")
		return
	}
	p.tell(p.queue[0])
	p.queue = p.queue[1:]
}

// show prints one side of a request.
func (p *plain) show(rest string) {
	number, side, _ := strings.Cut(rest, " ")
	seq, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		p.print("show needs the number of a request: show 12 %s", p.storeSide())
		return
	}
	f := p.u.Log.Get(seq)
	if f == nil {
		p.print("Request %d is not held: it has aged out or %s.", seq, term.Pick(p.u.past(), fmt.Sprintf("had not ended at rv %d", p.u.at()), "has not come yet"))
		return
	}
	call, side, err := callNamed(side, len(f.Calls))
	if err != nil {
		p.print("%s", err)
		return
	}
	which, err := p.tabNamed(side)
	if err != nil {
		p.print("%s", err)
		return
	}
	p.u.Sel = f
	p.u.OpenCall(call)
	defer p.u.CloseCall()
	for _, l := range p.u.traffic().Inspector.Told(p.u.Shown(), which, 100) {
		p.print("%s", l.String())
	}
}

// callNamed reads which of a request's calls is meant, "call 2 response"; 0 for the request itself.
func callNamed(side string, calls int) (number int, rest string, err error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(side), "call ")
	if !ok {
		return 0, side, nil
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
	number, err = strconv.Atoi(first)
	switch {
	case calls == 0:
		return 0, "", errors.New("the server called nobody for this request")
	case err != nil || number < 1 || number > calls:
		return 0, "", fmt.Errorf("it has the calls 1 to %d: show 12 call 1 response", calls)
	}
	return number, rest, nil
}

// storeSide is the side of a request with what the store was asked.
func (p *plain) storeSide() string { return strings.ToLower(p.u.Store().Tab) }

func (p *plain) tabNamed(s string) (inspect.Tab, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return inspect.TabStory, nil
	}
	for t := inspect.TabStory; t < inspect.Tabs; t++ {
		if strings.EqualFold(p.u.traffic().Inspector.Title(t), s) {
			return t, nil
		}
	}
	return 0, fmt.Errorf("the sides are story, request, response, stations, %s, effects and raw", p.storeSide())
}

func (p *plain) watchers() {
	p.fold() // tells what has come meanwhile, before the list
	p.remind()
	w := p.u.Streams
	if len(w.List) == 0 {
		p.print("%s", term.Pick(p.u.past(), "Nobody was watching.", "Nobody is watching."))
	}
	for _, x := range w.List {
		s := x.State()
		_, lag := w.Lag(x, s)
		p.print("%s watches %s: %s events and %s bookmarks, last resourceVersion %s, %s.", x.Client.Tag, label.Watch(x), term.Count(s.Sent), term.Count(s.Bookmarks), label.Revision(s.Last), lag)
	}
}

func (p *plain) filter(terms string) {
	f, err := filter.Parse(terms)
	if err != nil {
		p.print("Column %d: %s. The filter stays as it was.", asProblem(err).Column+1, err)
		return
	}
	p.match = f
	if f.Empty() {
		p.print("Every request is told.")
		return
	}
	p.print("Only requests with %s are told.", f)
}

// pages lets the pages tell what was asked for, and reports whether one knows the word.
func (p *plain) pages(word, rest string) bool {
	p.fold() // tells what has come meanwhile, before the answer
	said := false
	print := func(format string, args ...any) {
		if !said {
			p.remind()
		}
		said = true
		p.print(format, args...)
	}
	for _, s := range p.u.screens() {
		if t, ok := p.u.pages[s].(page.Teller); ok && t.Tell(word, rest, print) {
			return true
		}
	}
	return false
}
