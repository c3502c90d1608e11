package tui

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// runPlain prints what happens until `quit`, the end of input, or the end of ctx.
func runPlain(ctx context.Context, o Options) (quit Quit, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &plain{u: newUI(o, term.NewTheme("mono")), out: o.Out}
	wake, end := o.Log.Subscribe()
	defer end()
	p.recall()
	p.u.followGate(ctx)
	p.print("%s Type help for the commands.", o.greeting())
	news := commandNews{of: o.Command}
	lines := readLines(ctx, o.In)
	for p.err == nil {
		select {
		case <-ctx.Done():
			return QuitStop, nil
		case l, ok := <-lines:
			if !ok {
				lines = nil // no more input: go on printing, as for a pipe
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
		case <-o.Command.Changes():
			news.say(p.print)
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

// greeting says which run is printed.
func (o *Options) greeting() string {
	switch {
	case o.Source.Kind == Attached:
		before := fmt.Sprintf(" Requests up to number %d are not printed; show NUMBER prints one.", o.Source.Before)
		return fmt.Sprintf("Attached to %s, which goes on when this is closed.", o.URL) +
			term.Pick(o.Source.Before > 0, before, "")
	case o.Source.Kind == Glass:
		return fmt.Sprintf("This is the glass in front of %s. kubectl goes through it with --kubeconfig %s.", o.Source.Context, o.Kubeconfig)
	case o.Command != nil:
		return fmt.Sprintf("Kubarium serves %s, and runs %s, whose output is in %s.", o.URL, o.Command.Line, o.Command.Output)
	case o.Source.Kind == Own:
		return fmt.Sprintf("Kubarium serves %s.", o.URL)
	case o.Other != nil:
		return fmt.Sprintf("These are the recordings %s, run A, and %s, run B. Requests are those of run A.",
			o.Source.Name, o.Other.Name)
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

// The words of plain mode, but for those of pages.
const (
	plainHelp = `next: tell the next request and wait; go: tell every request at once.
show NUMBER [call N] [story|request|response|stations|%s|effects|raw]: one request, or a call that the server made for it, from a side.
filter TERMS: tell only these requests, filter alone tells all; watchers: who watches, and how far behind.
lists, conflicts, deletes, doctor: what was listed, which writes met another's, what is going away, which mistakes clients make; with a NUMBER, one of them.
lessons [WORDS], lesson NAME, run, step, pause, reset, answer CHOICE, pace [wait|×1]: play a lesson; lang LANGUAGE: in another language.`
	plainEnd = `at RV: lists, conflicts, deletes, watchers, objects and requests as they were at a resourceVersion, until at now.
status; unmask; quit: stop %s; detach: close this and keep %s.`
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
	what, going := "the server", "serving"
	if p.u.o.Command != nil {
		what, going = "the command and the server", "both running"
	}
	return strings.Join(append(lines, fmt.Sprintf(plainEnd, what, going)), "\n")
}

// command does what was typed; done says that the UI is to end.
func (p *plain) command(l string) (how Quit, done bool) {
	word, rest, _ := strings.Cut(l, " ")
	rest = strings.TrimSpace(rest)
	yes := p.u.Yes
	p.u.Yes = nil
	switch word {
	case "":
	case "yes":
		if yes == nil {
			p.print("There is nothing to say yes to.")
			break
		}
		yes()
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
		p.print("%s requests recorded. Kept: %s. No longer kept before they were shown: %s. The newest resourceVersion is %d.",
			term.Count(s.Published), p.u.kept(), term.Count(p.u.lost), p.u.live.Time.Head)
		p.remind()
	default:
		if !p.page(word, rest) && !p.lesson(word, rest) && !p.pages(word, rest) {
			p.print("Unknown command %q. Type help for the commands.", word)
		}
	}
	return 0, false
}
