package planted

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// A follower watches the ConfigMap with a controller's settings by hand, without an informer.
type follower struct {
	bookmarks bool  // whether it allows them
	stubborn  bool  // whether it goes on from the same version after a 410
	seconds   int64 // how long a watch lives; 0 means 1
	version   string
}

// settings selects the one ConfigMap.
const settings = "metadata.name=settings"

// list reads the settings again, and the version to go on from.
func (f *follower) list(ctx context.Context, c *controller) error {
	l, err := c.CoreV1().ConfigMaps(c.namespace).List(ctx, metav1.ListOptions{FieldSelector: settings})
	if err == nil {
		f.version = l.ResourceVersion
		c.count("settings listed")
	}
	return err
}

// run follows the settings until ctx ends.
func (f *follower) run(ctx context.Context, c *controller) {
	for ctx.Err() == nil {
		err := f.watch(ctx, c)
		switch {
		case err == nil || ctx.Err() != nil:
		case !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err), f.stubborn:
			c.count("refused")
			pause(ctx, 50*time.Millisecond)
		default:
			_ = f.list(ctx, c) // if that fails too, the next watch does, and it is tried again
		}
	}
}

// watch watches until the server ends it.
func (f *follower) watch(ctx context.Context, c *controller) error {
	w, err := c.CoreV1().ConfigMaps(c.namespace).Watch(ctx, metav1.ListOptions{
		FieldSelector: settings, ResourceVersion: f.version, AllowWatchBookmarks: f.bookmarks, TimeoutSeconds: new(max(1, f.seconds)),
	})
	if err != nil {
		return err
	}
	defer w.Stop()
	c.count("settings watched")
	for e := range w.ResultChan() {
		if e.Type == watch.Error {
			return apierrors.FromObject(e.Object)
		}
		cm, ok := e.Object.(*corev1.ConfigMap)
		if !ok {
			return errors.New("not a ConfigMap")
		}
		f.version = cm.ResourceVersion
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// configure makes the settings.
func configure(ctx context.Context, st *stage) error {
	_, err := st.person.CoreV1().ConfigMaps(st.person.namespace).Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "settings"}, Data: map[string]string{"theme": "plain"},
	}, metav1.CreateOptions{})
	return err
}
