package kinds

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// replicaSet is the row of ReplicaSet.
func replicaSet() *Kind {
	return &Kind{
		GroupVersionKind:     appsv1.SchemeGroupVersion.WithKind("ReplicaSet"),
		Resource:             "replicasets",
		Singular:             "replicaset",
		ShortNames:           []string{"rs"},
		Categories:           []string{"all"},
		Namespaced:           true,
		New:                  func() runtime.Object { return &appsv1.ReplicaSet{} },
		NewList:              func() runtime.Object { return &appsv1.ReplicaSetList{} },
		UnconditionalUpdate:  true,
		Status:               true,
		Generation:           true,
		Scale:                replicaSetScale(),
		Default:              defaultReplicaSet,
		Validate:             validateReplicaSet,
		ValidateUpdate:       validateReplicaSetUpdate,
		ValidateStatusUpdate: validateReplicaSetStatusUpdate,
		Warn:                 warnReplicaSet,
		Printer:              table.Printer{Columns: replicaSetColumns(), Cells: replicaSetCells},
	}
}

func replicaSetScale() *Scale {
	return &Scale{
		Get: func(obj runtime.Object) (*autoscalingv1.Scale, error) {
			r := obj.(*appsv1.ReplicaSet)
			return scaleOf(&r.ObjectMeta, r.Spec.Replicas, r.Status.Replicas, r.Spec.Selector)
		},
		Set: func(obj runtime.Object, replicas int32) error {
			obj.(*appsv1.ReplicaSet).Spec.Replicas = &replicas
			return nil
		},
		SpecPath:     ".spec.replicas",
		StatusPath:   ".status.replicas",
		SelectorPath: ".status.selector",
	}
}

func defaultReplicaSet(obj runtime.Object) {
	spec := &obj.(*appsv1.ReplicaSet).Spec
	orDefault(&spec.Replicas, 1)
	defaultPodSpec(&spec.Template.Spec)
}

func replicaSetColumns() []metav1.TableColumnDefinition {
	spec, status := appsv1.ReplicaSetSpec{}.SwaggerDoc(), appsv1.ReplicaSetStatus{}.SwaggerDoc()
	return append([]metav1.TableColumnDefinition{
		nameColumn(),
		countColumn("Desired", spec["replicas"]),
		countColumn("Current", status["replicas"]),
		countColumn("Ready", status["readyReplicas"]),
		ageColumn(),
	}, templateColumns(spec["selector"])...)
}

func replicaSetCells(obj runtime.Object, now time.Time) []any {
	r := obj.(*appsv1.ReplicaSet)
	names, images := containerCells(r.Spec.Template.Spec.Containers)
	return []any{
		r.Name, int64(replicasOr1(r.Spec.Replicas)), int64(r.Status.Replicas), int64(r.Status.ReadyReplicas),
		age(r.CreationTimestamp, now), names, images, metav1.FormatLabelSelector(r.Spec.Selector),
	}
}
