package planted

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The garbage collector asks for the owner by the apiVersion and kind of the reference. Where these are not served it cannot know whether
// the owner is gone, and leaves the dependent.
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

// staleOwner returns whether a Site and its Service are gone, and its Deployment has an owner that nobody finds.
func (st *stage) staleOwner(name string) func() bool {
	gone, served := st.control.gone(st.key("Site", name)), st.control.gone(st.key("Service", name))
	return func() bool {
		stored, exists, err := st.control.deployments.GetStore().GetByKey(st.person.namespace + "/" + name)
		return err == nil && exists && stored.(*appsv1.Deployment).OwnerReferences[0].APIVersion != group.String() && gone() && served()
	}
}
