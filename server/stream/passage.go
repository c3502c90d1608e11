package stream

import (
	"context"
	"time"

	"kubarium/flow"
	"kubarium/server/gate"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// A passage is the place where the events of a stream pass the gate.
type passage struct {
	*gate.Stream // nil where there are no rules
	frames       *framer
	record       *flow.Watch
	standStill   func() (goOn func()) // stops the stream's time while an event is held
}

// pass waits until the gate lets an event pass, and returns its object where a person has edited that. The error says
// that it does not pass, such as gate.ErrUntold.
func (p *passage) pass(ctx context.Context, e registry.WatchEvent) (edited []byte, err error) {
	past := p.event(e)
	past.Edit = func() gate.Editable { return p.editable(e, &edited) }
	err = p.Before(ctx, past, p.standStill)
	return edited, err
}

// event is an event as the gate knows it.
func (p *passage) event(e registry.WatchEvent) gate.Event {
	head := headOf(e)
	head.Number = p.record.State().Sent + p.record.State().Bookmarks + 1
	return gate.Event{Frame: head, Text: func() []byte {
		text, _ := p.frames.frame(e)
		return text
	}}
}

// editable is what may be edited of an event: its object, unless that is a Table.
func (p *passage) editable(e registry.WatchEvent, edited *[]byte) gate.Editable {
	if p.frames.client.Media.As == "Table" || e.Object.Err != nil {
		return gate.Editable{}
	}
	encoded, err := p.frames.object(e)
	if err != nil {
		return gate.Editable{}
	}
	return gate.EditObject(p.frames.client.Media.Codec, encoded, func(b []byte) { *edited = b })
}

// coalesce awaits further changes where a rule says so, and returns of each object only the last one. These are sent
// in any case; ended says why no more follow.
func (p *passage) coalesce(
	ctx context.Context, events []registry.WatchEvent, next nextEvents,
) (told []registry.WatchEvent, ended error) {
	for i, e := range events {
		if e.Type == registry.Bookmark {
			continue
		}
		within, also, merged := p.Coalesces(p.event(e))
		if within == 0 {
			continue
		}
		rest, ended := gather(ctx, events[i:], within, next)
		return append(events[:i:i], p.merge(rest, also, merged)...), ended
	}
	return events, nil
}

// nextEvents returns the next events of a watch, or why there are no more.
type nextEvents func(context.Context) ([]registry.WatchEvent, error)

// gather adds the events that come within a time.
func gather(
	ctx context.Context, events []registry.WatchEvent, within time.Duration, next nextEvents,
) ([]registry.WatchEvent, error) {
	wait, done := context.WithTimeout(ctx, within)
	defer done()
	for {
		more, err := next(wait)
		switch {
		case err == nil:
			events = append(events, more...)
		case wait.Err() != nil:
			return events, nil // the time is up, or the stream's loop finds out why
		default:
			return events, endedError{err}
		}
	}
}

// merge leaves of the changes of each object the last one, as a client sees it that did not look in between.
func (p *passage) merge(
	events []registry.WatchEvent, also func(gate.Event) bool, merged func(untold, told flow.Frame),
) []registry.WatchEvent {
	type fate struct {
		first, last int
		count       int
	}
	fates := map[storage.Key]*fate{}
	for i, e := range events {
		if e.Type == registry.Bookmark || !also(p.event(e)) {
			continue
		}
		if f := fates[e.Object.Key]; f != nil {
			f.last = i
			f.count++
		} else {
			fates[e.Object.Key] = &fate{i, i, 1}
		}
	}
	var told []registry.WatchEvent
	for i, e := range events {
		var f *fate
		if e.Type != registry.Bookmark {
			f = fates[e.Object.Key]
		}
		if f == nil || f.count == 1 || !also(p.event(e)) {
			told = append(told, e)
			continue
		}
		last := p.event(events[f.last]).Frame
		was, is := events[f.first].Type != registry.Added, events[f.last].Type != registry.Deleted
		if i < f.last || !was && !is {
			merged(p.event(e).Frame, last)
			continue
		}
		switch {
		case was && is:
			e.Type = registry.Modified
		case is:
			e.Type = registry.Added
		}
		told = append(told, e)
	}
	return told
}
