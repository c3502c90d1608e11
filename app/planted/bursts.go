package planted

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// One client can keep a server from answering all others. Rate limits of clients are there for that reason.
var bursts = exercise{
	wrong:   "reads each page by a request of its own at the start, by 32 at a time and without a rate limit",
	mended:  "reads them all by a few lists",
	prepare: publish(600),
	plant: func(p *plan) {
		p.config.QPS = -1
		p.begin = func(ctx context.Context, c *controller) error {
			return inParallel(32, 600, func(i int) error {
				_, err := c.CoreV1().ConfigMaps(c.namespace).Get(ctx, page(i).Name, metav1.GetOptions{})
				return err
			})
		}
	},
	mend: func(p *plan) { p.begin = readPages },
	play: func(ctx context.Context, st *stage) error { return st.create(ctx, "shop") },
}
