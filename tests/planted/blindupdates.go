package planted

import (
	"context"
	"errors"
)

// An update replaces the whole object. Without a resourceVersion nobody checks that its author has seen what it replaces.
var blindUpdates = exercise{
	wrong:  "updates the Deployment with one built anew, without a resourceVersion",
	mended: "changes its fields in the object that it read, and sends its resourceVersion",
	plant: func(p *plan) {
		p.deployment = func(ctx context.Context, c *controller, s *Site) error {
			is, err := c.storedDeployment(s)
			switch {
			case err != nil:
				return err
			case is == nil:
				return c.createDeployment(ctx, s)
			case is.Spec.Template.Spec.Containers[0].Image == s.Spec.Image:
				return nil
			}
			return c.updateDeployment(ctx, deploymentOf(s))
		}
	},
	play: func(ctx context.Context, st *stage) error {
		for _, name := range []string{"shop", "blog"} {
			err := errors.Join(
				st.create(ctx, name),
				st.patchDeployment(ctx, name, `{"metadata":{"annotations":{"example.com/contact":"alice"}},"spec":{"minReadySeconds":10}}`),
				st.image(ctx, name, "nginx:1.28"))
			if err != nil {
				return err
			}
		}
		return nil
	},
}
