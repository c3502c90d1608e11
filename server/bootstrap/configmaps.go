package bootstrap

import (
	"context"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controlplane/controller/legacytokentracking"
)

// tokenTracking keeps the ConfigMap with the date since which the use of tokens of the old kind is recorded.
func (b *Bootstrap) tokenTracking() *task {
	const name, key = legacytokentracking.ConfigMapName, legacytokentracking.ConfigMapDataKey
	return &task{
		name:  "token tracking",
		kinds: []schema.GroupVersionResource{corev1.SchemeGroupVersion.WithResource("configmaps")},
		watch: []cache.SharedIndexInformer{coreinformers.NewFilteredConfigMapInformer(b.api, metav1.NamespaceSystem, 0, cache.Indexers{}, named(name))},
		ensure: func(ctx context.Context) error {
			api := b.api.CoreV1().ConfigMaps(metav1.NamespaceSystem)
			today := time.Now().UTC().Format(time.DateOnly)
			c, err := api.Get(ctx, name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				_, err = api.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{key: today}}, metav1.CreateOptions{})
				return ignore(err, apierrors.IsAlreadyExists)
			}
			if err != nil {
				return err
			}
			if _, err := time.Parse(time.DateOnly, c.Data[key]); err == nil {
				return nil
			}
			data := map[string]string{}
			maps.Copy(data, c.Data)
			data[key], c.Data = today, data
			_, err = api.Update(ctx, c, metav1.UpdateOptions{})
			return ignore(err, apierrors.IsConflict, apierrors.IsNotFound) // its watch brings it again
		},
	}
}

// named restricts a watch to the object of one name.
func named(name string) func(*metav1.ListOptions) {
	return func(o *metav1.ListOptions) {
		o.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
	}
}

// ignore drops errors of these kinds.
func ignore(err error, kinds ...func(error) bool) error {
	for _, is := range kinds {
		if is(err) {
			return nil
		}
	}
	return err
}
