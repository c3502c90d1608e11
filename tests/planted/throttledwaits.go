package planted

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Clients of client-go send 5 requests a second after the first 10, unless told otherwise. What needs more waits, and no log says so.
var throttledWaits = exercise{
	wrong:  "makes 25 pages with the default rate limit of client-go, 5 requests a second after the first 10",
	mended: "sets QPS and Burst to what it needs",
	plant: func(p *plan) {
		p.config.QPS, p.config.Burst = 0, 0
		p.begin = makePages(25)
	},
	mend: func(p *plan) { p.begin = makePages(25) },
	play: func(ctx context.Context, st *stage) error { return st.create(ctx, "shop") },
}

// makePages makes so many pages, one after the other.
func makePages(n int) func(context.Context, *controller) error {
	return func(ctx context.Context, c *controller) error {
		for i := range n {
			if _, err := c.CoreV1().ConfigMaps(c.namespace).Create(ctx, page(i), metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		return nil
	}
}
