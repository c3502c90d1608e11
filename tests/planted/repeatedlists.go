package planted

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
