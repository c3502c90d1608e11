package controllers

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const flowControlPath = "/apis/flowcontrol.apiserver.k8s.io/v1"

// A danglingTeller tells on each FlowSchema whether the priority level that it names exists.
type danglingTeller struct {
	Client
	log     *slog.Logger
	schemas table[flowcontrolv1.FlowSchema]
	levels  table[metav1.PartialObjectMetadata]
}

func (d *danglingTeller) run(ctx context.Context) {
	d.review(ctx, d.log, map[string]func(event){
		flowControlPath + "/flowschemas":                 d.schemas.take,
		flowControlPath + "/prioritylevelconfigurations": d.levels.take,
	}, d.tell)
}

func (d *danglingTeller) tell(ctx context.Context) error {
	for _, schema := range d.schemas.all() {
		_, found := d.levels.get(schema.Spec.PriorityLevelConfiguration.Name)
		want := dangling(schema.Spec.PriorityLevelConfiguration.Name, found)
		says := func(c flowcontrolv1.FlowSchemaCondition) bool {
			return c.Type == want.Type && c.Status == want.Status && c.Reason == want.Reason && c.Message == want.Message
		}
		if slices.ContainsFunc(schema.Status.Conditions, says) {
			continue
		}
		want.LastTransitionTime = metav1.NewTime(time.Now().UTC().Truncate(time.Second))
		err := d.apply(ctx, flowControlPath+"/flowschemas/"+schema.Name+"/status", "api-priority-and-fairness-config-consumer-v1", map[string]any{
			"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema",
			"metadata": map[string]any{"name": schema.Name},
			"status":   flowcontrolv1.FlowSchemaStatus{Conditions: []flowcontrolv1.FlowSchemaCondition{want}},
		})
		if err != nil && !isNotFound(err) {
			return err
		}
	}
	return nil
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
