package planted

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A kind with a status subresource takes its status there alone. The main resource answers 200, and leaves the status as it was.
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
