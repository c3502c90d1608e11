package planted

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An object with a finalizer is deleted when its last finalizer is removed. The client that adds one must remove it.
var finalizersLeft = exercise{
	wrong:  "skips Sites that are deleted, and never removes its finalizer",
	mended: "removes its finalizer from a Site that is deleted",
	plant: func(p *plan) {
		p.release = func(_ context.Context, c *controller, _ *Site) error {
			c.count("skipped")
			return nil
		}
	},
	play: func(ctx context.Context, st *stage) error {
		if err := life(ctx, st); err != nil {
			return err
		}
		return st.remove(ctx, "shop", st.control.reached("skipped", 1))
	},
	after: comeBack(32 * time.Second),
}

// The garbage collector asks for the owner by the apiVersion and kind of the reference. Where these are not served it
// cannot know whether the owner is gone, and leaves the dependent.
var ownersLeft = exercise{
	wrong:  "names the Site as owner by an apiVersion that is not served any more",
	mended: "names it by the version that it reads it in",
	plant: func(p *plan) {
		p.deployment = func(ctx context.Context, c *controller, s *Site) error {
			if is, err := c.storedDeployment(s); err != nil || is != nil {
				return err
			}
			d := deploymentOf(s)
			d.OwnerReferences[0].APIVersion = group.Group + "/v1beta1"
			return c.putDeployment(c.AppsV1().Deployments(s.Namespace).Create(ctx, d, metav1.CreateOptions{}))
		}
	},
	play: func(ctx context.Context, st *stage) error {
		for _, name := range []string{"shop", "blog"} {
			if err := st.create(ctx, name); err != nil {
				return err
			}
			if err := st.remove(ctx, name, st.staleOwner(name)); err != nil {
				return err
			}
		}
		return nil
	},
	after: comeBack(12 * time.Second),
}

// staleOwner returns whether a Site and its Service are gone, and its Deployment has an owner that cannot be found.
func (st *stage) staleOwner(name string) func() bool {
	gone, served := st.control.gone(st.key("Site", name)), st.control.gone(st.key("Service", name))
	return func() bool {
		stored, exists, err := st.control.deployments.GetStore().GetByKey(st.person.namespace + "/" + name)
		return err == nil && exists && gone() && served() &&
			stored.(*appsv1.Deployment).OwnerReferences[0].APIVersion != group.String()
	}
}

// remove deletes a Site and waits until it and what belongs to it is gone, or until it is seen that something stays.
func (st *stage) remove(ctx context.Context, name string, stays func() bool) error {
	if err := st.person.sites.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	all := func() bool {
		for _, kind := range []string{"Site", "Deployment", "Service"} {
			if !st.control.gone(st.key(kind, name))() {
				return false
			}
		}
		return st.control.rests()
	}
	return st.control.until(ctx, all, stays)
}
