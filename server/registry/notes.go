package registry

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/flow"
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
		if sent, err := ParseRevision(*p.ResourceVersion); err == nil {
			r.noteStale(ctx, sent, stored)
		}
	}
}

// noteOwners records whose fields an apply met, if that is why err refused it. live is the object that it met.
func noteOwners(ctx context.Context, t Target, live runtime.Object, err error) {
	f := flow.From(ctx)
	var status apierrors.APIStatus
	if f == nil || !apierrors.IsConflict(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return
	}
	c := &flow.Conflict{Kind: flow.FieldOwnership}
	for _, cause := range status.Status().Details.Causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict {
			c.Causes = append(c.Causes, flow.Cause{Field: cause.Field, Message: cause.Message})
		}
	}
	if len(c.Causes) == 0 {
		return
	}
	if stored, err := ParseRevision(access(live).GetResourceVersion()); err == nil {
		c.Stored = int64(stored)
	}
	if value, err := encodeServed(t.Kind, live); err == nil {
		c.Object = value
	}
	f.Flow.Conflict = c
}

// noteUnavailable records that a read named a revision that cannot be read, if that is what err says.
func noteUnavailable(f *flow.Recorder, err error) {
	var rev *storage.RevisionError
	if f != nil && errors.As(err, &rev) {
		f.Flow.Unavailable = Unavailable(rev)
	}
}

// Unavailable is a revision that cannot be read, or watched from, as flows tell of it.
func Unavailable(e *storage.RevisionError) *flow.Unavailable {
	if errors.Is(e, storage.ErrTooLarge) {
		return &flow.Unavailable{Asked: int64(e.Asked), Newest: int64(e.Current)}
	}
	return &flow.Unavailable{Asked: int64(e.Asked), Oldest: int64(e.Current)}
}

// notePage records what a list answered with, or that its snapshot is no longer there.
func notePage(ctx context.Context, o metainternal.ListOptions, read listRead, l List, err error) {
	f := flow.From(ctx)
	if f == nil {
		return
	}
	p := &flow.Page{
		Source: "cache", Snapshot: int64(l.Revision), Items: len(l.Objects), Limit: o.Limit,
		Token: o.Continue, Next: l.Continue,
	}
	if l.Past {
		p.Source = "history"
	}
	var status apierrors.APIStatus
	switch {
	case l.Remaining != nil:
		p.Remaining = *l.Remaining
	case l.Continue != "":
		p.Remaining = -1
	}
	if err != nil {
		p.Snapshot = int64(read.at)
		p.Expired = apierrors.IsResourceExpired(err)
		if errors.As(err, &status) {
			p.Next = status.Status().Continue
		}
	}
	f.Flow.Page = p
}
