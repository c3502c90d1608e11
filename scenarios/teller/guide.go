package teller

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"kubarium/scenarios"
	"kubarium/scenarios/check"
	"kubarium/scenarios/play"
	"kubarium/scenarios/words"
)

// Guide plays a lesson for a reader at a terminal, who types into in: it stops before each step until enter, asks for
// predictions, and waits for the reader's own commands if there is a Witness. q ends the lesson, and what it made is removed.
// Errors are those of Tell.
func Guide(ctx context.Context, in io.Reader, out io.Writer, l *scenarios.Lesson, server string, o play.Options) error {
	o.Ask, o.Pace, o.Leave = true, 0, true
	p := play.New(l, server, o)
	if err := p.Playable(ctx); err != nil {
		return err
	}
	g := &guide{p: p, page: &page{w: out, kubectl: o.Kubectl, Words: words.In(l.Language)}, lines: linesFrom(in)}
	g.opening(l)
	err := g.play(ctx)
	if err := errors.Join(err, p.Reset(ctx)); err != nil && !errors.Is(err, errQuit) {
		return err
	}
	if err != nil {
		g.line("\nStopped. What the lesson made is removed.")
	} else {
		g.ending(l)
	}
	return g.err
}

// errQuit says that the reader ended the lesson.
var errQuit = errors.New("the reader stopped the lesson")

// A guide is a Player with its reader.
type guide struct {
	*page
	p     *play.Player
	lines <-chan string // what the reader types; closed at the end of the input
}

// linesFrom reads lines until the input ends.
func linesFrom(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			lines <- strings.TrimSpace(s.Text())
		}
	}()
	return lines
}

// ask returns what the reader types next; q and the end of the input are errQuit.
func (g *guide) ask(ctx context.Context, prompt string) (string, error) {
	g.prompt(prompt)
	select {
	case line, ok := <-g.lines:
		if !ok || line == "q" {
			return "", errQuit
		}
		return line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (g *guide) prompt(s string) {
	if g.err == nil {
		_, g.err = io.WriteString(g.w, s+" ")
	}
}

// play goes through the steps.
func (g *guide) play(ctx context.Context) error {
	for n := 1; !g.p.State().Over(); n++ {
		g.line("")
		if _, err := g.ask(ctx, g.T("[enter: next step, q: end]")); err != nil {
			return err
		}
		g.disturbed()
		if err := g.step(ctx, n); err != nil {
			return err
		}
		if g.err != nil {
			return g.err
		}
	}
	return nil
}

// disturbed says that another client changed what the lesson made.
func (g *guide) disturbed() {
	if n := g.p.State().Notice; n != nil {
		g.wrapped("    !  ", g.F("%s, which belongs to this lesson. The next steps may fail; q and a new start set that right.", n))
	}
}

// step plays a step, with the reader's part in it.
func (g *guide) step(ctx context.Context, n int) error {
	r, err := g.p.Step(ctx)
	if s := g.p.State(); err == nil && s.Phase == play.Waiting && s.Await == nil {
		g.title(n, s.Total, s.Step)
		if err := g.predict(ctx, s.Step.Predict); err != nil {
			return err
		}
		r, err = g.p.Step(ctx)
	} else {
		g.title(n, s.Total, s.Step)
	}
	if names := g.p.State().Replaced; n == 1 && len(names) > 0 {
		g.wrapped("    !  ", g.F("Paused while this lesson does their work: %s.", strings.Join(names, ", ")))
	}
	if err == nil && g.p.State().Await != nil {
		g.wrapped("    ", g.p.State().Step.Tell)
		if r, err = g.hand(ctx); err == nil {
			g.outcome(r)
		}
		return err
	}
	if r != nil {
		g.page.step(r)
	}
	return err
}

// predict asks the reader, and says what is right.
func (g *guide) predict(ctx context.Context, q *scenarios.Predict) error {
	g.wrapped("    ?  ", q.Ask)
	for i, c := range q.Choices {
		g.line("       %d  %s", i+1, c)
	}
	for {
		line, err := g.ask(ctx, g.F("    [1 to %d, enter: show me]", len(q.Choices)))
		if err != nil || line == "" {
			return err
		}
		for i, c := range q.Choices {
			if line != strconv.Itoa(i+1) && !strings.EqualFold(line, c) {
				continue
			}
			if g.p.Answer(c) {
				g.line("    Right.")
			} else {
				g.line("    It is: %s", q.Answer)
			}
			return nil
		}
	}
}

// hand waits until the reader has sent what the step asks for, or wants to see it done.
func (g *guide) hand(ctx context.Context) (*check.Result, error) {
	g.command(g.T("You, in another terminal:"), g.p.State().Await.Command)
	g.prompt(g.T("    [waiting for it; enter: play it for me, q: end]"))
	for {
		select {
		case line, ok := <-g.lines:
			if !ok || line == "q" {
				return nil, errQuit
			}
			if s := g.p.State(); s.Await == nil {
				return g.handed(s)
			}
			return g.p.Step(ctx)
		case <-g.p.Changed():
			s := g.p.State()
			if s.Await == nil {
				g.line("")
				return g.handed(s)
			}
			if s.Await.Came != "" {
				g.line("")
				g.wrapped("    ✗  ", s.Await.Came)
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// handed returns what came of the reader's request.
func (g *guide) handed(s play.State) (*check.Result, error) {
	if s.Phase == play.Failed {
		return s.Result, errors.New(s.Problem)
	}
	if s.Came != "" {
		g.wrapped("    ✓  ", "That was it: "+s.Came)
	}
	return s.Result, nil
}
