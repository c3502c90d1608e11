package kinds

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// ComponentStatus is the row of ComponentStatus. It is not among BuiltIn: its objects are asked of the components, and
// can be read alone.
func ComponentStatus() *Kind {
	return &Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("ComponentStatus"),
		Resource:         "componentstatuses",
		Singular:         "componentstatus",
		ShortNames:       []string{"cs"},
		New:              func() runtime.Object { return &corev1.ComponentStatus{} },
		NewList:          func() runtime.Object { return &corev1.ComponentStatusList{} },
		Printer: table.Printer{Columns: []metav1.TableColumnDefinition{
			nameColumn(),
			column("Status", "Status of the component conditions"),
			column("Message", "Message of the component conditions"),
			column("Error", "Error of the component conditions"),
		}, Cells: componentStatusCells},
	}
}

func componentStatusCells(obj runtime.Object, _ time.Time) []any {
	s := obj.(*corev1.ComponentStatus)
	state, message, failure := "Unknown", "", ""
	for _, c := range s.Conditions {
		if c.Type != corev1.ComponentHealthy {
			continue
		}
		state = "Unhealthy"
		if c.Status == corev1.ConditionTrue {
			state = "Healthy"
		}
		message, failure = c.Message, c.Error
		break
	}
	return []any{s.Name, state, message, failure}
}
