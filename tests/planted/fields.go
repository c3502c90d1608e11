package planted

import (
	"context"
	"errors"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// An apply says which fields its manager cares about. With force it takes fields that others have set since, and their
// values are lost.
var forcedApplies = exercise{
	wrong:  "applies the replicas too, by force, after a person has scaled the Deployment",
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
			err := errors.Join(
				st.scale(ctx, st.person, "shop", 5), st.control.settle(ctx), st.image(ctx, "shop", "nginx:"+tag))
			if err != nil {
				return err
			}
		}
		return nil
	},
}

// applyDeployment applies the Deployment when its image has changed.
func applyDeployment(
	ctx context.Context, c *controller, s *Site, force bool, mine func(*appsv1.Deployment) bool,
) error {
	is, err := c.storedDeployment(s)
	if err != nil || is != nil && equality.Semantic.DeepEqual(is.Spec.Template, fitted(is, s).Spec.Template) {
		return err
	}
	d := deploymentApply(s)
	if is == nil || mine(is) {
		d.Spec.WithReplicas(*s.Spec.Replicas)
	}
	o := metav1.ApplyOptions{FieldManager: fieldOwner, Force: force}
	return c.putDeployment(c.AppsV1().Deployments(s.Namespace).Apply(ctx, d, o))
}

// ownsReplicas reports whether the controller is the one that has set the replicas.
func ownsReplicas(d *appsv1.Deployment) bool {
	for _, m := range d.ManagedFields {
		if m.Manager == fieldOwner && m.Operation == metav1.ManagedFieldsOperationApply &&
			strings.Contains(string(m.FieldsV1.GetRawBytes()), `"f:replicas"`) {
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
		WithOwnerReferences(applymetav1.OwnerReference().
			WithAPIVersion(owner.APIVersion).WithKind(owner.Kind).WithName(owner.Name).WithUID(owner.UID).
			WithController(true).WithBlockOwnerDeletion(true)).
		WithSpec(applyappsv1.DeploymentSpec().
			WithSelector(applymetav1.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(applycorev1.PodTemplateSpec().WithLabels(labels).
				WithSpec(applycorev1.PodSpec().WithContainers(applycorev1.Container().WithName("web").WithImage(s.Spec.Image)))))
}

// Two controllers that set one field to different values undo each other's work forever. A field needs one owner.
var foughtFields = exercise{
	wrong:  "sets the replicas back to what the Site says, whenever the autoscaler has changed them",
	mended: "sets them when it creates the Deployment, and leaves them to the autoscaler from then on",
	plant:  func(*plan) {}, // the right way without another scaler is the mistake here
	mend: func(p *plan) {
		p.deployment = func(ctx context.Context, c *controller, s *Site) error {
			if is, err := c.storedDeployment(s); err != nil {
				return err
			} else if is != nil {
				s = s.copy()
				s.Spec.Replicas = nil
			}
			return keepDeployment(ctx, c, s)
		}
	},
	play: func(ctx context.Context, st *stage) error {
		if err := st.autoscale(ctx, 5); err != nil {
			return err
		}
		if err := st.plantSite(ctx, "shop"); err != nil {
			return err
		}
		if err := st.control.until(ctx, st.control.reached("scaled", 1)); err != nil || st.mended {
			return errors.Join(err, st.control.settle(ctx))
		}
		return st.control.until(ctx, st.control.reached("deployments written", 8))
	},
}

// autoscale starts a controller that scales each Deployment to so many replicas.
func (st *stage) autoscale(ctx context.Context, replicas int32) error {
	factory := informers.NewSharedInformerFactoryWithOptions(st.scaler, 0, informers.WithNamespace(st.scaler.namespace))
	i := factory.Apps().V1().Deployments().Informer()
	see := func(obj any) {
		d := obj.(*appsv1.Deployment)
		if ctx.Err() != nil || *d.Spec.Replicas == replicas {
			return
		}
		if err := st.scale(ctx, st.scaler, d.Name, replicas); err == nil {
			st.control.count("scaled")
		}
	}
	handler := cache.ResourceEventHandlerFuncs{AddFunc: see, UpdateFunc: func(_, obj any) { see(obj) }}
	if _, err := i.AddEventHandler(handler); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	st.others.Go(factory.Shutdown)
	if !cache.WaitForCacheSync(ctx.Done(), i.HasSynced) {
		return fmt.Errorf("informers of the autoscaler: %w", context.Cause(ctx))
	}
	return nil
}

// scale sets a Deployment's replicas by its scale subresource.
func (st *stage) scale(ctx context.Context, who *client, name string, replicas int32) error {
	scaled := &autoscalingv1.Scale{} // with the Deployment's own version
	err := who.AppsV1().RESTClient().Patch(types.MergePatchType).
		Namespace(who.namespace).Resource("deployments").Name(name).SubResource("scale").
		Body(fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)).Do(ctx).Into(scaled)
	if err == nil {
		st.control.wrote("Deployment", scaled)
	}
	return err
}
