package bootstrap

import (
	"context"
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	official "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	flowcontrolapply "k8s.io/client-go/applyconfigurations/flowcontrol/v1"
	flowcontrolinformers "k8s.io/client-go/informers/flowcontrol/v1"
	flowcontrollisters "k8s.io/client-go/listers/flowcontrol/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/ensurer"
)

// flowControl keeps the FlowSchemas and PriorityLevelConfigurations of flow control, and notes in the status of each
// FlowSchema whether its level exists.
func (b *Bootstrap) flowControl() *task {
	of := flowcontrolv1.SchemeGroupVersion.WithResource
	schemas := flowcontrolinformers.NewFlowSchemaInformer(b.api, 0, cache.Indexers{})
	levels := flowcontrolinformers.NewPriorityLevelConfigurationInformer(b.api, 0, cache.Indexers{})
	f := &flowControl{
		b: b, schemas: flowcontrollisters.NewFlowSchemaLister(schemas.GetIndexer()),
		levels: flowcontrollisters.NewPriorityLevelConfigurationLister(levels.GetIndexer()),
	}
	return &task{
		name:   "flow control",
		kinds:  []schema.GroupVersionResource{of("flowschemas"), of("prioritylevelconfigurations")},
		watch:  []cache.SharedIndexInformer{schemas, levels},
		ensure: f.ensure,
	}
}

type flowControl struct {
	b       *Bootstrap
	schemas flowcontrollisters.FlowSchemaLister
	levels  flowcontrollisters.PriorityLevelConfigurationLister
}

func (f *flowControl) ensure(ctx context.Context) error {
	api := f.b.api.FlowcontrolV1()
	levels := ensurer.NewPriorityLevelConfigurationOps(api.PriorityLevelConfigurations(), f.levels)
	schemas := ensurer.NewFlowSchemaOps(api.FlowSchemas(), f.schemas)
	if err := ensurer.EnsureConfigurations(ctx, levels, official.SuggestedPriorityLevelConfigurations, ensurer.NewSuggestedEnsureStrategy[*flowcontrolv1.PriorityLevelConfiguration]()); err != nil {
		return err
	}
	if err := ensurer.EnsureConfigurations(ctx, schemas, official.SuggestedFlowSchemas, ensurer.NewSuggestedEnsureStrategy[*flowcontrolv1.FlowSchema]()); err != nil {
		return err
	}
	if err := ensurer.EnsureConfigurations(ctx, levels, official.MandatoryPriorityLevelConfigurations, ensurer.NewMandatoryEnsureStrategy[*flowcontrolv1.PriorityLevelConfiguration]()); err != nil {
		return err
	}
	if err := ensurer.EnsureConfigurations(ctx, schemas, official.MandatoryFlowSchemas, ensurer.NewMandatoryEnsureStrategy[*flowcontrolv1.FlowSchema]()); err != nil {
		return err
	}
	if err := ensurer.RemoveUnwantedObjects(ctx, schemas, slices.Concat(official.MandatoryFlowSchemas, official.SuggestedFlowSchemas)); err != nil {
		return err
	}
	if err := ensurer.RemoveUnwantedObjects(ctx, levels, slices.Concat(official.MandatoryPriorityLevelConfigurations, official.SuggestedPriorityLevelConfigurations)); err != nil {
		return err
	}
	return f.setDangling(ctx)
}

// setDangling corrects the condition Dangling of FlowSchemas.
func (f *flowControl) setDangling(ctx context.Context) error {
	schemas, levels, err := f.all(ctx)
	if err != nil {
		return err
	}
	return each(ctx, schemas, func(ctx context.Context, s *flowcontrolv1.FlowSchema) error {
		want := dangling(s.Spec.PriorityLevelConfiguration.Name, levels[s.Spec.PriorityLevelConfiguration.Name])
		says := func(c flowcontrolv1.FlowSchemaCondition) bool {
			return c.Type == want.Type && c.Status == want.Status && c.Reason == want.Reason && c.Message == want.Message
		}
		if slices.ContainsFunc(s.Status.Conditions, says) {
			return nil
		}
		apply := flowcontrolapply.FlowSchema(s.Name).WithStatus(flowcontrolapply.FlowSchemaStatus().WithConditions(
			flowcontrolapply.FlowSchemaCondition().WithType(want.Type).WithStatus(want.Status).WithReason(want.Reason).
				WithMessage(want.Message).WithLastTransitionTime(metav1.Now())))
		_, err := f.b.api.FlowcontrolV1().FlowSchemas().ApplyStatus(ctx, apply, metav1.ApplyOptions{FieldManager: "api-priority-and-fairness-config-consumer-v1", Force: true})
		return ignore(err, apierrors.IsNotFound)
	})
}

// all returns the FlowSchemas and the names of the levels. They are read from the server where the watches do not have
// new ones yet.
func (f *flowControl) all(ctx context.Context) (schemas []*flowcontrolv1.FlowSchema, levels map[string]bool, err error) {
	levels = map[string]bool{}
	if !f.lacks() {
		schemas, err = f.schemas.List(labels.Everything())
		known, _ := f.levels.List(labels.Everything()) // of what is in memory
		for _, l := range known {
			levels[l.Name] = true
		}
		return schemas, levels, err
	}
	list, err := f.b.api.FlowcontrolV1().FlowSchemas().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, err
	}
	for i := range list.Items {
		schemas = append(schemas, &list.Items[i])
	}
	all, err := f.b.api.FlowcontrolV1().PriorityLevelConfigurations().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, err
	}
	for _, l := range all.Items {
		levels[l.Name] = true
	}
	return schemas, levels, nil
}

// lacks reports whether the watches lack any of the bootstrap objects.
func (f *flowControl) lacks() bool {
	return slices.ContainsFunc(slices.Concat(official.MandatoryFlowSchemas, official.SuggestedFlowSchemas), func(s *flowcontrolv1.FlowSchema) bool {
		_, err := f.schemas.Get(s.Name)
		return err != nil
	}) || slices.ContainsFunc(slices.Concat(official.MandatoryPriorityLevelConfigurations, official.SuggestedPriorityLevelConfigurations), func(l *flowcontrolv1.PriorityLevelConfiguration) bool {
		_, err := f.levels.Get(l.Name)
		return err != nil
	})
}

func dangling(level string, found bool) flowcontrolv1.FlowSchemaCondition {
	if found {
		return flowcontrolv1.FlowSchemaCondition{
			Type: flowcontrolv1.FlowSchemaConditionDangling, Status: flowcontrolv1.ConditionFalse, Reason: "Found",
			Message: fmt.Sprintf("This FlowSchema references the PriorityLevelConfiguration object named %q and it exists", level),
		}
	}
	return flowcontrolv1.FlowSchemaCondition{
		Type: flowcontrolv1.FlowSchemaConditionDangling, Status: flowcontrolv1.ConditionTrue, Reason: "NotFound",
		Message: fmt.Sprintf("This FlowSchema references the PriorityLevelConfiguration object named %q but there is no such object", level),
	}
}
