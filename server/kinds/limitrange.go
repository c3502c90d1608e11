package kinds

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// limitRange is the row of LimitRange.
func limitRange() *Kind {
	return &Kind{
		GroupVersionKind:    corev1.SchemeGroupVersion.WithKind("LimitRange"),
		Resource:            "limitranges",
		Singular:            "limitrange",
		ShortNames:          []string{"limits"},
		Namespaced:          true,
		New:                 func() runtime.Object { return &corev1.LimitRange{} },
		NewList:             func() runtime.Object { return &corev1.LimitRangeList{} },
		CreateOnUpdate:      true,
		UnconditionalUpdate: true,
		Default:             defaultLimitRange,
		Validate:            validateLimitRange,
		Printer: table.Printer{
			// Kubernetes has no columns of its own for this kind; these are those of every such kind.
			Columns: []metav1.TableColumnDefinition{
				nameColumn(), {Name: "Created At", Type: "date", Description: metaDoc["creationTimestamp"]},
			},
			Cells: func(obj runtime.Object, _ time.Time) []any {
				l := obj.(*corev1.LimitRange)
				return []any{l.Name, l.CreationTimestamp.UTC().Format(time.RFC3339)}
			},
		},
	}
}

func defaultLimitRange(obj runtime.Object) {
	limits := obj.(*corev1.LimitRange).Spec.Limits
	for i := range limits {
		l := &limits[i]
		for _, list := range []corev1.ResourceList{l.Max, l.Min, l.Default, l.DefaultRequest, l.MaxLimitRequestRatio} {
			roundToMilli(list)
		}
		if l.Type == corev1.LimitTypeContainer {
			defaultContainerLimit(l)
		}
	}
}

// defaultContainerLimit gives a container by default the most that it may have, and lets it ask for that, or else for
// the least.
func defaultContainerLimit(l *corev1.LimitRangeItem) {
	if l.Default == nil {
		l.Default = corev1.ResourceList{}
	}
	if l.DefaultRequest == nil {
		l.DefaultRequest = corev1.ResourceList{}
	}
	fillAmounts(l.Default, l.Max)
	fillAmounts(l.DefaultRequest, l.Default)
	fillAmounts(l.DefaultRequest, l.Min)
}

// fillAmounts copies what a list does not have yet.
func fillAmounts(to, from corev1.ResourceList) {
	for name, q := range from {
		if _, has := to[name]; !has {
			to[name] = q.DeepCopy()
		}
	}
}
