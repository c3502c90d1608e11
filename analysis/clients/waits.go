package clients

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// maxWaits is how many things are said that a client waits for.
const maxWaits = 20

// A found is a Wait with its place: what stops a client comes before what may only concern it.
type found struct {
	Wait
	grave int // the gravest is 0
}

// kinds are the Kinds, the gravest first.
var kinds = []Kind{EndedWatch, ConflictLoop, Refused, Throttled, Finalizer, SlowWatch, Unanswered, Gone, Idle}

func grave(k Kind) int { return slices.Index(kinds, k) }

// once is the place of a refusal that was not tried again: after all that goes on.
func once() int { return grave(Gone) }

// waits are what a client waits for.
func (r *Reader) waits(c *client, out *Client, now time.Time) []Wait {
	if w, over := c.ended(out, now); over {
		return []Wait{w}
	}
	var all []found
	all = append(all, r.endedWatches(c, out, now)...)
	all = append(all, r.refusedTries(c, out, now)...)
	all = append(all, r.finalizersLeft(c, out, now)...)
	all = append(all, r.slowWatches(out, now)...)
	all = append(all, r.unanswered(c, now)...)
	if w, gone := c.gone(out, now); gone {
		all = append(all, found{w, grave(Gone)})
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.grave, b.grave) })
	waits := make([]Wait, 0, len(all)+1)
	for _, w := range all[:min(len(all), maxWaits)] {
		waits = append(waits, w.Wait)
	}
	if len(waits) == 0 {
		waits = append(waits, c.idle(out, now))
	}
	if out.Missed > 0 {
		unknown := fmt.Sprintf("%s of all clients were no longer kept when they were read: what they did is not "+
			"known",
			plural(int(out.Missed), "older request"))
		w := &waits[len(waits)-1]
		w.Why = joined(w.Why, unknown)
	}
	return waits
}
