package kinds

import (
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateMetrics checks what an autoscaler looks at. Only metrics that are there without pods can end a rest at zero.
func validateMetrics(s, was *autoscalingv2.HorizontalPodAutoscalerSpec, at *field.Path) field.ErrorList {
	tolerant := was != nil && slices.ContainsFunc(was.Metrics, func(m autoscalingv2.MetricSpec) bool {
		return m.Type == autoscalingv2.ObjectMetricSourceType && m.Object != nil && len(validateReferredVersion(m.Object.DescribedObject, true, at)) > 0
	})
	var errs field.ErrorList
	outside := false
	for i := range s.Metrics {
		m := &s.Metrics[i]
		errs = append(errs, validateMetric(m, tolerant, at.Index(i))...)
		outside = outside || m.Type == autoscalingv2.ObjectMetricSourceType || m.Type == autoscalingv2.ExternalMetricSourceType
	}
	if s.MinReplicas != nil && *s.MinReplicas == 0 && !outside {
		errs = append(errs, field.Forbidden(at, "must specify at least one Object or External metric to support scaling to zero replicas"))
	}
	return errs
}

// A metricSource is one member of a MetricSpec, of which only that of its type may be there.
type metricSource struct {
	of      autoscalingv2.MetricSourceType
	member  string
	present bool
	check   func(at *field.Path) field.ErrorList
}

func metricSources(m *autoscalingv2.MetricSpec, tolerant bool) []metricSource {
	return []metricSource{
		{autoscalingv2.ObjectMetricSourceType, "object", m.Object != nil, func(at *field.Path) field.ErrorList {
			return validateObjectMetric(m.Object, tolerant, at)
		}},
		{autoscalingv2.ExternalMetricSourceType, "external", m.External != nil, func(at *field.Path) field.ErrorList {
			return validateExternalMetric(m.External, at)
		}},
		{autoscalingv2.PodsMetricSourceType, "pods", m.Pods != nil, func(at *field.Path) field.ErrorList {
			return validatePodsMetric(m.Pods, at)
		}},
		{autoscalingv2.ResourceMetricSourceType, "resource", m.Resource != nil, func(at *field.Path) field.ErrorList {
			errs := resourceName(string(m.Resource.Name), at)
			return append(errs, validateResourceTarget(&m.Resource.Target, at.Child("target"))...)
		}},
		{autoscalingv2.ContainerResourceMetricSourceType, "containerResource", m.ContainerResource != nil, func(at *field.Path) field.ErrorList {
			errs := resourceName(string(m.ContainerResource.Name), at)
			if m.ContainerResource.Container == "" {
				errs = append(errs, field.Required(at.Child("container"), "must specify a container"))
			}
			return append(errs, validateResourceTarget(&m.ContainerResource.Target, at.Child("target"))...)
		}},
	}
}

func validateMetric(m *autoscalingv2.MetricSpec, tolerant bool, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if m.Type == "" {
		errs = append(errs, field.Required(at.Child("type"), "must specify a metric source type"))
	}
	errs = append(errs, among(at.Child("type"), m.Type, autoscalingv2.ContainerResourceMetricSourceType,
		autoscalingv2.ExternalMetricSourceType, autoscalingv2.ObjectMetricSourceType, autoscalingv2.PodsMetricSourceType,
		autoscalingv2.ResourceMetricSourceType)...)
	sources := metricSources(m, tolerant)
	present := slices.DeleteFunc(slices.Clone(sources), func(s metricSource) bool { return !s.present })
	if len(present) > 0 {
		errs = append(errs, present[0].check(at.Child(present[0].member))...)
	}
	if i := slices.IndexFunc(sources, func(s metricSource) bool { return s.of == m.Type }); i >= 0 && !sources[i].present {
		errs = append(errs, field.Required(at.Child(sources[i].member), "must populate information for the given metric source"))
	}
	if len(present) < 2 {
		return errs
	}
	for _, s := range present {
		if s.of != m.Type {
			errs = append(errs, field.Forbidden(at.Child(s.member), "must populate the given metric source only"))
		}
	}
	return errs
}

func resourceName(name string, at *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at.Child("name"), "must specify a resource name")}
	}
	return nil
}

