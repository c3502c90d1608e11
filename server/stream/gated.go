package stream

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/server/gate"
	"kubarium/server/registry"
)

// sendGated is send where fault rules may be about the events: each goes past the gate by itself, and is flushed
// before the next one waits.
func (st *stream) sendGated(ctx context.Context, events []registry.WatchEvent) error {
	events, ended := st.gate.coalesce(ctx, events, st.watch.Next)
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
	edited, err := st.gate.pass(ctx, e)
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
	return st.out.flush()
}

// standStill stops the watch's own time.
func (st *stream) standStill() (goOn func()) {
	_ = st.out.flush()
	return st.clock.Pause()
}

func (st *stream) sendEdited(e registry.WatchEvent, object []byte) error {
	frame, err := st.frames.wrap(string(e.Type), object)
	if err != nil {
		return unencodable{err}
	}
	return st.out.write(frame, headOf(e))
}

// refuse ends the watch with an ERROR event.
func (st *stream) refuse(status apierrors.APIStatus) error {
	err := refusedError{status}
	if failed := st.sendError(err); failed != nil {
		return failed
	}
	return err
}
