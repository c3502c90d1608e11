package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/flow"
	"kubarium/server/cache"
	"kubarium/server/storage"
)

// A List is the answer to a list: objects in key order at one revision.
type List struct {
	Revision  storage.Revision
	Objects   []*cache.Object
	Continue  string // token for the next page, "" when this is the last
	Remaining *int64 // objects behind this page; nil if unknown, which it is with a selector
	Past      bool   // whether the objects were read from the history and not from the snapshot in memory
}

// Size is how many bytes its objects take as they are stored.
func (l *List) Size() (bytes int) {
	for _, o := range l.Objects {
		bytes += len(o.Value)
	}
	return bytes
}

// List returns the objects of a collection. o has been validated (API Concepts, "Retrieving large results sets in
// chunks" and "Resource versions").
func (r *Registry) List(ctx context.Context, t Target, o metainternal.ListOptions) (List, error) {
	if err := r.uncached(ctx, t); err != nil {
		if !passesCache(o) {
			return List{}, err
		}
		if o.ResourceVersion == "0" {
			o.ResourceVersion = "" // the store has but one state
		}
	}
	return r.list(ctx, t, o)
}

// list is List for what is read in any case.
func (r *Registry) list(ctx context.Context, t Target, o metainternal.ListOptions) (List, error) {
	read, err := planRead(t, o)
	if err != nil {
		return List{}, err
	}
	f := flow.From(ctx)
	if err := f.Before(ctx, "cache"); err != nil {
		return List{}, err
	}
	if err := r.readLate(ctx, o, &read); err != nil {
		return List{}, interpret(err, t)
	}
	f.Enter("cache")
	l, err := r.readList(ctx, t, o, read)
	leaveRead(f, err, "%d at rv %d", len(l.Objects), l.Revision)
	if err != nil {
		err = listError(err, t, read)
	}
	notePage(ctx, o, read, l, err)
	if err != nil {
		return List{}, err
	}
	if err := unreadableList(t, l.Objects); err != nil {
		return List{}, err
	}
	return l, nil
}

// A listRead says at which revision a list reads, and from where.
type listRead struct {
	at     storage.Revision // exactly this one; 0 means a snapshot
	min    storage.Revision // a snapshot not older than this
	prefix string           // of key names
	after  string           // begin behind this key name
	paging bool             // a continue token led here
}

// planRead decides what resourceVersion, resourceVersionMatch, limit and continue mean together.
func planRead(t Target, o metainternal.ListOptions) (listRead, error) {
	read := listRead{}
	if t.Namespace != "" && t.Kind.Namespaced {
		read.prefix = t.Namespace + "/"
	}
	if o.Continue != "" {
		return planContinue(read, o)
	}
	rev, err := readRevision(o.ResourceVersion)
	if err != nil {
		return read, badRevision(err)
	}
	if o.ResourceVersion == "0" {
		return read, nil // any state will do, and all of it: the limit has no meaning
	}
	exact := o.ResourceVersionMatch == metav1.ResourceVersionMatchExact ||
		o.ResourceVersionMatch == "" && o.Limit > 0
	if exact {
		read.at = rev
	} else {
		read.min = rev
	}
	return read, nil
}

