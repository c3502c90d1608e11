package kinds

import (
	"encoding/json"
	"fmt"
	"maps"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The annotations in which autoscaling/v1 carries what it has no fields for.
const (
	metricsAnnotation        = "autoscaling.alpha.kubernetes.io/metrics"
	currentMetricsAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics"
	behaviorAnnotation       = "autoscaling.alpha.kubernetes.io/behavior"
	conditionsAnnotation     = "autoscaling.alpha.kubernetes.io/conditions"
)

// horizontalPodAutoscalerV1 is the row of HorizontalPodAutoscaler in autoscaling/v1. Its objects are kept in the form of v2,
// and checked in it.
func horizontalPodAutoscalerV1(v2 *Kind) *Kind {
	k := *v2
	k.GroupVersionKind = autoscalingv1.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler")
	k.New = func() runtime.Object { return &autoscalingv1.HorizontalPodAutoscaler{} }
	k.NewList = func() runtime.Object { return &autoscalingv1.HorizontalPodAutoscalerList{} }
	k.StoredAs = v2
	k.FromStored = autoscalerFromV2
	k.ToStored = autoscalerToV2
	k.Default = func(obj runtime.Object) { orDefault(&obj.(*autoscalingv1.HorizontalPodAutoscaler).Spec.MinReplicas, 1) }
	k.PrepareForCreate = func(obj runtime.Object) { keepAnnotations(obj, nil, currentMetricsAnnotation, conditionsAnnotation) }
	k.PrepareForUpdate = prepareAutoscalerV1
	k.PrepareForStatusUpdate = func(obj, old runtime.Object) { keepAnnotations(obj, old, metricsAnnotation, behaviorAnnotation) }
	k.ValidateCreate = func(obj runtime.Object) field.ErrorList { return v2.ValidateCreate(asV2(obj)) }
	k.ValidateUpdate = func(obj, old runtime.Object) field.ErrorList { return v2.ValidateUpdate(asV2(obj), asV2(old)) }
	k.ValidateStatusUpdate = func(obj, old runtime.Object) field.ErrorList {
		return v2.ValidateStatusUpdate(asV2(obj), asV2(old))
	}
	k.Printer = autoscalerPrinter(autoscalerToV2)
	return &k
}

// prepareAutoscalerV1 keeps the status in the annotations, and counts a change of the spec in them.
func prepareAutoscalerV1(obj, old runtime.Object) {
	keepAnnotations(obj, old, currentMetricsAnnotation, conditionsAnnotation)
	a, was := asV2(obj).(*autoscalingv2.HorizontalPodAutoscaler), asV2(old).(*autoscalingv2.HorizontalPodAutoscaler)
	if !equality.Semantic.DeepEqual(a.Spec, was.Spec) {
		obj.(*autoscalingv1.HorizontalPodAutoscaler).Generation = was.Generation + 1
	}
}

// keepAnnotations gives obj the annotations of those names that old has, and none if old is nil.
func keepAnnotations(obj, old runtime.Object, names ...string) {
	a := obj.(*autoscalingv1.HorizontalPodAutoscaler)
	var kept map[string]string
	if old != nil {
		kept = old.(*autoscalingv1.HorizontalPodAutoscaler).Annotations
	}
	for _, name := range names {
		value, ok := kept[name]
		switch {
		case !ok:
			delete(a.Annotations, name)
		case a.Annotations == nil:
			a.Annotations = map[string]string{name: value}
		default:
			a.Annotations[name] = value
		}
	}
}

// asV2 is an object as it is kept; the object itself stays as it is.
func asV2(obj runtime.Object) runtime.Object {
	v2, err := autoscalerToV2(obj.DeepCopyObject())
	if err != nil {
		panic(fmt.Sprintf("convert a HorizontalPodAutoscaler: %v", err)) // it errs for another type alone
	}
	return v2
}

// autoscalerToV2 makes the stored form. An annotation that does not decode is dropped.
func autoscalerToV2(obj runtime.Object) (runtime.Object, error) {
	a, ok := obj.(*autoscalingv1.HorizontalPodAutoscaler)
	if !ok {
		return nil, fmt.Errorf("convert to autoscaling/v2: %T is no HorizontalPodAutoscaler of autoscaling/v1", obj)
	}
	v2 := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: a.ObjectMeta,
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference(a.Spec.ScaleTargetRef),
			MinReplicas:    a.Spec.MinReplicas,
			MaxReplicas:    a.Spec.MaxReplicas,
			Metrics:        metricsToV2(a),
			Behavior:       behaviorToV2(a.Annotations[behaviorAnnotation]),
		},
		Status: autoscalingv2.HorizontalPodAutoscalerStatus{
			ObservedGeneration: a.Status.ObservedGeneration,
			LastScaleTime:      a.Status.LastScaleTime,
			CurrentReplicas:    a.Status.CurrentReplicas,
			DesiredReplicas:    a.Status.DesiredReplicas,
			CurrentMetrics:     currentMetricsToV2(a),
		},
	}
	if text := a.Annotations[conditionsAnnotation]; text != "" {
		var conditions []autoscalingv1.HorizontalPodAutoscalerCondition
		if json.Unmarshal([]byte(text), &conditions) == nil {
			for _, c := range conditions {
				v2.Status.Conditions = append(v2.Status.Conditions, autoscalingv2.HorizontalPodAutoscalerCondition{
					Type: autoscalingv2.HorizontalPodAutoscalerConditionType(c.Type), Status: c.Status,
					LastTransitionTime: c.LastTransitionTime, Reason: c.Reason, Message: c.Message,
				})
			}
		}
	}
	v2.Annotations = withoutCarried(a.Annotations)
	return v2, nil
}

