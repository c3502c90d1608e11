package kinds

import (
	"fmt"
	"strings"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// maxMetricsShown is how many metrics a cell tells before it only counts.
const maxMetricsShown = 2

func autoscalerColumns() []metav1.TableColumnDefinition {
	spec := autoscalingv2.HorizontalPodAutoscalerSpec{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("Reference", spec["scaleTargetRef"]),
		column("Targets", spec["metrics"]),
		column("MinPods", spec["minReplicas"]),
		column("MaxPods", spec["maxReplicas"]),
		column("Replicas", autoscalingv2.HorizontalPodAutoscalerStatus{}.SwaggerDoc()["currentReplicas"]),
		ageColumn(),
	}
}

func autoscalerCells(obj runtime.Object, now time.Time) []any {
	a := obj.(*autoscalingv2.HorizontalPodAutoscaler)
	least := "<unset>"
	if a.Spec.MinReplicas != nil {
		least = fmt.Sprint(*a.Spec.MinReplicas)
	}
	return []any{
		a.Name, a.Spec.ScaleTargetRef.Kind + "/" + a.Spec.ScaleTargetRef.Name, metricCells(&a.Spec, &a.Status), least,
		int64(a.Spec.MaxReplicas), int64(a.Status.CurrentReplicas), age(a.CreationTimestamp, now),
	}
}

// autoscalerPrinter shows the objects of another version as those of v2, which toV2 makes of them.
func autoscalerPrinter(toV2 func(runtime.Object) (runtime.Object, error)) table.Printer {
	return table.Printer{Columns: autoscalerColumns(), Cells: func(obj runtime.Object, now time.Time) []any {
		v2, err := toV2(obj.DeepCopyObject())
		if err != nil {
			v2 = &autoscalingv2.HorizontalPodAutoscaler{} // conversion from a typed object has no way to fail
		}
		return autoscalerCells(v2, now)
	}}
}

// metricCells tells each metric as it is and as it should be: "cpu: 20%/80%, 3/10 (avg)".
func metricCells(s *autoscalingv2.HorizontalPodAutoscalerSpec, status *autoscalingv2.HorizontalPodAutoscalerStatus) string {
	if len(s.Metrics) == 0 {
		return none
	}
	shown := make([]string, 0, len(s.Metrics))
	for i := range s.Metrics {
		var found autoscalingv2.MetricStatus
		if i < len(status.CurrentMetrics) {
			found = status.CurrentMetrics[i]
		}
		shown = append(shown, metricCell(&s.Metrics[i], &found))
	}
	if more := len(shown) - maxMetricsShown; more > 0 {
		return fmt.Sprintf("%s + %d more...", strings.Join(shown[:maxMetricsShown], ", "), more)
	}
	return strings.Join(shown, ", ")
}

// metricCell tells one metric; found is what was measured, empty for nothing.
func metricCell(m *autoscalingv2.MetricSpec, found *autoscalingv2.MetricStatus) string {
	switch {
	case m.Type == autoscalingv2.ExternalMetricSourceType && m.External != nil:
		var current autoscalingv2.MetricValueStatus
		if found.External != nil {
			current = found.External.Current
		}
		return valueCell(&m.External.Target, &current)
	case m.Type == autoscalingv2.ObjectMetricSourceType && m.Object != nil:
		var current autoscalingv2.MetricValueStatus
		if found.Object != nil {
			current = found.Object.Current
		}
		return valueCell(&m.Object.Target, &current)
	case m.Type == autoscalingv2.PodsMetricSourceType && m.Pods != nil:
		var current autoscalingv2.MetricValueStatus
		if found.Pods != nil {
			current = found.Pods.Current
		}
		return quantityCell(current.AverageValue) + "/" + quantityCell(m.Pods.Target.AverageValue)
	case m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil:
		var current autoscalingv2.MetricValueStatus
		if found.Resource != nil {
			current = found.Resource.Current
		}
		return m.Resource.Name.String() + ": " + resourceCell(&m.Resource.Target, &current)
	case m.Type == autoscalingv2.ContainerResourceMetricSourceType && m.ContainerResource != nil:
		var current autoscalingv2.MetricValueStatus
		if found.ContainerResource != nil {
			current = found.ContainerResource.Current
		}
		return m.ContainerResource.Name.String() + ": " + resourceCell(&m.ContainerResource.Target, &current)
	}
	return "<unknown type>"
}

func valueCell(target *autoscalingv2.MetricTarget, current *autoscalingv2.MetricValueStatus) string {
	if target.AverageValue != nil {
		return quantityCell(current.AverageValue) + "/" + quantityCell(target.AverageValue) + " (avg)"
	}
	return quantityCell(current.Value) + "/" + quantityCell(target.Value)
}

func resourceCell(target *autoscalingv2.MetricTarget, current *autoscalingv2.MetricValueStatus) string {
	if target.AverageValue != nil {
		return quantityCell(current.AverageValue) + "/" + quantityCell(target.AverageValue)
	}
	return percentCell(current.AverageUtilization, unknown) + "/" + percentCell(target.AverageUtilization, "<auto>")
}

func quantityCell(q *resource.Quantity) string {
	if q == nil {
		return unknown
	}
	return q.String()
}

func percentCell(percent *int32, instead string) string {
	if percent == nil {
		return instead
	}
	return fmt.Sprintf("%d%%", *percent)
}
