package kinds

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// What a HorizontalPodAutoscaler does that does not say otherwise (reference of HorizontalPodAutoscalerBehavior).
const (
	defaultCPUUtilization = 80  // percent of the requests
	scalingPeriod         = 15  // seconds
	scalingUpPods         = 4   // at most this many more in a period,
	scalingUpPercent      = 100 // or this much more, whatever is larger
	scalingDownPercent    = 100
)

// horizontalPodAutoscaler is the row of HorizontalPodAutoscaler in autoscaling/v2, the form in which all are kept.
func horizontalPodAutoscaler() *Kind {
	return &Kind{
		GroupVersionKind:     autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"),
		Resource:             "horizontalpodautoscalers",
		Singular:             "horizontalpodautoscaler",
		ShortNames:           []string{"hpa"},
		Categories:           []string{"all"},
		Namespaced:           true,
		New:                  func() runtime.Object { return &autoscalingv2.HorizontalPodAutoscaler{} },
		NewList:              func() runtime.Object { return &autoscalingv2.HorizontalPodAutoscalerList{} },
		UnconditionalUpdate:  true,
		Status:               true,
		Generation:           true,
		Default:              defaultAutoscaler,
		ValidateCreate:       validateAutoscaler,
		ValidateUpdate:       validateAutoscalerUpdate,
		ValidateStatusUpdate: validateAutoscalerStatusUpdate,
		Printer:              table.Printer{Columns: autoscalerColumns(), Cells: autoscalerCells},
	}
}

func defaultAutoscaler(obj runtime.Object) {
	s := &obj.(*autoscalingv2.HorizontalPodAutoscaler).Spec
	orDefault(&s.MinReplicas, 1)
	if len(s.Metrics) == 0 {
		s.Metrics = []autoscalingv2.MetricSpec{cpuUtilization(defaultCPUUtilization)}
	}
	if s.Behavior != nil {
		defaultScalingRules(&s.Behavior.ScaleUp, scalingUpRules())
		defaultScalingRules(&s.Behavior.ScaleDown, scalingDownRules())
	}
}

// cpuUtilization is the metric that the first version of the kind knew alone.
func cpuUtilization(percent int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{
		Type: autoscalingv2.ResourceMetricSourceType,
		Resource: &autoscalingv2.ResourceMetricSource{
			Name:   corev1.ResourceCPU,
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent},
		},
	}
}

func scalingUpRules() autoscalingv2.HPAScalingRules {
	return autoscalingv2.HPAScalingRules{
		StabilizationWindowSeconds: new(int32),
		SelectPolicy:               new(autoscalingv2.MaxChangePolicySelect),
		Policies: []autoscalingv2.HPAScalingPolicy{
			{Type: autoscalingv2.PodsScalingPolicy, Value: scalingUpPods, PeriodSeconds: scalingPeriod},
			{Type: autoscalingv2.PercentScalingPolicy, Value: scalingUpPercent, PeriodSeconds: scalingPeriod},
		},
	}
}

// scalingDownRules leave the window to a flag of the controller.
func scalingDownRules() autoscalingv2.HPAScalingRules {
	return autoscalingv2.HPAScalingRules{
		SelectPolicy: new(autoscalingv2.MaxChangePolicySelect),
		Policies: []autoscalingv2.HPAScalingPolicy{
			{Type: autoscalingv2.PercentScalingPolicy, Value: scalingDownPercent, PeriodSeconds: scalingPeriod},
		},
	}
}

// defaultScalingRules fills what rules leave open. An empty list of policies is a choice, and refused later.
func defaultScalingRules(rules **autoscalingv2.HPAScalingRules, instead autoscalingv2.HPAScalingRules) {
	orDefault(rules, autoscalingv2.HPAScalingRules{})
	r := *rules
	if r.StabilizationWindowSeconds == nil {
		r.StabilizationWindowSeconds = instead.StabilizationWindowSeconds
	}
	if r.SelectPolicy == nil {
		r.SelectPolicy = instead.SelectPolicy
	}
	if r.Policies == nil {
		r.Policies = instead.Policies
	}
}
