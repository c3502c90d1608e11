package registry

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
)

// ApplyScale sets an object's replicas by an apply configuration of its scale (Server-Side Apply). Who owns the replicas
// of the object owns them in the scale too, so that an autoscaler meets those who apply the object.
func (r *Registry) ApplyScale(ctx context.Context, t Target, p Patch, o WriteOptions) (*autoscalingv1.Scale, error) {
	if err := p.read(); err != nil {
		return nil, err
	}
	return r.changeScale(ctx, t, o, "", func(old *autoscalingv1.Scale) (*autoscalingv1.Scale, error) {
		if p.config.Unfit != nil {
			return nil, p.config.Unfit
		}
		config := p.config.Object.DeepCopy()
		named := fmt.Sprintf("%s/%s; %s", config.GetNamespace(), config.GetName(), scaleKind)
		if t.Kind.Scale.ByObject && len(old.ManagedFields) == 0 && config.GetManagedFields() == nil {
			return nil, fmt.Errorf("failed to create manager for existing fields: failed to convert live object (/; %s) to proper version: %w", scaleKind, errScaleOfCustom)
		}
		applied, err := r.Managers.Apply(t.Kind.Scale.Row, t.Subresource, old, config, o.Manager, p.Force)
		if err != nil {
			return nil, err
		}
		served, err := t.Kind.Scale.Row.Served(applied)
		if err != nil {
			return nil, err
		}
		scale := served.(*autoscalingv1.Scale)
		if t.Kind.Scale.ByObject && scale.Spec.Replicas != old.Spec.Replicas {
			return nil, fmt.Errorf("failed to convert new object (%s) to proper version: %w", named, errScaleOfCustom)
		}
		return scale, p.judge(o)
	})
}

// errScaleOfCustom is why an apply cannot change the replicas of a custom resource, in kube-apiserver's words.
var errScaleOfCustom = fmt.Errorf("request to convert CR to an invalid group/version: %s", scaleKind.GroupVersion())
