package conflict

import (
	"fmt"

	"kubarium/flow"
)

// Overwritten is the verdict of a SilentOverwrite.
const Overwritten = "a PUT that names the resourceVersion which it read would have been refused with 409 instead; a patch or an apply of the one field would not have touched the others"

// Verdict says what the comparison of a stale write comes to, and what to do.
func (w *ThreeWay) Verdict(c *flow.Conflict) string {
	switch {
	case !w.Based:
		return fmt.Sprintf("at rv %d this object cannot be read: that revision is compacted, or the object did not exist yet. So it is unknown who changed what: read rv %d and look before writing again", c.Sent, c.Stored)
	case w.Both == 1:
		return "1 field changed on both sides: one value must give way, and only a person or a rule can say which"
	case w.Both > 0:
		return fmt.Sprintf("%d fields changed on both sides: one value must give way, and only a person or a rule can say which", w.Both)
	case w.Asked == 0 && w.Meanwhile == 0:
		return fmt.Sprintf("no field that a client sets differs: only versions or field owners moved on; read rv %d and send it again", c.Stored)
	case w.Asked == 0:
		return "the request changes nothing of its own: sent without the check it would only have undone what was written since then"
	}
	return fmt.Sprintf("no field changed on both sides: reading rv %d again and making the same change keeps both", c.Stored)
}
