package planted

import (
	"context"
	"fmt"
)

// A write answers with the object as it is stored then, under a new resourceVersion. The copy from before is outdated: the next write
// with it is refused with 409 Conflict, and the round starts again.
var conflicts = exercise{
	wrong:  "writes the labels of a Site, then its status with the copy from before",
	mended: "goes on with the object that the first write returned",
	plant: func(p *plan) {
		p.mark = func(ctx context.Context, c *controller, s *Site) (*Site, error) {
			_, err := mark(ctx, c, s)
			return s, err
		}
	},
	play: func(ctx context.Context, st *stage) error {
		if err := st.create(ctx, "shop"); err != nil {
			return err
		}
		for minor := range 12 {
			if err := st.image(ctx, "shop", fmt.Sprint("nginx:1.", minor)); err != nil {
				return err
			}
		}
		return nil
	},
}
