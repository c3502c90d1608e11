package planted

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// Two controllers that set one field to different values undo each other's work for ever. A field needs one owner.
var foughtFields = exercise{
	wrong:  "sets the replicas back to what the Site says, whenever the autoscaler has changed them",
	mended: "sets them when it creates the Deployment, and leaves them to the autoscaler from then on",
	plant:  func(*plan) {}, // what is right where nobody else scales is the mistake here
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
	if _, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: see, UpdateFunc: func(_, obj any) { see(obj) }}); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	st.beside.Go(factory.Shutdown)
	if !cache.WaitForCacheSync(ctx.Done(), i.HasSynced) {
		return fmt.Errorf("informers of the autoscaler: %w", context.Cause(ctx))
	}
	return nil
}

// scale sets a Deployment's replicas by its scale subresource.
func (st *stage) scale(ctx context.Context, who *client, name string, replicas int32) error {
	scaled := &autoscalingv1.Scale{} // with the Deployment's own version
	err := who.AppsV1().RESTClient().Patch(types.MergePatchType).Namespace(who.namespace).Resource("deployments").Name(name).SubResource("scale").
		Body(fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)).Do(ctx).Into(scaled)
	if err == nil {
		st.control.wrote("Deployment", scaled)
	}
	return err
}
