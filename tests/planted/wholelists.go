package planted

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