// planContinue goes on where a token says: at its revision, or, with -1, at the newest state.
func planContinue(read listRead, o metainternal.ListOptions) (listRead, error) {
	after, at, err := decodeContinue(o.Continue, read.prefix)
	if err != nil {
		return read, apierrors.NewBadRequest(fmt.Sprintf("invalid continue token: %v", err))
	}
	if o.ResourceVersion != "" && o.ResourceVersion != "0" {
		return read, apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	read.after, read.paging = after, true
	if at > 0 {
		read.at = at
	}
	return read, nil
}

// readList reads the page from the cache's snapshot, or from the history where an older state is asked for.
func (r *Registry) readList(ctx context.Context, t Target, o metainternal.ListOptions, read listRead) (List, error) {
	resource := t.Kind.StorageResource()
	if read.at == 0 {
		least, err := r.least(ctx, o.ResourceVersion, read.min)
		if err != nil {
			return List{}, err
		}
		read.min = least
	}
	if read.at > r.Cache.Head() {
		if err := r.Cache.Wait(ctx, read.at); err != nil {
			return List{}, err
		}
	}
	if o.ResourceVersion == "0" {
		o.Limit = 0
	}
	if l, done, err := r.listUnfilled(ctx, t, o, read); done {
		return l, err
	}
	snap, err := r.Cache.Snapshot(ctx, resource, read.min)
	if err != nil {
		return List{}, err
	}
	if read.at > 0 && !r.keeps(snap, read.at) {
		return r.enterHistory(ctx, t, o, read)
	}
	m := newMatcher(o)
	l := List{Revision: cmp.Or(read.at, snap.Revision())}
	if m.all() {
		n := snap.Count(read.prefix, read.after)
		if o.Limit > 0 {
			n = int(min(o.Limit, int64(n)))
		}
		l.Objects = make([]*cache.Object, 0, n)
	}
	more, last, looked := false, "", 0
	scope, one := m.scope(t, read.prefix)
	first := !read.paging && read.at == 0
	walk := func() (err error) {
		snap.Ascend(scope, read.after, func(obj *cache.Object) bool {
			if looked++; looked%lookUp == 0 {
				if err = ctx.Err(); err != nil {
					return false
				}
			}
			if o.Limit > 0 && int64(len(l.Objects)) == o.Limit { // the next page finds out what matches
				more = !first || m.indexed(t.Kind, obj)
				return !more
			}
			if !m.matches(obj) {
				return true
			}
			l.Objects, last = append(l.Objects, obj), obj.Key.Name
			return !one
		})
		return err
	}
	if snap.Len() <= FewObjects || m.all() && o.Limit > 0 && o.Limit <= FewObjects {
		err = walk()
	} else {
		err = r.Budget.Piece(ctx, walk)
	}
	if err != nil {
		return List{}, err
	}
	if more {
		l.setContinue(read.prefix, last, m, snap.Count(read.prefix, last))
	}
	return l, nil
}

// fillPatience is how long a page waits for its kind to be read into the cache, which takes longer where there are more than some
// thousand objects.
const fillPatience = 20 * time.Millisecond

// listUnfilled reads a page from the store, as it is now, while the cache is still busy with a kind that has many objects. It is not
// done when the cache is filled, or all of the objects are asked for: those wait for the cache.
func (r *Registry) listUnfilled(ctx context.Context, t Target, o metainternal.ListOptions, read listRead) (l List, done bool, err error) {
	if o.Limit == 0 {
		return l, false, nil
	}
	filled, err := r.Cache.Filled(ctx, t.Kind.StorageResource(), fillPatience)
	if err == nil && !filled {
		err = r.Cache.Wait(ctx, read.min)
	}
	if err != nil || filled {
		return l, err != nil, err
	}
	read.at = cmp.Or(read.at, r.Cache.Head())
	l, err = r.enterHistory(ctx, t, o, read)
	return l, true, err
}

// enterHistory reads the page from the store.
func (r *Registry) enterHistory(ctx context.Context, t Target, o metainternal.ListOptions, read listRead) (List, error) {
	f := flow.From(ctx)
	f.Enter("history")
	l, err := r.listHistory(ctx, t, o, read)
	leaveRead(f, err, "%d at rv %d", len(l.Objects), l.Revision)
	return l, err
}

// FewObjects is how many objects are looked at without a turn among those that read many.
const FewObjects = 1000

// lookUp is after how many objects a list looks whether anybody still waits for it.
const lookUp = 64

// keeps tells whether a snapshot is what a list at a revision must show: nothing of the kind has changed since then, and
// the revision may still be read, as the newest one always may.
func (r *Registry) keeps(snap *cache.Snapshot, at storage.Revision) bool {
	_, compacted := r.Store.Head()
	return at == snap.Revision() || at >= compacted && snap.Holds(at)
}

// listHistory reads the page as it was at an older revision.
func (r *Registry) listHistory(ctx context.Context, t Target, o metainternal.ListOptions, read listRead) (List, error) {
	m := newMatcher(o)
	l := List{Revision: read.at, Past: true}
	last := read.after
	scope, one := m.scope(t, read.prefix)
	for {
		page, err := r.Store.List(ctx, storage.ListOptions{Resource: t.Kind.StorageResource(), Prefix: scope, After: last, At: read.at, Limit: int(o.Limit), Uncounted: true})
		if err != nil {
			return List{}, err
		}
		for i, rec := range page.Records {
			if err := ctx.Err(); err != nil {
				return List{}, err
			}
			last = rec.Key.Name
			obj := r.object(rec)
			if !m.matches(obj) {
				continue
			}
			l.Objects = append(l.Objects, obj)
			if one {
				return l, nil
			}
			if o.Limit > 0 && int64(len(l.Objects)) == o.Limit && (i+1 < len(page.Records) || page.More) {
				left, err := r.leftInHistory(ctx, t, m, read, last)
				l.setContinue(read.prefix, last, m, left)
				return l, err
			}
		}
		if !page.More {
			return l, nil
		}
	}
}

// leftInHistory counts the objects behind a page of an older revision, if anybody is told: by the cache, which costs the same for
// any number of objects, or else in the store.
func (r *Registry) leftInHistory(ctx context.Context, t Target, m matcher, read listRead, last string) (int, error) {
	if !m.all() {
		return 0, nil
	}
	resource := t.Kind.StorageResource()
	if n, ok := r.Cache.CountAt(ctx, resource, read.prefix, last, read.at); ok {
		return n, nil
	}
	page, err := r.Store.List(ctx, storage.ListOptions{Resource: resource, Prefix: read.prefix, After: last, At: read.at, Limit: 1})
	return len(page.Records) + page.Remaining, err
}

// object is a record of the history as the cache would hold it.
func (r *Registry) object(rec storage.Record) *cache.Object {
	return cache.NewObject(rec, r.Index(rec.Key.Resource, rec, nil))
}

// setContinue adds the token of the next page, and how many follow if no selector hides it.
func (l *List) setContinue(prefix, last string, m matcher, remaining int) {
	l.Continue = encodeContinue(last, prefix, l.Revision)
	if m.all() {
		n := int64(remaining)
		l.Remaining = &n
	}
}

// listError words what went wrong with the revision of a list.
func listError(err error, t Target, read listRead) error {
	if !errors.Is(err, storage.ErrExpired) {
		return interpret(err, t)
	}
	if !read.paging {
		return apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
	expired := apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result. " +
		"You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
		"Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.")
	expired.ErrStatus.Continue = encodeContinue(read.after, read.prefix, -1)
	return expired
}

// readRevision parses the resourceVersion of a read. The error is one of a field, as kube-apiserver has it; a get
// answers it as an internal one.
func readRevision(s string) (storage.Revision, error) {
	rev, err := ParseRevision(s)
	if err != nil {
		return 0, field.Invalid(field.NewPath("resourceVersion"), s, err.Error())
	}
	if rev < 0 { // a uint64 on the wire: of the versions from the future, those that no int64 holds
		rev = math.MaxInt64
	}
	return rev, nil
}

// badRevision is that error where kube-apiserver's store finds it, and not its cache.
func badRevision(err error) error {
	return apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %v", err))
}

// least is the revision that a read must have seen: the one that it names, or where it names none, the newest of all.
func (r *Registry) least(ctx context.Context, asked string, named storage.Revision) (storage.Revision, error) {
	if asked != "" {
		return named, nil
	}
	return r.Store.Current(ctx)
}

// Current returns when all that anybody has been told of before the call can be read.
func (r *Registry) Current(ctx context.Context) error {
	if r.Store == nil { // nothing is stored
		return nil
	}
	_, err := r.Store.Current(ctx)
	return interpret(err, Target{})
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
