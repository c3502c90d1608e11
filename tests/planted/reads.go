package planted

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// The informer holds all Deployments already, and hears of each change. A list asks the server for all of them again.
var repeatedLists = exercise{
	wrong:  "lists all Deployments in each round to find one",
	mended: "looks into the informer's store",
	plant: func(p *plan) {
		p.deployment = func(ctx context.Context, c *controller, s *Site) error {
			all, err := c.AppsV1().Deployments(s.Namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			for _, d := range all.Items {
				if d.Name != s.Name {
					continue
				}
				if want := fitted(&d, s); want.Spec.Template.Spec.Containers[0].Image != d.Spec.Template.Spec.Containers[0].Image {
					return c.updateDeployment(ctx, want)
				}
				return nil
			}
			return c.createDeployment(ctx, s)
		}
	},
	play: life,
}

// A list without a limit is built in the server's memory as a whole, and again in the client's.
var wholeLists = exercise{
	wrong:   "lists all pages at once, whenever a Site has changed",
	mended:  "lists them in chunks, by limit and continue",
	prepare: publish(600),
	plant: func(p *plan) {
		p.service = perChange(func(ctx context.Context, c *controller) error {
			_, err := c.CoreV1().ConfigMaps(c.namespace).List(ctx, metav1.ListOptions{})
			return err
		})
	},
	mend: func(p *plan) { p.service = perChange(readPages) },
	play: func(ctx context.Context, st *stage) error {
		return errors.Join(st.create(ctx, "shop"), st.image(ctx, "shop", "nginx:1.28"), st.image(ctx, "shop", "nginx:1.29"))
	},
}

// perChange keeps the Service, and reads the pages once for each change of a Site.
func perChange(read func(context.Context, *controller) error) func(context.Context, *controller, *Site) error {
	return func(ctx context.Context, c *controller, s *Site) error {
		if s.Status.ObservedGeneration != s.Generation {
			if err := read(ctx, c); err != nil {
				return err
			}
		}
		return keepService(ctx, c, s)
	}
}

// A watch reports a change when it happens. A client that polls pays for each request, and still learns of it late.
var polling = exercise{
	wrong:  "asks for the Deployment every 50 ms until it is rolled out",
	mended: "ends its round; the informer's event about the Deployment begins another",
	plant: func(p *plan) {
		p.status = func(ctx context.Context, c *controller, s *Site) error {
			rolledOut := func(ctx context.Context) (bool, error) {
				c.count("polls")
				d, err := c.AppsV1().Deployments(s.Namespace).Get(ctx, s.Name, metav1.GetOptions{})
				return err == nil && d.Status.ObservedGeneration == d.Generation, err
			}
			if err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, rolledOut); err != nil {
				return err
			}
			return report(ctx, c, s)
		}
	},
	mend: func(p *plan) {
		p.status = func(ctx context.Context, c *controller, s *Site) error {
			if d, err := c.storedDeployment(s); err != nil || d == nil || d.Status.ObservedGeneration != d.Generation {
				return err
			}
			return report(ctx, c, s)
		}
	},
	play: func(ctx context.Context, st *stage) error {
		if err := st.plantSite(ctx, "shop"); err != nil {
			return err
		}
		if err := st.control.settle(ctx, st.control.reached("polls", 25)); err != nil {
			return err
		}
		return st.patchDeployment(ctx, "shop", `{"status":{"observedGeneration":1}}`, "status")
	},
}