// withoutCarried drops the annotations that stand for fields.
func withoutCarried(annotations map[string]string) map[string]string {
	if annotations == nil {
		return nil
	}
	rest := maps.Clone(annotations)
	for _, name := range []string{metricsAnnotation, currentMetricsAnnotation, behaviorAnnotation, conditionsAnnotation} {
		delete(rest, name)
	}
	return rest
}

// metricsToV2 puts the metric that has a field behind the others; one that has nothing watches the CPU.
func metricsToV2(a *autoscalingv1.HorizontalPodAutoscaler) []autoscalingv2.MetricSpec {
	var metrics []autoscalingv2.MetricSpec
	var carried []autoscalingv1.MetricSpec
	if json.Unmarshal([]byte(a.Annotations[metricsAnnotation]), &carried) == nil {
		for i := range carried {
			metrics = append(metrics, metricToV2(&carried[i]))
		}
	}
	if percent := a.Spec.TargetCPUUtilizationPercentage; percent != nil {
		metrics = append(metrics, cpuUtilization(*percent))
	}
	if len(metrics) == 0 {
		return []autoscalingv2.MetricSpec{cpuUtilization(defaultCPUUtilization)}
	}
	return metrics
}

func currentMetricsToV2(a *autoscalingv1.HorizontalPodAutoscaler) []autoscalingv2.MetricStatus {
	var carried []autoscalingv1.MetricStatus
	if json.Unmarshal([]byte(a.Annotations[currentMetricsAnnotation]), &carried) == nil {
		metrics := make([]autoscalingv2.MetricStatus, len(carried))
		for i := range carried {
			metrics[i] = metricStatusToV2(&carried[i])
		}
		return metrics
	}
	if a.Status.CurrentCPUUtilizationPercentage == nil {
		return nil
	}
	return []autoscalingv2.MetricStatus{{
		Type: autoscalingv2.ResourceMetricSourceType,
		Resource: &autoscalingv2.ResourceMetricStatus{
			Name:    corev1.ResourceCPU,
			Current: autoscalingv2.MetricValueStatus{AverageUtilization: a.Status.CurrentCPUUtilizationPercentage},
		},
	}}
}

