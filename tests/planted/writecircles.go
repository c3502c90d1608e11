package planted

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A controller is told of its own writes too. A status that is different each time wakes the controller that wrote it, for ever.
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
