package planted

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// One client can keep a server from answering all others. Rate limits of clients are there for that reason.
var bursts = exercise{
	wrong:  "makes 150 pages at its start, by 32 at a time and without a rate limit",
	mended: "makes them one after the other, at 50 a second",
	plant: func(p *plan) {
		p.config.QPS = -1
		p.begin = func(ctx context.Context, c *controller) error {
			return inParallel(32, 150, func(i int) error {
				_, err := c.CoreV1().ConfigMaps(c.namespace).Create(ctx, page(i), metav1.CreateOptions{})
				return err
			})
		}
	},
	mend: func(p *plan) {
		p.config.Burst = 10
		p.begin = makePages(150)
	},
	play: func(ctx context.Context, st *stage) error {
		err := st.create(ctx, "shop")
		st.linger(ctx, 11*time.Second) // what it asks for in the mean is known after a while
		return errors.Join(err, st.image(ctx, "shop", "nginx:1.28"))
	},
}

// Clients of client-go send 5 requests a second after the first 10, unless configured otherwise. A client that needs
// more waits, and no log says so.
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
