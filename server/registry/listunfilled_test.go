package registry_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/catalogue"
	"kubarium/server/kinds"
	"kubarium/server/managers"
	"kubarium/server/registry"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// A slowFill is a store that reads large pages, as the cache does, only until goOn is closed.
type slowFill struct {
	storage.Store
	goOn chan struct{}
}

func (s *slowFill) List(ctx context.Context, o storage.ListOptions) (storage.Page, error) {
	if o.Limit > 1000 && o.After != "" {
		<-s.goOn
	}
	return s.Store.List(ctx, o)
}

// While the cache still reads a kind, pages of it come from the store, and those that follow are of the same revision, whoever has them
// by then. A list of all waits.
func TestRegistry_List_whileFilled(t *testing.T) {
	const objects, limit = 5000, 1000
	inner, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: filepath.Join(t.TempDir(), "k.db"), Sync: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() })
	key := func(i int) storage.Key {
		return storage.Key{Resource: "configmaps", Name: fmt.Sprintf("default/c%04d", i)}
	}
	value := func(i int, text string) []byte {
		return fmt.Appendf(nil, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c%04d","namespace":"default","labels":{"tens":"%d"}},"data":{"k":"%s"}}`, i, i/10, text)
	}
	var writers sync.WaitGroup
	for i := range objects {
		writers.Go(func() {
			if _, err := inner.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: key(i), Value: value(i, "old")}); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	store := &slowFill{inner, make(chan struct{})}
	r := &registry.Registry{Catalogue: catalogue.New(kinds.BuiltIn()...), Store: store, Managers: managers.New(codecs.Scheme()), Now: time.Now}
	if r.Cache, err = cache.New(store, cache.Options{Index: r.Index}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Cache.Close() })
	target := registry.Target{Kind: r.Catalogue.Stored("configmaps"), Namespace: "default"}
	list := func(o metainternal.ListOptions) registry.List {
		t.Helper()
		l, err := r.List(t.Context(), target, o)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}

	first := list(metainternal.ListOptions{Limit: limit})
	if !first.Past || len(first.Objects) != limit || *first.Remaining != objects-limit {
		t.Fatalf("first page: %d objects, %d remaining, from the store: %v", len(first.Objects), *first.Remaining, first.Past)
	}
	if _, err := inner.Write(t.Context(), storage.Write{Op: storage.OpUpdate, Key: key(1500), Value: value(1500, "new"), Expect: revisionOf(t, inner, key(1500))}); err != nil {
		t.Fatal(err)
	}
	if _, err := inner.Write(t.Context(), storage.Write{Op: storage.OpDelete, Key: key(4500), Expect: revisionOf(t, inner, key(4500))}); err != nil {
		t.Fatal(err)
	}
	seen, token := limit, first.Continue
	for page := 2; token != ""; page++ {
		if page == 4 {
			close(store.goOn)
			if all := list(metainternal.ListOptions{}); len(all.Objects) != objects-1 || all.Past {
				t.Errorf("%d objects behind the fill, from the store: %v", len(all.Objects), all.Past)
			}
		}
		l := list(metainternal.ListOptions{Limit: limit, Continue: token})
		if l.Revision != first.Revision {
			t.Errorf("page %d is of %d, want %d", page, l.Revision, first.Revision)
		}
		for i, o := range l.Objects {
			if want := value(seen+i, "old"); string(o.Value) != string(want) {
				t.Errorf("page %d has %s, want %s", page, o.Value, want)
			}
		}
		seen += len(l.Objects)
		token = l.Continue
	}
	if seen != objects {
		t.Errorf("%d objects, want %d", seen, objects)
	}
}

func revisionOf(t *testing.T, s storage.Store, k storage.Key) storage.Revision {
	t.Helper()
	rec, err := s.Get(t.Context(), k, 0)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Revision
}
