package planted

import (
	"context"
)

// A bookmark says how far the server is, even when nothing happens that concerns the watch. Without one, a watch of
// what seldom changes goes on from an old version; once that is compacted it gets a 410, and has to list again.
var noBookmarks = exercise{
	wrong:   "watches its settings without bookmarks",
	mended:  "allows bookmarks, and goes on from the last one",
	prepare: configure,
	plant:   func(p *plan) { p.begin = follows(&follower{}) },
	mend:    func(p *plan) { p.begin = follows(&follower{bookmarks: true}) },
	play: func(ctx context.Context, st *stage) error {
		if err := life(ctx, st); err != nil {
			return err
		}
		// A fresh watch has a second to live, in which history is compacted; then another goes on.
		if err := st.again(ctx); err != nil {
			return err
		}
		if err := st.compact(ctx); err != nil {
			return err
		}
		return st.again(ctx)
	},
}

// follows lists the settings, and watches them from then on.
func follows(f *follower) func(context.Context, *controller) error {
	return func(ctx context.Context, c *controller) error {
		if err := f.list(ctx, c); err != nil {
			return err
		}
		c.running.Go(func() { f.run(ctx, c) })
		return nil
	}
}

// again waits for the next watch of the settings.
func (st *stage) again(ctx context.Context) error {
	st.control.mu.Lock()
	was := st.control.counts["settings watched"]
	st.control.mu.Unlock()
	return st.control.until(ctx, st.control.reached("settings watched", was+1))
}

// 410 Gone says that a version is not kept any more, and never will be again. A client that asks for it once more gets
// the same answer, and learns of no change until it is restarted.
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
		err := st.control.until(ctx, st.control.reached("refused", 10), st.control.reached("settings listed", 2))
		if err != nil {
			return err
		}
		return st.again(ctx)
	},
}

// checkpoint lists the settings, and watches them from there after a pause: as a program that has kept a version and
// was stopped.
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
