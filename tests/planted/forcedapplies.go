package planted

import (
	"context"
	"errors"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
)

// An apply says which fields somebody cares about. With force it takes fields that others have set since, and their values are lost.
var forcedApplies = exercise{
	wrong:  "applies the replicas too, by force, after somebody has scaled the Deployment",
	mended: "applies without force, and leaves out replicas that others have set",
	plant: func(p *plan) {
		p.deployment = func(ctx context.Context, c *controller, s *Site) error {
			return applyDeployment(ctx, c, s, true, func(*appsv1.Deployment) bool { return true })
		}
	},
	mend: func(p *plan) {
		p.deployment = func(ctx context.Context, c *controller, s *Site) error {
			return applyDeployment(ctx, c, s, false, ownsReplicas)
		}
	},
	play: func(ctx context.Context, st *stage) error {
		if err := st.create(ctx, "shop"); err != nil {
			return err
		}
		for _, tag := range []string{"1.28", "1.29", "1.30"} {
			if err := errors.Join(st.scale(ctx, st.person, "shop", 5), st.control.settle(ctx), st.image(ctx, "shop", "nginx:"+tag)); err != nil {
				return err
			}
		}
		return nil
	},
}

// applyDeployment applies the Deployment when its image has changed.
func applyDeployment(ctx context.Context, c *controller, s *Site, force bool, mine func(*appsv1.Deployment) bool) error {
	is, err := c.storedDeployment(s)
	if err != nil || is != nil && equality.Semantic.DeepEqual(is.Spec.Template, fitted(is, s).Spec.Template) {
		return err
	}
	d := deploymentApply(s)
	if is == nil || mine(is) {
		d.Spec.WithReplicas(*s.Spec.Replicas)
	}
	return c.putDeployment(c.AppsV1().Deployments(s.Namespace).Apply(ctx, d, metav1.ApplyOptions{FieldManager: fieldOwner, Force: force}))
}

// ownsReplicas reports whether the controller is the one that has set the replicas.
func ownsReplicas(d *appsv1.Deployment) bool {
	for _, m := range d.ManagedFields {
		if m.Manager == fieldOwner && m.Operation == metav1.ManagedFieldsOperationApply && strings.Contains(string(m.FieldsV1.GetRawBytes()), `"f:replicas"`) {
			return true
		}
	}
	return false
}

// deploymentApply is deploymentOf as an apply configuration, without replicas.
func deploymentApply(s *Site) *applyappsv1.DeploymentApplyConfiguration {
	labels, owner := map[string]string{siteLabel: s.Name}, metaOf(s).OwnerReferences[0]
	return applyappsv1.Deployment(s.Name, s.Namespace).
		WithLabels(labels).
		WithOwnerReferences(applymetav1.OwnerReference().WithAPIVersion(owner.APIVersion).WithKind(owner.Kind).WithName(owner.Name).
			WithUID(owner.UID).WithController(true).WithBlockOwnerDeletion(true)).
		WithSpec(applyappsv1.DeploymentSpec().
			WithSelector(applymetav1.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(applycorev1.PodTemplateSpec().WithLabels(labels).
				WithSpec(applycorev1.PodSpec().WithContainers(applycorev1.Container().WithName("web").WithImage(s.Spec.Image)))))
}