func validateObjectMetric(m *autoscalingv2.ObjectMetricSource, tolerant bool, at *field.Path) field.ErrorList {
	errs := validateCrossReference(m.DescribedObject, at.Child("describedObject"))
	if !tolerant {
		errs = append(errs, validateReferredVersion(m.DescribedObject, true, at.Child("describedObject"))...)
	}
	errs = append(errs, validateMetricIdentifier(m.Metric, at.Child("metric"))...)
	errs = append(errs, validateMetricTarget(&m.Target, at.Child("target"))...)
	if m.Target.Value == nil && m.Target.AverageValue == nil {
		errs = append(errs, field.Required(at.Child("target", "averageValue"), "must set either a target value or averageValue"))
	}
	return errs
}

func validateExternalMetric(m *autoscalingv2.ExternalMetricSource, at *field.Path) field.ErrorList {
	errs := validateMetricIdentifier(m.Metric, at.Child("metric"))
	errs = append(errs, validateMetricTarget(&m.Target, at.Child("target"))...)
	switch {
	case m.Target.Value == nil && m.Target.AverageValue == nil:
		errs = append(errs, field.Required(at.Child("target", "averageValue"), "must set either a target value for metric or a per-pod target"))
	case m.Target.Value != nil && m.Target.AverageValue != nil:
		errs = append(errs, field.Forbidden(at.Child("target", "value"), "may not set both a target value for metric and a per-pod target"))
	}
	return errs
}

func validatePodsMetric(m *autoscalingv2.PodsMetricSource, at *field.Path) field.ErrorList {
	errs := validateMetricIdentifier(m.Metric, at.Child("metric"))
	errs = append(errs, validateMetricTarget(&m.Target, at.Child("target"))...)
	if m.Target.AverageValue == nil || m.Target.AverageValue.Sign() != 1 {
		errs = append(errs, field.Required(at.Child("target", "averageValue"), "must specify a positive target averageValue"))
	}
	return errs
}

func validateResourceTarget(t *autoscalingv2.MetricTarget, at *field.Path) field.ErrorList {
	errs := validateMetricTarget(t, at)
	switch {
	case t.AverageUtilization == nil && t.AverageValue == nil:
		errs = append(errs, field.Required(at.Child("averageUtilization"), "must set either a target raw value or a target utilization"))
	case t.AverageUtilization != nil && t.AverageValue != nil:
		errs = append(errs, field.Forbidden(at.Child("averageValue"), "may not set both a target raw value and a target utilization"))
	}
	return errs
}

func validateMetricIdentifier(m autoscalingv2.MetricIdentifier, at *field.Path) field.ErrorList {
	return pathSegment(m.Name, "must specify a metric name", at.Child("name"))
}

func validateMetricTarget(t *autoscalingv2.MetricTarget, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch t.Type {
	case "":
		errs = append(errs, field.Required(at.Child("type"), "must specify a metric target type"))
		fallthrough
	default:
		errs = append(errs, field.Invalid(at.Child("type"), t.Type, "must be either Utilization, Value, or AverageValue"))
	case autoscalingv2.UtilizationMetricType, autoscalingv2.ValueMetricType, autoscalingv2.AverageValueMetricType:
	}
	errs = append(errs, positiveQuantity(t.Value, at.Child("value"))...)
	errs = append(errs, positiveQuantity(t.AverageValue, at.Child("averageValue"))...)
	if t.AverageUtilization != nil && *t.AverageUtilization < 1 {
		errs = append(errs, field.Invalid(at.Child("averageUtilization"), t.AverageUtilization, "must be greater than 0"))
	}
	return errs
}

func positiveQuantity(q *resource.Quantity, at *field.Path) field.ErrorList {
	if q == nil || q.Sign() == 1 {
		return nil
	}
	return field.ErrorList{field.Invalid(at, q, "must be positive")}
}
