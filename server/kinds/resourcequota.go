package kinds

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// resourceQuota is the row of ResourceQuota.
func resourceQuota() *Kind {
	return &Kind{
		GroupVersionKind:     corev1.SchemeGroupVersion.WithKind("ResourceQuota"),
		Resource:             "resourcequotas",
		Singular:             "resourcequota",
		ShortNames:           []string{"quota"},
		Namespaced:           true,
		New:                  func() runtime.Object { return &corev1.ResourceQuota{} },
		NewList:              func() runtime.Object { return &corev1.ResourceQuotaList{} },
		UnconditionalUpdate:  true,
		Status:               true,
		ReturnDeleted:        true,
		Default:              defaultResourceQuota,
		Validate:             validateResourceQuota,
		ValidateUpdate:       validateResourceQuotaUpdate,
		ValidateStatusUpdate: validateResourceQuotaStatus,
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(),
				column("Request", "Request represents a minimum amount of cpu/memory that a container may consume."),
				column("Limit", "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node."),
				ageColumn(),
			},
			Cells: func(obj runtime.Object, now time.Time) []any {
				q := obj.(*corev1.ResourceQuota)
				requests, limits := quotaCells(&q.Status)
				return []any{q.Name, requests, limits, age(q.CreationTimestamp, now)}
			},
		},
	}
}

func defaultResourceQuota(obj runtime.Object) {
	q := obj.(*corev1.ResourceQuota)
	roundToMilli(q.Spec.Hard)
	roundToMilli(q.Status.Hard)
	roundToMilli(q.Status.Used)
}

// quotaCells tell of each resource how much is used of how much there is.
func quotaCells(s *corev1.ResourceQuotaStatus) (requests, limits string) {
	var r, l []string
	for _, name := range sortedResources(s.Hard) {
		used, hard := s.Used[name], s.Hard[name]
		text := fmt.Sprintf("%s: %s/%s", name, used.String(), hard.String())
		if strings.HasPrefix(string(name), "limits.") {
			l = append(l, text)
		} else {
			r = append(r, text)
		}
	}
	return strings.Join(r, ", "), strings.Join(l, ", ")
}
