package kinds

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"kubarium/server/table"
)

// deployment is the row of Deployment.
func deployment() *Kind {
	return &Kind{
		GroupVersionKind:     appsv1.SchemeGroupVersion.WithKind("Deployment"),
		Resource:             "deployments",
		Singular:             "deployment",
		ShortNames:           []string{"deploy"},
		Categories:           []string{"all"},
		Namespaced:           true,
		New:                  func() runtime.Object { return &appsv1.Deployment{} },
		NewList:              func() runtime.Object { return &appsv1.DeploymentList{} },
		UnconditionalUpdate:  true,
		Status:               true,
		Generation:           true,
		Scale:                deploymentScale(),
		Default:              defaultDeployment,
		PrepareForUpdate:     countAnnotationChange,
		Validate:             validateDeployment,
		ValidateUpdate:       validateDeploymentUpdate,
		ValidateStatusUpdate: validateDeploymentStatusUpdate,
		PrepareForStatusUpdate: func(obj, old runtime.Object) {
			obj.(*appsv1.Deployment).Labels = old.(*appsv1.Deployment).Labels
		},
		Warn:    warnDeployment,
		Printer: table.Printer{Columns: deploymentColumns(), Cells: deploymentCells},
	}
}

func deploymentScale() *Scale {
	return &Scale{
		Get: func(obj runtime.Object) (*autoscalingv1.Scale, error) {
			d := obj.(*appsv1.Deployment)
			return scaleOf(&d.ObjectMeta, d.Spec.Replicas, d.Status.Replicas, d.Spec.Selector)
		},
		Set: func(obj runtime.Object, replicas int32) error {
			obj.(*appsv1.Deployment).Spec.Replicas = &replicas
			return nil
		},
		SpecPath:     ".spec.replicas",
		StatusPath:   ".status.replicas",
		SelectorPath: ".status.selector",
	}
}

func defaultDeployment(obj runtime.Object) {
	spec := &obj.(*appsv1.Deployment).Spec
	defaultPodSpec(&spec.Template.Spec)
	orDefault(&spec.Replicas, 1)
	orDefault(&spec.RevisionHistoryLimit, 10)
	orDefault(&spec.ProgressDeadlineSeconds, 600)
	orValue(&spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	if spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType {
		return
	}
	if spec.Strategy.RollingUpdate == nil {
		spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{}
	}
	orDefault(&spec.Strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
	orDefault(&spec.Strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
}

// countAnnotationChange lets a change of annotations count as a new generation: a Deployment copies them to its
// ReplicaSets, so its controller must hear of it.
func countAnnotationChange(obj, old runtime.Object) {
	d, was := obj.(*appsv1.Deployment), old.(*appsv1.Deployment)
	if !equality.Semantic.DeepEqual(d.Annotations, was.Annotations) {
		d.Generation = was.Generation + 1
	}
}

func deploymentColumns() []metav1.TableColumnDefinition {
	status := appsv1.DeploymentStatus{}.SwaggerDoc()
	return append([]metav1.TableColumnDefinition{
		nameColumn(),
		column("Ready", "Number of the pod with ready state"),
		column("Up-to-date", status["updatedReplicas"]),
		column("Available", status["availableReplicas"]),
		ageColumn(),
	}, templateColumns(appsv1.DeploymentSpec{}.SwaggerDoc()["selector"])...)
}

func deploymentCells(obj runtime.Object, now time.Time) []any {
	d := obj.(*appsv1.Deployment)
	names, images := containerCells(d.Spec.Template.Spec.Containers)
	return []any{
		d.Name, fmt.Sprintf("%d/%d", d.Status.ReadyReplicas, replicasOr1(d.Spec.Replicas)),
		int64(d.Status.UpdatedReplicas), int64(d.Status.AvailableReplicas), age(d.CreationTimestamp, now),
		names, images, selectorText(d.Spec.Selector),
	}
}

// selectorText shows a selector of pods; none at all chooses nothing and shows nothing.
func selectorText(s *metav1.LabelSelector) string {
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return "<invalid>"
	}
	return selector.String()
}
