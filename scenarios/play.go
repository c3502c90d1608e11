package scenarios

import (
	"context"
	"net/http"
	"time"
)

// A Result is what came of a step.
type Result struct {
	Step   Step   // with its texts filled in
	Method string // of the request or the watch; "" if the step sent nothing
	Path   string
	Body   []byte  // as sent
	Status int     // of the answer; 0 if there was none, or none yet
	Answer []byte  // the body of the answer; nil for a watch
	Brief  string  // the answer in a line: "409 Conflict (…)"; or why there is none
	Facts  []Fact  // what was checked, in order
	Frames []Event // of a step that waits for frames
	Ended  bool    // whether the stream of the frames has ended, as the step expects
	Heard  *Heard  // what a server of the lesson was asked; nil if the step does not say
}

// A Fact is a field that was checked, and what it was.
type Fact struct {
	Path  string
	Value string // "" if there is no such field
}

// play does what the step says and checks what came of it.
func (p *Player) play(ctx context.Context, i int, s Step) (*Result, error) {
	r := &Result{Step: s}
	c := &check{result: r, values: p.stage.values, lesson: p.Lesson.Name, step: i + 1}
	switch {
	case s.Request != nil:
		if err := p.playRequest(ctx, s, c); err != nil {
			return r, err
		}
	case s.Answer != nil:
		if err := p.playAnswer(ctx, s, c); err != nil {
			return r, err
		}
	case s.Watch != nil:
		return r, p.playWatch(s, c)
	case s.Frames != nil:
		return r, p.playFrames(ctx, s.Frames, c)
	}
	return r, c.asked(p.stage, s)
}

func (p *Player) playRequest(ctx context.Context, s Step, c *check) error {
	r := c.result
	r.Method, r.Path = s.Request.Method, s.Request.Path
	r.Body = []byte(s.Request.sent())
	if s.Until != nil {
		return p.repeat(ctx, s, c)
	}
	if s.Later != "" {
		return p.sendLater(ctx, s, c)
	}
	a, err := p.send(ctx, s.As, s.Request)
	return p.answered(s, s.Request, a, err, c)
}

// The time between two tries of a step that waits for an answer: it doubles from the first to the last.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
)

// repeat sends the step's request again and again until the answer is what the step waits for. When that takes longer
// than a reader's patience, the last answer's mismatch is the error.
func (p *Player) repeat(ctx context.Context, s Step, c *check) error {
	deadline := time.Now().Add(p.options.Patience)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		a, err := p.send(ctx, s.As, s.Request)
		if err != nil {
			return c.broken(err)
		}
		c.result.Facts = nil
		err = c.answer(a, s.Until)
		if err == nil {
			return c.keep("body", a.object, s.Keep)
		}
		if time.Now().Add(pause).After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return c.broken(ctx.Err())
		case <-time.After(pause):
		}
	}
}

func (p *Player) playWatch(s Step, c *check) error {
	c.result.Method, c.result.Path = http.MethodGet, s.Watch.Path
	stream, a, err := p.watch(s.As, s.Watch)
	if err != nil {
		return c.broken(err)
	}
	c.result.Status, c.result.Answer, c.result.Brief = a.Status, a.Body, a.brief()
	if stream == nil {
		return c.mismatch("status", "200", a.brief())
	}
	p.stage.watches[s.Watch.Name] = stream
	return nil
}
