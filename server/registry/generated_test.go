package registry_test

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/catalogue"
	"kubarium/server/kinds"
	"kubarium/server/managers"
	"kubarium/server/registry"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// taken is a store in which the next so many names of new objects are taken.
type taken struct {
	storage.Store
	left  int
	tried []string
}

func (s *taken) Write(ctx context.Context, w storage.Write) (storage.Record, error) {
	if w.Op == storage.OpCreate {
		s.tried = append(s.tried, w.Key.Name)
		if s.left--; s.left >= 0 {
			return storage.Record{}, &storage.KeyError{Err: storage.ErrExists, Key: w.Key}
		}
	}
	return s.Store.Write(ctx, w)
}

// A generated name that is taken is made anew, up to eight names in all; then the client is told to try again. A name that
// the client gave is tried once.
func TestRegistry_Create_generatedName(t *testing.T) {
	store, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: ":memory:", History: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	s := &taken{Store: store}
	r := &registry.Registry{Catalogue: catalogue.New(kinds.BuiltIn()...), Store: s, Managers: managers.New(codecs.Scheme()), Now: time.Now}
	if r.Cache, err = cache.New(s, cache.Options{Index: r.Index}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Cache.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	target := registry.Target{Kind: r.Catalogue.Stored("namespaces")}
	for _, c := range []struct {
		name, prefix string
		taken, tries int
		fails        func(error) bool
	}{
		{"", "gen-", 0, 1, nil},
		{"", "gen-", 7, 8, nil},
		{"", "gen-", 8, 8, func(err error) bool {
			return apierrors.IsAlreadyExists(err) &&
				strings.Contains(err.Error(), "the server was not able to generate a unique name for the object")
		}},
		{"given", "gen-", 1, 1, apierrors.IsAlreadyExists},
		{"", strings.Repeat("p", 60), 0, 1, nil},
	} {
		s.left, s.tried = c.taken, nil
		obj := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.name, GenerateName: c.prefix}}
		internal, err := target.Kind.Internal(obj)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Create(t.Context(), target, internal, registry.WriteOptions{Manager: "m"})
		if (err == nil) != (c.fails == nil) || err != nil && !c.fails(err) {
			t.Errorf("%+v: %v", c, err)
		}
		distinct := map[string]bool{}
		for _, name := range s.tried {
			distinct[name] = true
			if c.name == "" && (!strings.HasPrefix(name, c.prefix[:min(58, len(c.prefix))]) || len(name) > 63) {
				t.Errorf("the name %q for prefix %q", name, c.prefix)
			}
		}
		if len(s.tried) != c.tries || len(distinct) != c.tries {
			t.Errorf("%d taken: tried %q", c.taken, s.tried)
		}
	}
}
