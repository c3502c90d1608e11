package planted

import (
	"context"
	"time"
)

// An object with a finalizer is deleted when its last finalizer is removed. Whoever adds one must remove it.
var finalizersLeft = exercise{
	wrong:  "skips Sites that are deleted, and never removes its finalizer",
	mended: "removes its finalizer from a Site that is deleted",
	plant: func(p *plan) {
		p.release = func(_ context.Context, c *controller, _ *Site) error {
			c.count("skipped")
			return nil
		}
	},
	play: func(ctx context.Context, st *stage) error {
		if err := life(ctx, st); err != nil {
			return err
		}
		return st.remove(ctx, "shop", st.control.reached("skipped", 1))
	},
	after: comeBack(32 * time.Second),
}
