package registry_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/labels"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/catalogue"
	"kubarium/server/kinds"
	"kubarium/server/managers"
	"kubarium/server/registry"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// The events that a watch begins with are of the moment when it was opened, though they are found when they are taken; then come the changes since.
// A watch that has ended has no more of either.
func TestRegistry_Watch_initial(t *testing.T) {
	const objects = 250
	store, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: ":memory:"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	r := &registry.Registry{Catalogue: catalogue.New(kinds.BuiltIn()...), Store: store, Managers: managers.New(codecs.Scheme()), Now: time.Now}
	if r.Cache, err = cache.New(store, cache.Options{Index: r.Index}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Cache.Close)
	key := func(i int) storage.Key {
		return storage.NewKey("configmaps", "default", fmt.Sprintf("c%04d", i))
	}
	write := func(op storage.WriteOp, i int, even bool) {
		t.Helper()
		w := storage.Write{Op: op, Key: key(i), Value: fmt.Appendf(nil, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c%04d","namespace":"default","labels":{"even":"%v"}}}`, i, even)}
		if op != storage.OpCreate {
			w.Expect = revisionOf(t, store, w.Key)
		}
		if _, err := store.Write(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	for i := range objects {
		write(storage.OpCreate, i, i%2 == 0)
	}
	yes := true
	watch := func() *registry.Watch {
		t.Helper()
		w, err := r.Watch(t.Context(), registry.Target{Kind: r.Catalogue.Stored("configmaps"), Namespace: "default"},
			metainternal.ListOptions{SendInitialEvents: &yes, AllowWatchBookmarks: true, LabelSelector: labels.SelectorFromSet(labels.Set{"even": "true"})})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Stop)
		return w
	}
	w, dropped := watch(), watch()
	opened := w.Start()
	write(storage.OpUpdate, 0, false)
	write(storage.OpDelete, 248, true)
	for i := 0; i < objects; i += 2 {
		e, ok := w.NextInitial()
		if !ok || e.Type != registry.Added || e.Object.Key != key(i) || e.Revision > opened || w.Position() != opened {
			t.Fatalf("%d: %+v %v at %d", i, e, ok, w.Position())
		}
	}
	if e, ok := w.NextInitial(); !ok || !e.InitialEnd || e.Revision != opened || w.Initial() {
		t.Errorf("%+v %v", e, ok)
	}
	for told := 0; told < 2; {
		events, err := w.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if told++; e.Type != registry.Deleted {
				t.Errorf("%+v", e)
			}
		}
	}
	if events, err := dropped.Next(t.Context()); len(events) == 0 || err != nil {
		t.Errorf("%d events, %v", len(events), err)
	}
	r.Cache.Drop("configmaps")
	if events, err := dropped.Next(t.Context()); !errors.Is(err, cache.ErrDropped) {
		t.Errorf("%d events, %v", len(events), err)
	}
}
