package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/server/answer"
	"kubarium/server/gate"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// sendGated is send where fault rules may be about the events: each goes past the gate by itself, and is flushed before the next one waits.
func (st *stream) sendGated(ctx context.Context, events []registry.WatchEvent) error {
	events, ended := st.coalesce(ctx, events)
	for i, e := range events {
		if err := st.sendPast(ctx, e); err != nil {
			return err
		}
		st.record.Reached(int64(e.Revision), len(events)-i-1+st.watch.Pending())
	}
	st.reached()
	return ended
}

// sendPast writes an event when the gate lets it pass.
func (st *stream) sendPast(ctx context.Context, e registry.WatchEvent) error {
	if e.Type == registry.Bookmark {
		return st.sendOne(e)
	}
	edited := []byte(nil)
	past := st.past(e)
	if !st.shares(e) || st.c.Media.Codec == codecs.JSON {
		past.Edit = st.editable(e, &edited)
	}
	err := st.gate.Before(ctx, past, st.standStill)
	var refused apierrors.APIStatus
	switch {
	case errors.Is(err, gate.ErrUntold):
		return nil
	case errors.As(err, &refused):
		return st.refuse(refused)
	case err != nil:
		return err
	}
	if edited == nil {
		err = st.sendOne(e)
	} else {
		err = st.sendEdited(e, edited)
	}
	if err != nil {
		return err
	}
	return st.sink.flush()
}

// past is an event as the gate knows it.
func (st *stream) past(e registry.WatchEvent) gate.Event {
	ns, name := e.Object.Key.Split()
	return gate.Event{
		Frame: flow.Frame{Number: st.record.State().Sent + st.record.State().Bookmarks + 1, Type: string(e.Type), Revision: int64(e.Revision), Namespace: ns, Name: name, Committed: e.At},
		Text: func() []byte {
			text, _ := st.frame(e)
			return text
		},
	}
}

// standStill lets the watch's own time stand still.
func (st *stream) standStill() (goOn func()) {
	_ = st.sink.flush()
	return st.clock.Pause()
}

// editable is what may be edited of an event: its object, in JSON.
func (st *stream) editable(e registry.WatchEvent, edited *[]byte) gate.Editable {
	if !st.c.Media.Codec.IsText() || st.c.Media.As == "Table" || e.Object.Err != nil {
		return gate.Editable{}
	}
	rec := storage.Record{Key: e.Object.Key, Revision: e.Revision, Value: e.Object.Value}
	text, err := st.c.EncodeObject(&answer.Answer{Record: &rec, Cached: e.Object, Kind: st.kind})
	if err != nil {
		return gate.Editable{}
	}
	return gate.Editable{
		What: "object", Media: codecs.JSON.MediaType, Size: len(text), Keeps: int64(len(text)),
		Text: func() ([]byte, error) { return text, nil },
		Check: func(b []byte) error {
			var v map[string]any
			if err := json.Unmarshal(b, &v); err != nil {
				return fmt.Errorf("%w: %w", gate.ErrText, err)
			}
			return nil
		},
		Take: func(b []byte) { *edited = b },
	}
}

func (st *stream) sendEdited(e registry.WatchEvent, object []byte) error {
	frame, err := st.wrap(string(e.Type), object)
	if err != nil {
		return unencodable{err}
	}
	return st.write(frame, headOf(e))
}

// A refusedError is why a watch was ended with an ERROR event.
type refusedError struct{ apierrors.APIStatus }

func (e refusedError) Error() string { return e.Status().Message }

// refuse ends the watch with an ERROR event.
func (st *stream) refuse(status apierrors.APIStatus) error {
	err := refusedError{status}
	if failed := st.sendError(err); failed != nil {
		return failed
	}
	return err
}

// coalesce awaits further changes where a rule says so, and tells of each object only the last one. What is returned is to be sent in any
// case; ended says why there will be no more.
func (st *stream) coalesce(ctx context.Context, events []registry.WatchEvent) (told []registry.WatchEvent, ended error) {
	for i, e := range events {
		if e.Type == registry.Bookmark {
			continue
		}
		within, also, merged := st.gate.Coalesces(st.past(e))
		if within == 0 {
			continue
		}
		rest, ended := st.gather(ctx, events[i:], within)
		return append(events[:i:i], st.merge(rest, also, merged)...), ended
	}
	return events, nil
}

// gather adds the events that come within a time.
func (st *stream) gather(ctx context.Context, events []registry.WatchEvent, within time.Duration) ([]registry.WatchEvent, error) {
	wait, done := context.WithTimeout(ctx, within)
	defer done()
	for {
		more, err := st.watch.Next(wait)
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

// merge leaves of the changes of each object the last one, as a client would find it that had not looked meanwhile.
func (st *stream) merge(events []registry.WatchEvent, also func(gate.Event) bool, merged func(untold, told flow.Frame)) []registry.WatchEvent {
	type fate struct {
		first, last int
		count       int
	}
	fates := map[storage.Key]*fate{}
	for i, e := range events {
		if e.Type == registry.Bookmark || !also(st.past(e)) {
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
		if f == nil || f.count == 1 || !also(st.past(e)) {
			told = append(told, e)
			continue
		}
		last := st.past(events[f.last]).Frame
		was, is := events[f.first].Type != registry.Added, events[f.last].Type != registry.Deleted
		if i < f.last || !was && !is {
			merged(st.past(e).Frame, last)
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
