package planted

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// A watch tells of a change when it happens. Who asks again and again pays for each question, and still hears of it late.
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
