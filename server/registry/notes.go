package registry

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/flow"
	"kubarium/server/objects"
	"kubarium/server/storage"
)

// noteUID records that a request demanded another uid than the stored object has. stored is the zero Record if there is
// no object.
func noteUID(ctx context.Context, sent, found string, stored storage.Record) {
	f := flow.From(ctx)
	if f == nil {
		return
	}
	f.Flow.Conflict = &flow.Conflict{Kind: flow.Precondition, Stored: int64(stored.Revision), Object: stored.Value, SentUID: sent, StoredUID: found}
}

// notePreconditions records which of the preconditions of a delete did not hold.
func (r *Registry) notePreconditions(ctx context.Context, p *metav1.Preconditions, m metav1.Object, stored storage.Record) {
	switch {
	case p.UID != nil && *p.UID != m.GetUID():
		noteUID(ctx, string(*p.UID), string(m.GetUID()), stored)
	case p.ResourceVersion != nil:
		if sent, err := objects.ParseRevision(*p.ResourceVersion); err == nil {
			r.noteStale(ctx, sent, stored)
		}
	}
}

// noteUnavailable records that a read named a revision that cannot be read, if that is what err says.
func noteUnavailable(f *flow.Recorder, err error) {
	var rev *storage.RevisionError
	if f != nil && errors.As(err, &rev) {
		f.Flow.Unavailable = Unavailable(rev)
	}
}

// Unavailable is a revision that cannot be read, or watched from, as flows have it.
func Unavailable(e *storage.RevisionError) *flow.Unavailable {
	if errors.Is(e, storage.ErrTooLarge) {
		return &flow.Unavailable{Asked: int64(e.Asked), Newest: int64(e.Current)}
	}
	return &flow.Unavailable{Asked: int64(e.Asked), Oldest: int64(e.Current)}
}

// leaveRead marks the end of a station that reads, with what it read, or with the revision that it could not read.
func leaveRead(f *flow.Recorder, err error, format string, args ...any) {
	if err == nil {
		f.Leavef(nil, format, args...)
		return
	}
	var asked *storage.RevisionError
	noteUnavailable(f, err)
	switch {
	case errors.As(err, &asked) && errors.Is(err, storage.ErrExpired):
		f.Leavef(err, "rv %d is compacted, oldest is %d", asked.Asked, asked.Current)
	case errors.As(err, &asked):
		f.Leavef(err, "rv %d is not there yet, newest is %d", asked.Asked, asked.Current)
	default:
		f.Leave("", err)
	}
}
