package kinds

import (
	"encoding/json"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
)

// targetType is the type of a target in v2, of which v1 knows the values alone.
func targetType(average bool, otherwise autoscalingv2.MetricTargetType) autoscalingv2.MetricTargetType {
	if average {
		return autoscalingv2.AverageValueMetricType
	}
	return otherwise
}

// valueOf is a quantity that v1 always has; it is zero where v2 has none.
func valueOf(q *resource.Quantity) resource.Quantity {
	if q == nil {
		return resource.Quantity{}
	}
	return *q
}

func resourceTarget(utilization *int32, average *resource.Quantity) autoscalingv2.MetricTarget {
	return autoscalingv2.MetricTarget{
		Type:               targetType(utilization == nil, autoscalingv2.UtilizationMetricType),
		AverageUtilization: utilization, AverageValue: average,
	}
}

func metricToV2(m *autoscalingv1.MetricSpec) autoscalingv2.MetricSpec {
	v2 := autoscalingv2.MetricSpec{Type: autoscalingv2.MetricSourceType(m.Type)}
	if o := m.Object; o != nil {
		v2.Object = &autoscalingv2.ObjectMetricSource{
			DescribedObject: autoscalingv2.CrossVersionObjectReference(o.Target),
			Target: autoscalingv2.MetricTarget{
				Type:  targetType(o.AverageValue != nil, autoscalingv2.ValueMetricType),
				Value: &o.TargetValue, AverageValue: o.AverageValue,
			},
			Metric: autoscalingv2.MetricIdentifier{Name: o.MetricName, Selector: o.Selector},
		}
	}
	if p := m.Pods; p != nil {
		v2.Pods = &autoscalingv2.PodsMetricSource{
			Metric: autoscalingv2.MetricIdentifier{Name: p.MetricName, Selector: p.Selector},
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &p.TargetAverageValue},
		}
	}
	if r := m.Resource; r != nil {
		v2.Resource = &autoscalingv2.ResourceMetricSource{Name: r.Name, Target: resourceTarget(r.TargetAverageUtilization, r.TargetAverageValue)}
	}
	if c := m.ContainerResource; c != nil {
		v2.ContainerResource = &autoscalingv2.ContainerResourceMetricSource{
			Name: c.Name, Container: c.Container, Target: resourceTarget(c.TargetAverageUtilization, c.TargetAverageValue),
		}
	}
	if e := m.External; e != nil {
		v2.External = &autoscalingv2.ExternalMetricSource{
			Metric: autoscalingv2.MetricIdentifier{Name: e.MetricName, Selector: e.MetricSelector},
			Target: autoscalingv2.MetricTarget{
				Type:  targetType(e.TargetAverageValue != nil, autoscalingv2.ValueMetricType),
				Value: e.TargetValue, AverageValue: e.TargetAverageValue,
			},
		}
	}
	return v2
}

func metricFromV2(m *autoscalingv2.MetricSpec) autoscalingv1.MetricSpec {
	v1 := autoscalingv1.MetricSpec{Type: autoscalingv1.MetricSourceType(m.Type)}
	if o := m.Object; o != nil {
		v1.Object = &autoscalingv1.ObjectMetricSource{
			Target: autoscalingv1.CrossVersionObjectReference(o.DescribedObject), MetricName: o.Metric.Name,
			TargetValue: valueOf(o.Target.Value), Selector: o.Metric.Selector, AverageValue: o.Target.AverageValue,
		}
	}
	if p := m.Pods; p != nil {
		v1.Pods = &autoscalingv1.PodsMetricSource{
			MetricName: p.Metric.Name, Selector: p.Metric.Selector, TargetAverageValue: valueOf(p.Target.AverageValue),
		}
	}
	if r := m.Resource; r != nil {
		v1.Resource = &autoscalingv1.ResourceMetricSource{
			Name: r.Name, TargetAverageUtilization: r.Target.AverageUtilization, TargetAverageValue: r.Target.AverageValue,
		}
	}
	if c := m.ContainerResource; c != nil {
		v1.ContainerResource = &autoscalingv1.ContainerResourceMetricSource{
			Name: c.Name, Container: c.Container,
			TargetAverageUtilization: c.Target.AverageUtilization, TargetAverageValue: c.Target.AverageValue,
		}
	}
	if e := m.External; e != nil {
		v1.External = &autoscalingv1.ExternalMetricSource{
			MetricName: e.Metric.Name, MetricSelector: e.Metric.Selector,
			TargetValue: e.Target.Value, TargetAverageValue: e.Target.AverageValue,
		}
	}
	return v1
}

