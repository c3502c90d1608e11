package informers

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"kubarium/server/kinds"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// A source lists and watches the objects of one kind for an informer. It fulfils cache.ListerWatcherWithContext.
type source struct {
	registry *registry.Registry
	kind     *kinds.Kind
}

// IsWatchListSemanticsUnSupported tells the informer to list before it watches.
func (source) IsWatchListSemanticsUnSupported() bool { return true }

// List fulfils cache.Lister.
func (s source) List(o metav1.ListOptions) (runtime.Object, error) {
	return s.ListWithContext(context.Background(), o)
}

// Watch fulfils cache.Watcher.
func (s source) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return s.WatchWithContext(context.Background(), o)
}

// ListWithContext fulfils cache.ListerWithContext.
func (s source) ListWithContext(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
	items, revision, err := s.objects(ctx, "")
	if err != nil {
		return nil, err
	}
	list := s.kind.NewList()
	if err := meta.SetList(list, items); err != nil {
		return nil, err
	}
	m, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	m.SetResourceVersion(registry.FormatRevision(revision))
	return list, nil
}

// objects are those of a namespace, or of all for "", at a revision, without those that no longer decode: nobody can do anything
// with them.
func (s source) objects(ctx context.Context, namespace string) ([]runtime.Object, storage.Revision, error) {
	found, err := s.registry.List(ctx, registry.Target{Kind: s.kind, Namespace: namespace}, metainternal.ListOptions{})
	if err != nil {
		return nil, 0, err
	}
	var all []runtime.Object
	for _, o := range found.Objects {
		if obj, err := s.decode(o.Record()); err == nil {
			all = append(all, obj)
		}
	}
	return all, found.Revision, nil
}

func (s source) decode(r storage.Record) (runtime.Object, error) {
	return registry.DecodeServed(s.kind, r)
}

// WatchWithContext watches behind the resourceVersion of a list.
func (s source) WatchWithContext(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	w, err := s.registry.Watch(ctx, registry.Target{Kind: s.kind}, metainternal.ListOptions{ResourceVersion: o.ResourceVersion})
	if err != nil {
		return nil, err
	}
	w.CrossRestores()
	ctx, cancel := context.WithCancel(ctx)
	f := &feed{source: s, stop: cancel, events: make(chan watch.Event)}
	go f.run(ctx, w)
	return f, nil
}

// A feed is a watch as client-go knows it.
type feed struct {
	source
	stop   context.CancelFunc
	events chan watch.Event
}

// Stop fulfils watch.Interface.
func (f *feed) Stop() { f.stop() }

// ResultChan fulfils watch.Interface.
func (f *feed) ResultChan() <-chan watch.Event { return f.events }

// run hands on what a watch tells until it ends, and says why if the informer should list again.
func (f *feed) run(ctx context.Context, w *registry.Watch) {
	defer close(f.events)
	defer w.Stop()
	for {
		told, err := w.Next(ctx)
		if err != nil {
			f.fail(ctx, err)
			return
		}
		for _, e := range told {
			obj, err := f.decode(storage.Record{Key: e.Object.Key, Revision: e.Revision, Value: e.Object.Value})
			if err != nil {
				continue
			}
			if !f.send(ctx, watch.Event{Type: watch.EventType(e.Type), Object: obj}) {
				return
			}
		}
	}
}

// fail tells that what the informer has seen last is no longer retained. Any other end lets it go on from there.
func (f *feed) fail(ctx context.Context, err error) {
	var expired *storage.RevisionError
	if errors.As(err, &expired) {
		var status apierrors.APIStatus
		if errors.As(registry.WatchError(f.kind, expired), &status) {
			s := status.Status()
			f.send(ctx, watch.Event{Type: watch.Error, Object: &s})
		}
	}
}

func (f *feed) send(ctx context.Context, e watch.Event) bool {
	select {
	case f.events <- e:
		return true
	case <-ctx.Done():
		return false
	}
}