// autoscalerFromV2 makes the v1 form of a stored object.
func autoscalerFromV2(obj runtime.Object) (runtime.Object, error) {
	v2, ok := obj.(*autoscalingv2.HorizontalPodAutoscaler)
	if !ok {
		return nil, fmt.Errorf("convert to autoscaling/v1: %T is no HorizontalPodAutoscaler of autoscaling/v2", obj)
	}
	a := &autoscalingv1.HorizontalPodAutoscaler{
		ObjectMeta: v2.ObjectMeta,
		Spec: autoscalingv1.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv1.CrossVersionObjectReference(v2.Spec.ScaleTargetRef),
			MinReplicas:    v2.Spec.MinReplicas,
			MaxReplicas:    v2.Spec.MaxReplicas,
		},
		Status: autoscalingv1.HorizontalPodAutoscalerStatus{
			ObservedGeneration: v2.Status.ObservedGeneration,
			LastScaleTime:      v2.Status.LastScaleTime,
			CurrentReplicas:    v2.Status.CurrentReplicas,
			DesiredReplicas:    v2.Status.DesiredReplicas,
		},
	}
	a.Spec.TargetCPUUtilizationPercentage = cpuTarget(v2.Spec.Metrics)
	for i := range v2.Status.CurrentMetrics {
		if m := &v2.Status.CurrentMetrics[i]; isCPU(m.Type, m.Resource != nil && m.Resource.Name == corev1.ResourceCPU) && m.Resource.Current.AverageUtilization != nil {
			a.Status.CurrentCPUUtilizationPercentage = m.Resource.Current.AverageUtilization
		}
	}
	return a, carry(a, v2)
}

func isCPU(of autoscalingv2.MetricSourceType, named bool) bool {
	return of == autoscalingv2.ResourceMetricSourceType && named
}

// cpuTarget is the utilization that the first metric of the CPU wants, nil for none.
func cpuTarget(metrics []autoscalingv2.MetricSpec) *int32 {
	for _, m := range metrics {
		if isCPU(m.Type, m.Resource != nil && m.Resource.Name == corev1.ResourceCPU) {
			return m.Resource.Target.AverageUtilization
		}
	}
	return nil
}

// carry puts what v1 has no fields for into annotations.
func carry(a *autoscalingv1.HorizontalPodAutoscaler, v2 *autoscalingv2.HorizontalPodAutoscaler) error {
	a.Annotations = withoutCarried(v2.Annotations)
	var metrics []autoscalingv1.MetricSpec
	for i := range v2.Spec.Metrics {
		m := &v2.Spec.Metrics[i]
		if !isCPU(m.Type, m.Resource != nil && m.Resource.Name == corev1.ResourceCPU) || m.Resource.Target.AverageUtilization == nil {
			metrics = append(metrics, metricFromV2(m))
		}
	}
	var current []autoscalingv1.MetricStatus
	for i := range v2.Status.CurrentMetrics {
		current = append(current, metricStatusFromV2(&v2.Status.CurrentMetrics[i]))
	}
	var conditions []autoscalingv1.HorizontalPodAutoscalerCondition
	for _, c := range v2.Status.Conditions {
		conditions = append(conditions, autoscalingv1.HorizontalPodAutoscalerCondition{
			Type: autoscalingv1.HorizontalPodAutoscalerConditionType(c.Type), Status: c.Status,
			LastTransitionTime: c.LastTransitionTime, Reason: c.Reason, Message: c.Message,
		})
	}
	for _, c := range []struct {
		name  string
		there bool
		value any
	}{
		{metricsAnnotation, len(metrics) > 0, metrics},
		{currentMetricsAnnotation, len(current) > 0, current},
		{behaviorAnnotation, v2.Spec.Behavior != nil, behaviorFromV2(v2.Spec.Behavior)},
		{conditionsAnnotation, len(conditions) > 0, conditions},
	} {
		if !c.there {
			continue
		}
		text, err := json.Marshal(c.value)
		if err != nil {
			return fmt.Errorf("carry %s: %w", c.name, err)
		}
		if a.Annotations == nil {
			a.Annotations = map[string]string{}
		}
		a.Annotations[c.name] = string(text)
	}
	return nil
}
