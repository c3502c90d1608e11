package planted

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A write answers with the object as it is stored then, under a new resourceVersion. The copy from before is outdated:
// the next write with it is refused with 409 Conflict, and the round starts again.
var conflicts = exercise{
	wrong:  "writes the labels of a Site, then its status with the copy from before",
	mended: "goes on with the object that the first write returned",
	plant: func(p *plan) {
		p.mark = func(ctx context.Context, c *controller, s *Site) (*Site, error) {
			_, err := mark(ctx, c, s)
			return s, err
		}
	},
	play: func(ctx context.Context, st *stage) error {
		if err := st.create(ctx, "shop"); err != nil {
			return err
		}
		for minor := range 12 {
			if err := st.image(ctx, "shop", fmt.Sprint("nginx:1.", minor)); err != nil {
				return err
			}
		}
		return nil
	},
}

// A write that changes nothing costs a transaction's checks and admission, and more on each resync: for each of
// thousands of objects.
var emptyWrites = exercise{
	wrong:  "writes the Deployment in each round, whether it differs or not",
	mended: "compares first, and writes what differs",
	plant: func(p *plan) {
		p.deployment = func(ctx context.Context, c *controller, s *Site) error {
			is, err := c.storedDeployment(s)
			switch {
			case err != nil:
				return err
			case is == nil:
				return c.createDeployment(ctx, s)
			}
			return c.updateDeployment(ctx, fitted(is, s))
		}
	},
	play: life,
}

// A controller sees its own writes too. A status that is different each time wakes the controller that wrote it,
// forever.
var writeCircles = exercise{
	wrong:  "writes the time of each check into the status, and is woken by that",
	mended: "writes the status only when something else in it differs",
	plant: func(p *plan) {
		p.status = func(ctx context.Context, c *controller, s *Site) error {
			s = s.copy()
			s.Status = SiteStatus{ObservedGeneration: s.Generation, Image: s.Spec.Image, CheckedAt: new(metav1.NowMicro())}
			_, err := c.putSite(c.sites.UpdateStatus(ctx, s, metav1.UpdateOptions{}))
			c.count("checks")
			return err
		}
	},
	play: func(ctx context.Context, st *stage) error {
		if err := st.plantSite(ctx, "shop"); err != nil {
			return err
		}
		return st.control.settle(ctx, st.control.reached("checks", 30))
	},
}

// An update replaces the whole object. Without a resourceVersion no one checks that its author has seen what it
// replaces.
var blindUpdates = exercise{
	wrong:  "updates the Deployment with one built from nothing, without a resourceVersion",
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
				st.patchDeployment(ctx, name,
					`{"metadata":{"annotations":{"example.com/contact":"alice"}},"spec":{"minReadySeconds":10}}`),
				st.image(ctx, name, "nginx:1.28"))
			if err != nil {
				return err
			}
		}
		return nil
	},
}

// An object that is deleted and created again is another one: what it owned goes with the old one.
var recreated = exercise{
	wrong:  "deletes the Deployment and creates it again when the image differs",
	mended: "updates it",
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
			if err := c.AppsV1().Deployments(s.Namespace).Delete(ctx, s.Name, metav1.DeleteOptions{}); err != nil {
				return err
			}
			return c.createDeployment(ctx, s)
		}
	},
	play: life,
}

// A kind with a status subresource takes its status there alone. The main resource answers 200, and leaves the status
// as it was.
var mainStatus = exercise{
	wrong:  "writes the status by an update of the Site",
	mended: "writes it by an update of the Site's status subresource",
	plant: func(p *plan) {
		p.status = func(ctx context.Context, c *controller, s *Site) error {
			s = s.copy()
			s.Status = SiteStatus{ObservedGeneration: s.Generation, Image: s.Spec.Image}
			_, err := c.putSite(c.sites.Update(ctx, s, metav1.UpdateOptions{}))
			return err
		}
	},
	play: life,
}
