package informers_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"kubarium/server/informers"
	"kubarium/server/storage"
)

// Pods that cannot be read are not taken for none: every way to look them up returns the store's error.
func TestFactory_podsUnread(t *testing.T) {
	r := mustOpen(t)
	if err := r.Store.Close(); err != nil {
		t.Fatal(err)
	}
	f := informers.New(r, slog.New(slog.DiscardHandler))
	pods := f.Core().V1().Pods().Lister()
	g, err := f.ForResource(corev1.SchemeGroupVersion.WithResource("pods"))
	if err != nil {
		t.Fatal(err)
	}
	generic := g.Lister()
	for name, look := range map[string]func() (any, error){
		"all":               func() (any, error) { return pods.List(labels.Everything()) },
		"a namespace":       func() (any, error) { return pods.Pods("a").List(labels.Everything()) },
		"one":               func() (any, error) { return pods.Pods("a").Get("p") },
		"all by path":       func() (any, error) { return generic.List(labels.Everything()) },
		"namespace by path": func() (any, error) { return generic.ByNamespace("a").List(labels.Everything()) },
		"one by path":       func() (any, error) { return generic.Get("a/p") },
	} {
		if found, err := look(); err == nil || apierrors.IsNotFound(err) {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

// A Webhook's Service that cannot be read is not taken for one that is not there.
func TestWebhookServices_unread(t *testing.T) {
	r := mustOpen(t)
	services := r.WebhookServices()
	if _, err := services.ResolveEndpoint("a", "s", 443); !apierrors.IsNotFound(err) || err.Error() != `service "s" not found` {
		t.Errorf("none: %v", err)
	}
	r = mustOpen(t)
	if err := r.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.WebhookServices().ResolveEndpoint("a", "s", 443); err == nil || apierrors.IsNotFound(err) {
		t.Errorf("unread: %v", err)
	}
}

// An informer that meets an object that no longer decodes says so, and keeps what it has; it goes on when the object is gone.
func TestFactory_undecodable(t *testing.T) {
	r := mustOpen(t)
	var said lines
	f := informers.New(r, slog.New(slog.NewTextHandler(&said, nil)))
	namespaces := f.Core().V1().Namespaces().Lister()
	mustCreate(t, r, "namespaces", "", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "first"}})
	f.StartWithContext(t.Context())
	if result := f.WaitForCacheSyncWithContext(t.Context()); result.Err != nil {
		t.Fatal(result.Err)
	}
	bad := storage.NewKey("namespaces", "", "bad")
	rec, err := r.Store.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: bad, Value: []byte(`{"kind":"Namespace","apiVersion":"v1","metadata":7}`)})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "a line", func() bool {
		return strings.Contains(said.String(), "resource=namespaces") && strings.Contains(said.String(), "not decodable")
	})
	if _, err := namespaces.Get("first"); err != nil {
		t.Error(err)
	}
	if _, err := r.Store.Write(t.Context(), storage.Write{Op: storage.OpDelete, Key: bad, Expect: rec.Revision}); err != nil {
		t.Fatal(err)
	}
	mustCreate(t, r, "namespaces", "", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "second"}})
	within(t, "the second", func() bool { _, err := namespaces.Get("second"); return err == nil })
}

// lines are what a logger has written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