func metricStatusToV2(m *autoscalingv1.MetricStatus) autoscalingv2.MetricStatus {
	v2 := autoscalingv2.MetricStatus{Type: autoscalingv2.MetricSourceType(m.Type)}
	if o := m.Object; o != nil {
		v2.Object = &autoscalingv2.ObjectMetricStatus{
			Metric:          autoscalingv2.MetricIdentifier{Name: o.MetricName, Selector: o.Selector},
			Current:         autoscalingv2.MetricValueStatus{Value: &o.CurrentValue, AverageValue: o.AverageValue},
			DescribedObject: autoscalingv2.CrossVersionObjectReference(o.Target),
		}
	}
	if p := m.Pods; p != nil {
		v2.Pods = &autoscalingv2.PodsMetricStatus{
			Metric:  autoscalingv2.MetricIdentifier{Name: p.MetricName, Selector: p.Selector},
			Current: autoscalingv2.MetricValueStatus{AverageValue: &p.CurrentAverageValue},
		}
	}
	if r := m.Resource; r != nil {
		v2.Resource = &autoscalingv2.ResourceMetricStatus{Name: r.Name, Current: autoscalingv2.MetricValueStatus{
			AverageValue: &r.CurrentAverageValue, AverageUtilization: r.CurrentAverageUtilization,
		}}
	}
	if c := m.ContainerResource; c != nil {
		v2.ContainerResource = &autoscalingv2.ContainerResourceMetricStatus{
			Name: c.Name, Container: c.Container, Current: autoscalingv2.MetricValueStatus{
				AverageValue: &c.CurrentAverageValue, AverageUtilization: c.CurrentAverageUtilization,
			},
		}
	}
	if e := m.External; e != nil {
		v2.External = &autoscalingv2.ExternalMetricStatus{
			Metric:  autoscalingv2.MetricIdentifier{Name: e.MetricName, Selector: e.MetricSelector},
			Current: autoscalingv2.MetricValueStatus{Value: &e.CurrentValue, AverageValue: e.CurrentAverageValue},
		}
	}
	return v2
}

func metricStatusFromV2(m *autoscalingv2.MetricStatus) autoscalingv1.MetricStatus {
	v1 := autoscalingv1.MetricStatus{Type: autoscalingv1.MetricSourceType(m.Type)}
	if o := m.Object; o != nil {
		v1.Object = &autoscalingv1.ObjectMetricStatus{
			Target: autoscalingv1.CrossVersionObjectReference(o.DescribedObject), MetricName: o.Metric.Name,
			CurrentValue: valueOf(o.Current.Value), Selector: o.Metric.Selector, AverageValue: o.Current.AverageValue,
		}
	}
	if p := m.Pods; p != nil {
		v1.Pods = &autoscalingv1.PodsMetricStatus{
			MetricName: p.Metric.Name, Selector: p.Metric.Selector, CurrentAverageValue: valueOf(p.Current.AverageValue),
		}
	}
	if r := m.Resource; r != nil {
		v1.Resource = &autoscalingv1.ResourceMetricStatus{
			Name: r.Name, CurrentAverageUtilization: r.Current.AverageUtilization, CurrentAverageValue: valueOf(r.Current.AverageValue),
		}
	}
	if c := m.ContainerResource; c != nil {
		v1.ContainerResource = &autoscalingv1.ContainerResourceMetricStatus{
			Name: c.Name, Container: c.Container,
			CurrentAverageUtilization: c.Current.AverageUtilization, CurrentAverageValue: valueOf(c.Current.AverageValue),
		}
	}
	if e := m.External; e != nil {
		v1.External = &autoscalingv1.ExternalMetricStatus{
			MetricName: e.Metric.Name, MetricSelector: e.Metric.Selector,
			CurrentValue: valueOf(e.Current.Value), CurrentAverageValue: e.Current.AverageValue,
		}
	}
	return v1
}

// The forms in which v1 carries a behavior: those of Kubernetes' internal types, whose members have no JSON names.
type (
	carriedBehavior struct{ ScaleUp, ScaleDown *carriedRules }
	carriedRules    struct {
		StabilizationWindowSeconds *int32
		SelectPolicy               *autoscalingv2.ScalingPolicySelect
		Policies                   []carriedPolicy
		Tolerance                  *resource.Quantity
	}
	carriedPolicy struct {
		Type          autoscalingv2.HPAScalingPolicyType
		Value         int32
		PeriodSeconds int32
	}
)

// behaviorToV2 reads an annotation; nil for one that is not there, says nothing, or does not decode.
func behaviorToV2(text string) *autoscalingv2.HorizontalPodAutoscalerBehavior {
	var b carriedBehavior
	if json.Unmarshal([]byte(text), &b) != nil || b == (carriedBehavior{}) {
		return nil
	}
	return &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: rulesToV2(b.ScaleUp), ScaleDown: rulesToV2(b.ScaleDown)}
}

func rulesToV2(r *carriedRules) *autoscalingv2.HPAScalingRules {
	if r == nil {
		return nil
	}
	v2 := &autoscalingv2.HPAScalingRules{
		StabilizationWindowSeconds: r.StabilizationWindowSeconds, SelectPolicy: r.SelectPolicy, Tolerance: r.Tolerance,
	}
	for _, p := range r.Policies {
		v2.Policies = append(v2.Policies, autoscalingv2.HPAScalingPolicy(p))
	}
	return v2
}

func behaviorFromV2(b *autoscalingv2.HorizontalPodAutoscalerBehavior) *carriedBehavior {
	if b == nil {
		return nil
	}
	return &carriedBehavior{ScaleUp: rulesFromV2(b.ScaleUp), ScaleDown: rulesFromV2(b.ScaleDown)}
}

func rulesFromV2(r *autoscalingv2.HPAScalingRules) *carriedRules {
	if r == nil {
		return nil
	}
	v1 := &carriedRules{StabilizationWindowSeconds: r.StabilizationWindowSeconds, SelectPolicy: r.SelectPolicy, Tolerance: r.Tolerance}
	for _, p := range r.Policies {
		v1.Policies = append(v1.Policies, carriedPolicy(p))
	}
	return v1
}
