package kinds

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// podTemplate is the row of PodTemplate. It has no spec: its generation counts the changes of the template itself.
func podTemplate() *Kind {
	return &Kind{
		GroupVersionKind:    corev1.SchemeGroupVersion.WithKind("PodTemplate"),
		Resource:            "podtemplates",
		Singular:            "podtemplate",
		Namespaced:          true,
		New:                 func() runtime.Object { return &corev1.PodTemplate{} },
		NewList:             func() runtime.Object { return &corev1.PodTemplateList{} },
		UnconditionalUpdate: true,
		ReturnDeleted:       true,
		Default:             func(obj runtime.Object) { defaultPodSpec(&obj.(*corev1.PodTemplate).Template.Spec) },
		PrepareForCreate:    func(obj runtime.Object) { obj.(*corev1.PodTemplate).Generation = 1 },
		PrepareForUpdate: func(obj, old runtime.Object) {
			t, was := obj.(*corev1.PodTemplate), old.(*corev1.PodTemplate)
			if !equality.Semantic.DeepEqual(t.Template, was.Template) {
				t.Generation = was.Generation + 1
			}
		},
		Validate: func(obj runtime.Object) field.ErrorList {
			return validatePodTemplate(&obj.(*corev1.PodTemplate).Template, field.NewPath("template"))
		},
		Warn: warnPodTemplate,
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(), column("Containers", templateContainers), column("Images", templateImages),
				column("Pod Labels", "The labels for the pod template."),
			},
			Cells: func(obj runtime.Object, _ time.Time) []any {
				t := obj.(*corev1.PodTemplate)
				names, images := containerCells(t.Template.Spec.Containers)
				return []any{t.Name, names, images, labels.FormatLabels(t.Template.Labels)}
			},
		},
	}
}
