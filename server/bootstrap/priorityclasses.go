package bootstrap

import (
	"context"

	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	schedulingapi "k8s.io/kubernetes/pkg/apis/scheduling/v1"
)

// priorityClasses makes the two classes of system pods, which cannot be changed afterwards.
func (b *Bootstrap) priorityClasses() *task {
	return &task{
		name:  "priority classes",
		kinds: []schema.GroupVersionResource{schedulingv1.SchemeGroupVersion.WithResource("priorityclasses")},
		ensure: func(ctx context.Context) error {
			api := b.api.SchedulingV1().PriorityClasses()
			for _, class := range schedulingapi.SystemPriorityClasses() {
				_, err := api.Get(ctx, class.Name, metav1.GetOptions{})
				if apierrors.IsNotFound(err) {
					_, err = api.Create(ctx, class.DeepCopy(), metav1.CreateOptions{}) // encoding writes the kind into what all servers of the process share
				}
				if err != nil && !apierrors.IsAlreadyExists(err) {
					return err
				}
			}
			return nil
		},
	}
}
