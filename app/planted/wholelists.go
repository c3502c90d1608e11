package planted

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A list without a limit is built in the server's memory as a whole, and again in the client's.
var wholeLists = exercise{
	wrong:   "lists all pages at once",
	mended:  "lists them in chunks, by limit and continue",
	prepare: publish(1200),
	plant: func(p *plan) {
		p.begin = func(ctx context.Context, c *controller) error {
			_, err := c.CoreV1().ConfigMaps(c.namespace).List(ctx, metav1.ListOptions{})
			return err
		}
	},
	mend: func(p *plan) { p.begin = readPages },
	play: func(ctx context.Context, st *stage) error { return st.create(ctx, "shop") },
}
