package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/flow"
	"kubarium/flow/rule"
)

// A Do is what becomes of a held request or event.
type Do string

// The fates of a held request or event.
const (
	Go     Do = "go"     // it goes on
	Refuse Do = "refuse" // it is answered with an error
	Drop   Do = "drop"   // its connection is cut; an event of a watch is not sent
)

// A Verdict ends the holding of a request or event.
type Verdict struct {
	Do         Do
	Code       int           // of Refuse
	RetryAfter time.Duration // of Refuse
	// Text replaces what may be edited, if it is not nil.
	Text []byte
}

// An Editable is what may be edited of a held request or event.
type Editable struct {
	What  string // "body", "answer", "object"; "" for nothing
	Media string
	Size  int
	Keeps int64                   // bytes in memory that the held keeps beyond those of a small request
	Text  func() ([]byte, error)  // as text; nil for nothing
	Check func(text []byte) error // why another text cannot be taken; nil takes any
	Take  func(text []byte)       // takes one that was checked, when the held goes on
}

// A held is a request or event that is held before a station.
type held struct {
	about   rule.Held
	edit    Editable
	verdict chan Verdict // room for one
}

// decide lets it go; the first verdict counts.
func (h *held) decide(v Verdict) bool {
	select {
	case h.verdict <- v:
		return true
	default:
		return false
	}
}

// hold waits for a verdict, the end of the rule's time, or the end of ctx. how says what happened, in a few words.
func (g *Gate) hold(ctx context.Context, a *active, about rule.Held, edit Editable) (v Verdict, how string, err error) {
	h := &held{about: about, edit: edit, verdict: make(chan Verdict, 1)}
	h.about.Rule, h.about.Since = a.id, g.o.Now()
	h.about.Edits, h.about.Media, h.about.Size = edit.What, edit.Media, edit.Size
	var up <-chan time.Time
	if a.Most > 0 {
		h.about.Until = h.about.Since.Add(a.Most)
		t := time.NewTimer(a.Most)
		defer t.Stop()
		up = t.C
	}
	switch err := g.enter(h); {
	case errors.Is(err, ErrClosed):
		return Verdict{Do: Refuse, Code: 503}, "refused 503, as the server is stopping", nil
	case err != nil:
		return v, "refused 429, as too many are held", err
	}
	defer g.leave(h)
	select {
	case v = <-h.verdict:
		if v.Do == Go && v.Text != nil {
			edit.Take(v.Text)
			return v, "let go, edited", nil
		}
		return v, v.said(), nil
	case <-up:
		return Verdict{Do: Go}, fmt.Sprintf("let go after %s", a.Most), nil
	case <-ctx.Done():
		return v, "its client went away", ctx.Err()
	}
}

func (v Verdict) said() string {
	switch v.Do {
	case Refuse:
		return fmt.Sprintf("refused %d", v.Code)
	case Drop:
		return "dropped"
	}
	return "let go"
}

// The most that a gate holds at a time: requests and events, and bytes of their bodies and answers. Each has a
// goroutine, a connection and a record, and each client that follows the gate receives all of them.
const (
	maxHeld      = 2000
	maxHeldBytes = 64 << 20
)

// enter puts one among the held. Errors: ErrClosed; a Status 429 when too much is held.
func (g *Gate) enter(h *held) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.closed:
		return ErrClosed
	case len(g.held) >= maxHeld || g.kept+h.edit.Keeps > maxHeldBytes:
		return apierrors.NewTooManyRequests(fmt.Sprintf("fault rule %d cannot hold this: %d requests and events with %d MiB are held, "+
			"and %d with %d MiB may be. Let some go at /debug/held.", h.about.Rule, len(g.held), g.kept>>20, maxHeld, maxHeldBytes>>20), 1)
	}
	g.number++
	h.about.ID = g.number
	g.held = append(g.held, h)
	g.kept += h.edit.Keeps
	g.wake()
	return nil
}

func (g *Gate) leave(h *held) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = slices.DeleteFunc(g.held, func(o *held) bool { return o == h })
	g.kept -= h.edit.Keeps
	g.wake()
}

// find returns what is held under a number, nil if there is none.
func (g *Gate) find(id uint64) *held {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, h := range g.held {
		if h.about.ID == id {
			return h
		}
	}
	return nil
}

// Held describes a held request or event, with what may be edited.
func (g *Gate) Held(ctx context.Context, id uint64) (rule.Held, error) {
	h := g.find(id)
	if h == nil {
		return rule.Held{}, fmt.Errorf("held request %d: %w", id, ErrUnknown)
	}
	about := h.about
	if g.o.Stored != nil && about.Target.Name != "" {
		about.Stored = g.o.Stored(ctx, about.Target)
	}
	if h.edit.Text == nil {
		return about, nil
	}
	text, err := h.edit.Text()
	about.Text = string(text)
	return about, err
}

// Decide ends the holding of a request or event. A text that cannot be taken is an error, and it stays held.
func (g *Gate) Decide(id uint64, v Verdict) error {
	h := g.find(id)
	if h == nil {
		return fmt.Errorf("held request %d: %w", id, ErrUnknown)
	}
	if v.Text != nil {
		if h.edit.Take == nil {
			return fmt.Errorf("nothing of held request %d can be edited before %s", id, h.about.Station)
		}
		if h.edit.Check != nil {
			if err := h.edit.Check(v.Text); err != nil {
				return err
			}
		}
	}
	if !h.decide(v) {
		return fmt.Errorf("held request %d: %w", id, ErrUnknown) // it has just gone
	}
	return nil
}

// ErrText says that a text cannot be taken; it is wrapped with the reason.
var ErrText = errors.New("the text cannot be taken")

// DecideAll lets all go, and says how many there were.
func (g *Gate) DecideAll(v Verdict) (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, h := range g.held {
		if h.decide(v) {
			n++
		}
	}
	return n
}

// about describes a request.
func about(f *flow.Flow, station string) rule.Held {
	h := rule.Held{
		Station: station, Client: f.Client, Start: f.Start, Method: f.Method, Path: f.Path,
		Query: flow.MaskQuery(f.Query, flow.Hidden), Target: f.Target, Sent: f.SentRevision,
	}
	if n := len(f.Effects); n > 0 {
		h.Committed = f.Effects[n-1].Commit.Revision
	}
	return h
}
