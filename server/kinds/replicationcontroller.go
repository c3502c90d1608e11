package kinds

import (
	"maps"
	"strconv"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// replicationController is the row of ReplicationController, the elder of ReplicaSet.
func replicationController() *Kind {
	return &Kind{
		GroupVersionKind:     corev1.SchemeGroupVersion.WithKind("ReplicationController"),
		Resource:             "replicationcontrollers",
		Singular:             "replicationcontroller",
		ShortNames:           []string{"rc"},
		Categories:           []string{"all"},
		Orphans:              true,
		Namespaced:           true,
		New:                  func() runtime.Object { return &corev1.ReplicationController{} },
		NewList:              func() runtime.Object { return &corev1.ReplicationControllerList{} },
		UnconditionalUpdate:  true,
		Status:               true,
		Generation:           true,
		Scale:                replicationControllerScale(),
		Default:              defaultReplicationController,
		Validate:             validateReplicationController,
		ValidateStatusUpdate: validateReplicationControllerStatusUpdate,
		Fields: func(obj runtime.Object) fields.Set {
			return fields.Set{"status.replicas": strconv.Itoa(int(obj.(*corev1.ReplicationController).Status.Replicas))}
		},
		FieldNames: []string{"status.replicas"},
		Warn:       warnReplicationController,
		Printer:    table.Printer{Columns: replicationControllerColumns(), Cells: replicationControllerCells},
	}
}

func replicationControllerScale() *Scale {
	return &Scale{
		Get: func(obj runtime.Object) (*autoscalingv1.Scale, error) {
			r := obj.(*corev1.ReplicationController)
			return scaleOf(&r.ObjectMeta, r.Spec.Replicas, r.Status.Replicas, &metav1.LabelSelector{MatchLabels: r.Spec.Selector})
		},
		Set: func(obj runtime.Object, replicas int32) error {
			obj.(*corev1.ReplicationController).Spec.Replicas = &replicas
			return nil
		},
		SpecPath:     ".spec.replicas",
		StatusPath:   ".status.replicas",
		SelectorPath: ".status.selector",
	}
}

// defaultReplicationController takes the labels of the template for whatever was not said of labels.
func defaultReplicationController(obj runtime.Object) {
	r := obj.(*corev1.ReplicationController)
	orDefault(&r.Spec.Replicas, 1)
	if r.Spec.Template == nil {
		return
	}
	defaultPodSpec(&r.Spec.Template.Spec)
	if r.Spec.Template.Labels == nil {
		return
	}
	if len(r.Spec.Selector) == 0 {
		r.Spec.Selector = maps.Clone(r.Spec.Template.Labels)
	}
	if len(r.Labels) == 0 {
		r.Labels = maps.Clone(r.Spec.Template.Labels)
	}
}

func validateReplicationController(obj runtime.Object) field.ErrorList {
	s := &obj.(*corev1.ReplicationController).Spec
	path := field.NewPath("spec")
	errs := notNegative(path.Child("minReadySeconds"), s.MinReadySeconds)
	if len(s.Selector) == 0 {
		errs = append(errs, field.Required(path.Child("selector"), ""))
	}
	errs = append(errs, metav1validation.ValidateLabels(s.Selector, path.Child("selector"))...)
	errs = append(errs, notNegative(path.Child("replicas"), replicasOr1(s.Replicas))...)
	at := path.Child("template")
	if s.Template == nil {
		return append(errs, field.Required(at, ""))
	}
	errs = append(errs, validateChosen(&metav1.LabelSelector{MatchLabels: s.Selector}, s.Template, at)...)
	errs = append(errs, validatePodTemplate(s.Template, at)...)
	return append(errs, validateRunsForGood(s.Template, "ReplicationController", at)...)
}

func validateReplicationControllerStatusUpdate(obj, _ runtime.Object) field.ErrorList {
	s := obj.(*corev1.ReplicationController).Status
	return validateReplicaCounts(replicaCounts{s.Replicas, s.FullyLabeledReplicas, s.ReadyReplicas, s.AvailableReplicas, nil, s.ObservedGeneration})
}

func replicationControllerColumns() []metav1.TableColumnDefinition {
	spec, status := corev1.ReplicationControllerSpec{}.SwaggerDoc(), corev1.ReplicationControllerStatus{}.SwaggerDoc()
	return append([]metav1.TableColumnDefinition{
		nameColumn(),
		countColumn("Desired", spec["replicas"]),
		countColumn("Current", status["replicas"]),
		countColumn("Ready", status["readyReplicas"]),
		ageColumn(),
	}, templateColumns(spec["selector"])...)
}

func replicationControllerCells(obj runtime.Object, now time.Time) []any {
	r := obj.(*corev1.ReplicationController)
	names, images := "", ""
	if r.Spec.Template != nil {
		names, images = containerCells(r.Spec.Template.Spec.Containers)
	}
	return []any{
		r.Name, int64(replicasOr1(r.Spec.Replicas)), int64(r.Status.Replicas), int64(r.Status.ReadyReplicas),
		age(r.CreationTimestamp, now), names, images, labels.FormatLabels(r.Spec.Selector),
	}
}
