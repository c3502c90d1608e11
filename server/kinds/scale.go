package kinds

import (
	"context"
	"fmt"
	"sync"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	"k8s.io/kubernetes/pkg/apis/core"

	"kubarium/server/table"
)

// replicas are the values of an object that a scale shows.
type replicas struct {
	metav1.ObjectMeta
	wanted   *int32 // points into the object
	present  int32
	selector *metav1.LabelSelector
}

// scaled gives a row the subresource scale; of finds the replicas of an internal object.
func scaled(k *Kind, of func(obj runtime.Object) replicas) *Kind {
	k.Scale = &Scale{
		Row: scales(),
		Get: func(obj runtime.Object) (*autoscalingv1.Scale, error) { return of(obj).scale() },
		Set: func(obj runtime.Object, n int32) error {
			*of(obj).wanted = n
			return nil
		},
		SpecPath: ".spec.replicas", StatusPath: ".status.replicas", SelectorPath: ".status.selector",
	}
	return k
}

// Scales is a row of Scale, with the official cells and the given columns. A Scale is a view and never stored.
func Scales(columns func() []metav1.TableColumnDefinition) *Kind {
	k := Unstored(autoscalingv1.SchemeGroupVersion.WithKind("Scale"), "scales", "scale", true)
	k.Printer = table.Printer{
		Empty: func() metav1.Table { return metav1.Table{ColumnDefinitions: columns()} },
		Row:   convertorPrinter(k, generator).Row,
	}
	return k
}

// scales is the row of the Scales of built-in kinds.
var scales = sync.OnceValue(func() *Kind {
	return Scales(sync.OnceValue(func() []metav1.TableColumnDefinition {
		t, err := generator().ConvertToTable(context.Background(), &autoscaling.Scale{}, nil) // there is no list of Scales
		if err != nil {
			panic(fmt.Sprintf("the columns of Scale: %v", err))
		}
		return t.ColumnDefinitions
	}))
})

// scale is the view of an object as a Scale.
func (r replicas) scale() (*autoscalingv1.Scale, error) {
	selector, err := metav1.LabelSelectorAsSelector(r.selector)
	if err != nil {
		return nil, err
	}
	return &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{
			Name: r.Name, Namespace: r.Namespace, UID: r.UID, ResourceVersion: r.ResourceVersion, CreationTimestamp: r.CreationTimestamp,
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: *r.wanted},
		Status: autoscalingv1.ScaleStatus{Replicas: r.present, Selector: selector.String()},
	}, nil
}

func deploymentReplicas(obj runtime.Object) replicas {
	d := obj.(*apps.Deployment)
	return replicas{d.ObjectMeta, &d.Spec.Replicas, d.Status.Replicas, d.Spec.Selector}
}

func replicaSetReplicas(obj runtime.Object) replicas {
	r := obj.(*apps.ReplicaSet)
	return replicas{r.ObjectMeta, &r.Spec.Replicas, r.Status.Replicas, r.Spec.Selector}
}

func statefulSetReplicas(obj runtime.Object) replicas {
	s := obj.(*apps.StatefulSet)
	return replicas{s.ObjectMeta, &s.Spec.Replicas, s.Status.Replicas, s.Spec.Selector}
}

func replicationControllerReplicas(obj runtime.Object) replicas {
	r := obj.(*core.ReplicationController)
	if r.Spec.Replicas == nil { // the defaults give it one
		r.Spec.Replicas = new(int32)
	}
	return replicas{r.ObjectMeta, r.Spec.Replicas, r.Status.Replicas, &metav1.LabelSelector{MatchLabels: r.Spec.Selector}}
}
