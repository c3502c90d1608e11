package planted

import "context"

// 410 Gone says that a version is not kept any more, and never will be again. Who asks for it once more gets the same answer, and hears of
// no change until it is restarted.
var expiredVersions = exercise{
	wrong:   "asks for the same version again after a 410",
	mended:  "lists again after a 410, and watches from there",
	prepare: configure,
	plant:   func(p *plan) { p.begin = checkpoint(&follower{bookmarks: true, stubborn: true}) },
	mend:    func(p *plan) { p.begin = checkpoint(&follower{bookmarks: true}) },
	play: func(ctx context.Context, st *stage) error {
		if err := life(ctx, st); err != nil {
			return err
		}
		if err := st.compact(ctx); err != nil {
			return err
		}
		st.control.count("resume")
		if err := st.control.until(ctx, st.control.reached("refused", 10), st.control.reached("settings listed", 2)); err != nil {
			return err
		}
		return st.again(ctx)
	},
}

// checkpoint lists the settings, and watches them from there after a pause: as a program that has kept a version and was stopped.
func checkpoint(f *follower) func(context.Context, *controller) error {
	return func(ctx context.Context, c *controller) error {
		if err := f.list(ctx, c); err != nil {
			return err
		}
		c.running.Go(func() {
			if c.wait(ctx, c.reached("resume", 1)) == nil {
				f.run(ctx, c)
			}
		})
		return nil
	}
}
