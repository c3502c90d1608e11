package planted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	watchtools "k8s.io/client-go/tools/watch"
)

// A stage is where an exercise happens: a controller, and what people and others do to its objects.
type stage struct {
	person  *client
	scaler  *client
	control *controller
	mended  bool           // whether the controller is the twin
	quick   bool           // whether to leave out waits
	others  sync.WaitGroup // what runs next to the controller
}

// prepare makes the definition of Sites, if there is none, and the namespace.
func (st *stage) prepare(ctx context.Context) error {
	if err := st.define(ctx); err != nil {
		return err
	}
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: st.person.namespace}}
	_, err := st.person.CoreV1().Namespaces().Create(ctx, made, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("the namespace %s is there already; delete it, or choose another", st.person.namespace)
	}
	return err
}

// define makes the definition and waits until it is served.
func (st *stage) define(ctx context.Context) error {
	definitions := st.person.definitions.ApiextensionsV1().CustomResourceDefinitions()
	d, err := definitions.Get(ctx, definition().Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		d, err = definitions.Create(ctx, definition(), metav1.CreateOptions{})
	}
	if err != nil || established(d) {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, settling, errors.New("the definition of Sites is not established"))
	defer cancel()
	w, err := definitions.Watch(ctx, metav1.ListOptions{
		ResourceVersion: d.ResourceVersion, FieldSelector: "metadata.name=" + d.Name, AllowWatchBookmarks: true,
	})
	if err != nil {
		return err
	}
	_, err = watchtools.UntilWithoutRetry(ctx, w, func(e watch.Event) (bool, error) {
		d, ok := e.Object.(*apiextensionsv1.CustomResourceDefinition)
		return ok && established(d), nil
	})
	return err
}

func established(d *apiextensionsv1.CustomResourceDefinition) bool {
	for _, c := range d.Status.Conditions {
		if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
			return true
		}
	}
	return false
}

// create makes a Site, and waits until the controller has done what it should.
func (st *stage) create(ctx context.Context, name string) error {
	if err := st.plantSite(ctx, name); err != nil {
		return err
	}
	return st.control.settle(ctx)
}

// plantSite makes a Site and waits for nothing.
func (st *stage) plantSite(ctx context.Context, name string) error {
	_, err := st.control.putSite(st.person.sites.Create(ctx, &Site{
		TypeMeta:   metav1.TypeMeta{APIVersion: group.String(), Kind: "Site"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: st.person.namespace},
		Spec:       SiteSpec{Image: "nginx:1.27", Replicas: new(int32(2))},
	}, metav1.CreateOptions{}))
	return err
}

// merge changes a Site by a merge patch, and waits until the controller has done what it should, or enough.
func (st *stage) merge(ctx context.Context, name string, change map[string]any, enough ...func() bool) error {
	text, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = st.control.putSite(st.person.sites.Patch(ctx, name, types.MergePatchType, text, metav1.PatchOptions{}))
	if err != nil {
		return err
	}
	return st.control.settle(ctx, enough...)
}

// image gives a Site another image.
func (st *stage) image(ctx context.Context, name, image string, enough ...func() bool) error {
	return st.merge(ctx, name, map[string]any{"spec": map[string]any{"image": image}}, enough...)
}

// label gives a Site a label that means nothing to the controller.
func (st *stage) label(ctx context.Context, name, team string, enough ...func() bool) error {
	change := map[string]any{"metadata": map[string]any{"labels": map[string]any{"team": team}}}
	return st.merge(ctx, name, change, enough...)
}

// patchDeployment changes a Site's Deployment by a strategic merge patch, and waits until the controller has seen it.
func (st *stage) patchDeployment(ctx context.Context, name, patch string, subresources ...string) error {
	d, err := st.person.AppsV1().Deployments(st.person.namespace).Patch(
		ctx, name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, subresources...)
	if err != nil {
		return err
	}
	return st.waitFor(ctx, d)
}

func (st *stage) waitFor(ctx context.Context, d *appsv1.Deployment) error {
	st.control.wrote("Deployment", d)
	return st.control.settle(ctx)
}

// linger lets time pass in which nothing happens.
func (st *stage) linger(ctx context.Context, d time.Duration) {
	if !st.quick {
		pause(ctx, d)
	}
}

// comeBack is a person who looks at the Sites again after a while.
func comeBack(later time.Duration) func(context.Context, *stage) error {
	return func(ctx context.Context, st *stage) error {
		st.linger(ctx, later)
		_, err := st.person.sites.List(ctx, metav1.ListOptions{Limit: 500})
		return err
	}
}

// compact makes all revisions up to now unreadable.
func (st *stage) compact(ctx context.Context) error {
	return st.person.CoreV1().RESTClient().Post().AbsPath("/debug/compact").Do(ctx).Error()
}

// key is a Site's, as progress names it.
func (st *stage) key(kind, name string) string {
	return kind + " " + st.person.namespace + "/" + name
}

// life is what happens to most controllers: two Sites come, get other images, and labels that do not concern the
// controller.
func life(ctx context.Context, st *stage) error {
	names := []string{"shop", "blog"}
	for _, name := range names {
		if err := st.create(ctx, name); err != nil {
			return err
		}
	}
	for _, tag := range []string{"1.28", "1.29", "1.30", "1.31", "1.32"} {
		for _, name := range names {
			if err := errors.Join(st.image(ctx, name, "nginx:"+tag), st.label(ctx, name, "team-"+tag)); err != nil {
				return err
			}
		}
	}
	return nil
}
