package informers

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// A source lists and watches the objects of one kind for an informer. It fulfils cache.ListerWatcherWithContext.
type source struct {
	registry *registry.Registry
	kind     *kinds.Kind
}

// IsWatchListSemanticsUnSupported makes the informer list before it watches.
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
	items, revision, err := s.objects(ctx, "", labels.Everything())
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
	m.SetResourceVersion(objects.FormatRevision(revision))
	return list, nil
}

// objects are those of a namespace, or of all for "", that a selector matches, at a revision. It returns an error if one of
// them does not decode, as kube-apiserver's informers do: a policy or a webhook must not be passed over.
func (s source) objects(ctx context.Context, namespace string, l labels.Selector) ([]runtime.Object, storage.Revision, error) {
	found, err := s.registry.List(ctx, registry.Target{Kind: s.kind, Namespace: namespace}, metainternal.ListOptions{LabelSelector: l})
	if err != nil {
		return nil, 0, err
	}
	all := make([]runtime.Object, len(found.Objects))
	for i, o := range found.Objects {
		if all[i], err = s.decode(o.Record()); err != nil {
			return nil, 0, err
		}
	}
	return all, found.Revision, nil
}

func (s source) decode(r storage.Record) (runtime.Object, error) {
	return objects.DecodeServed(s.kind, r)
}

// WatchWithContext watches from the resourceVersion of a list.
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

// run hands on the events of a watch until it ends, and says why if the informer should list again.
func (f *feed) run(ctx context.Context, w *registry.Watch) {
	defer close(f.events)
	defer w.Stop()
	for {
		told, err := w.Next(ctx)
		if err != nil {
			var expired *storage.RevisionError
			if errors.As(err, &expired) {
				f.fail(ctx, registry.WatchError(f.kind, expired))
			}
			return
		}
		for _, e := range told {
			obj, err := f.decode(storage.Record{Key: e.Object.Key, Revision: e.Revision, Value: e.Object.Value})
			if err != nil { // the informer lists again, and says why that fails
				f.fail(ctx, apierrors.NewInternalError(err))
				return
			}
			if !f.send(ctx, watch.Event{Type: watch.EventType(e.Type), Object: obj}) {
				return
			}
		}
	}
}

// fail ends the watch with an error, so that the informer lists again. Any other end lets it go on from where it is.
func (f *feed) fail(ctx context.Context, err error) {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		s := status.Status()
		f.send(ctx, watch.Event{Type: watch.Error, Object: &s})
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
