package kinds

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"kubarium/server/table"
)

// daemonSet is the row of DaemonSet.
func daemonSet() *Kind {
	return &Kind{
		GroupVersionKind:     appsv1.SchemeGroupVersion.WithKind("DaemonSet"),
		Resource:             "daemonsets",
		Singular:             "daemonset",
		ShortNames:           []string{"ds"},
		Categories:           []string{"all"},
		Namespaced:           true,
		New:                  func() runtime.Object { return &appsv1.DaemonSet{} },
		NewList:              func() runtime.Object { return &appsv1.DaemonSetList{} },
		UnconditionalUpdate:  true,
		Status:               true,
		Generation:           true,
		Default:              defaultDaemonSet,
		PrepareForCreate:     countTemplate,
		PrepareForUpdate:     countTemplateChange,
		Validate:             validateDaemonSet,
		ValidateUpdate:       validateDaemonSetUpdate,
		ChangesFirst:         true,
		ValidateStatusUpdate: validateDaemonSetStatusUpdate,
		Warn:                 warnDaemonSet,
		Printer:              table.Printer{Columns: daemonSetColumns(), Cells: daemonSetCells},
	}
}

func defaultDaemonSet(obj runtime.Object) {
	d := obj.(*appsv1.DaemonSet)
	defaultPodSpec(&d.Spec.Template.Spec)
	orDefault(&d.Spec.RevisionHistoryLimit, 10)
	if _, ok := d.Annotations[appsv1.DeprecatedTemplateGeneration]; !ok {
		setTemplateGeneration(d, 0) // not counted yet, but there for whoever manages the fields
	}
	s := &d.Spec.UpdateStrategy
	orValue(&s.Type, appsv1.RollingUpdateDaemonSetStrategyType)
	if s.Type != appsv1.RollingUpdateDaemonSetStrategyType {
		return
	}
	if s.RollingUpdate == nil {
		s.RollingUpdate = &appsv1.RollingUpdateDaemonSet{}
	}
	orDefault(&s.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
	orDefault(&s.RollingUpdate.MaxSurge, intstr.FromInt32(0))
}

// countTemplate begins the count of the template's changes, which apps/v1 shows as an annotation alone.
func countTemplate(obj runtime.Object) {
	d := obj.(*appsv1.DaemonSet)
	setTemplateGeneration(d, templateGeneration(d))
}

// countTemplateChange goes on with that count; a client that sends another one back cannot move it.
func countTemplateChange(obj, old runtime.Object) {
	d, was := obj.(*appsv1.DaemonSet), old.(*appsv1.DaemonSet)
	count := templateGeneration(was)
	if !equality.Semantic.DeepEqual(d.Spec.Template, was.Spec.Template) {
		count++
	}
	setTemplateGeneration(d, count)
}

func daemonSetColumns() []metav1.TableColumnDefinition {
	status := appsv1.DaemonSetStatus{}.SwaggerDoc()
	return append([]metav1.TableColumnDefinition{
		nameColumn(),
		countColumn("Desired", status["desiredNumberScheduled"]),
		countColumn("Current", status["currentNumberScheduled"]),
		countColumn("Ready", status["numberReady"]),
		countColumn("Up-to-date", status["updatedNumberScheduled"]),
		countColumn("Available", status["numberAvailable"]),
		column("Node Selector", corev1.PodSpec{}.SwaggerDoc()["nodeSelector"]),
		ageColumn(),
	}, templateColumns(appsv1.DaemonSetSpec{}.SwaggerDoc()["selector"])...)
}

func daemonSetCells(obj runtime.Object, now time.Time) []any {
	d := obj.(*appsv1.DaemonSet)
	names, images := containerCells(d.Spec.Template.Spec.Containers)
	return []any{
		d.Name, int64(d.Status.DesiredNumberScheduled), int64(d.Status.CurrentNumberScheduled), int64(d.Status.NumberReady),
		int64(d.Status.UpdatedNumberScheduled), int64(d.Status.NumberAvailable),
		labels.FormatLabels(d.Spec.Template.Spec.NodeSelector), age(d.CreationTimestamp, now),
		names, images, metav1.FormatLabelSelector(d.Spec.Selector),
	}
}
