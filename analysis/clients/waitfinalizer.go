package clients

import (
	"fmt"
	"strings"
	"time"

	"kubarium/analysis/deletion"
	"kubarium/analysis/lag"
)

// finalizing is how long an object may be terminating before a client is said to wait for it.
const finalizing = 2 * time.Second

// finalizersLeft are the objects that are terminating and have a finalizer of the client, or were deleted by it.
func (r *Reader) finalizersLeft(c *client, out *Client, now time.Time) (all []found) {
	for _, d := range r.deletions.All {
		if d.Ended() || now.Sub(d.Began.At) < finalizing || len(all) >= maxWaits {
			continue
		}
		own, left := r.heldBy(c, d)
		switch {
		case len(own) > 0:
			all = append(all, found{r.ownFinalizer(c, d, own, out, now), grave(Finalizer)})
		case d.Began.Who == c.Tag && len(left) > 0:
			all = append(all, found{r.othersFinalizer(d, left, now), grave(Finalizer)})
		}
	}
	return all
}

// heldBy are the finalizers that are left on an object, and those of them that the client added.
func (r *Reader) heldBy(c *client, d *deletion.Deletion) (own, left []string) {
	for _, h := range d.Holds {
		if !h.Removed.Zero() {
			continue
		}
		left = append(left, h.Name)
		if by := r.putters.has(finalizer{d.Ref, h.Name}); by != nil && by.tag == c.Tag {
			own = append(own, h.Name)
		} else if by == nil && !h.Spec && c.owns(d.WriterOf(h)) {
			own = append(own, h.Name)
		}
	}
	return own, left
}

// ownFinalizer says that the client does not take its own finalizer away.
func (r *Reader) ownFinalizer(c *client, d *deletion.Deletion, own []string, out *Client, now time.Time) Wait {
	w := r.terminating(d, own, now)
	w.What += ", which it added itself"
	if by := r.putters.has(finalizer{d.Ref, own[0]}); by != nil {
		w.What = strings.TrimSuffix(w.What, " itself") + fmt.Sprintf(" itself (#%d)", by.seq)
	}
	w.Why = joined(r.deleter(d), c.sawDeletion(d, out), c.since(d))
	return w
}

// othersFinalizer says that an object which the client deleted is held by others.
func (r *Reader) othersFinalizer(d *deletion.Deletion, left []string, now time.Time) Wait {
	w := r.terminating(d, left, now)
	w.What = strings.Replace(w.What, " is ", ", which it deleted, is ", 1)
	var by []string
	for _, name := range left {
		switch p := r.putters.has(finalizer{d.Ref, name}); {
		case p != nil:
			by = append(by, fmt.Sprintf("%s was added by %s (#%d)", name, p.tag, p.seq))
		case name == "foregroundDeletion":
			by = append(by, name+" stays until its dependents are gone")
		case name == "kubernetes":
			by = append(by, name+" stays until everything in the namespace is gone")
		default:
			for _, h := range d.Holds {
				if m := d.WriterOf(h); h.Name == name && m != "" {
					by = append(by, name+" was last written by "+m)
				}
			}
		}
	}
	w.Why = joined(by...)
	return w
}

// terminating says what is not gone, and since when.
func (r *Reader) terminating(d *deletion.Deletion, names []string, now time.Time) Wait {
	names = names[:min(len(names), maxNamed)]
	return Wait{
		Kind: Finalizer, Since: d.Began.At, Seq: d.Began.Seq,
		What: fmt.Sprintf("%s is terminating for %s and waits for the finalizer %s",
			nameOfObject(d.Ref.Resource, d.Ref.Namespace, d.Ref.Name), span(now.Sub(d.Began.At)), listed(names)),
	}
}

func (r *Reader) deleter(d *deletion.Deletion) string {
	if d.Late || d.Began.Seq == 0 {
		return ""
	}
	return fmt.Sprintf("%s deleted it (rv %d, #%d)", d.Began.Who, d.Began.Revision, d.Began.Seq)
}

// sawDeletion says whether a watch of the client has been sent the deletion.
func (c *client) sawDeletion(d *deletion.Deletion, out *Client) string {
	of := scopeOf(d.Ref.Resource, d.Ref.Namespace, d.Ref.Name)
	say := fmt.Sprintf("it does not watch %s", short(d.Ref.Resource))
	for i := range out.Watches {
		w := out.Watches[i].Watch
		if k := streamOf(w.Target, w.Query); !k.Covers(of) {
			continue
		}
		s := w.State()
		sent := lag.Reached(w, s) >= d.Began.Revision
		switch {
		case sent && lag.Selects(w):
			say = fmt.Sprintf("its watch of %s has passed rv %d: it was sent the deletion if its selector takes "+
				"the object",
				nameOfWatch(w), d.Began.Revision)
		case sent:
			return fmt.Sprintf("its watch of %s was sent the deletion", nameOfWatch(w))
		case s.Ended.IsZero():
			say = fmt.Sprintf("its watch of %s has not been sent the deletion yet", nameOfWatch(w))
		default:
			say = fmt.Sprintf("its watch of %s ended before the deletion", nameOfWatch(w))
		}
	}
	return say
}

// since says what the client has done to the object since its deletion began.
func (c *client) since(d *deletion.Deletion) string {
	o := c.objects.has(d.Ref)
	if o != nil && o.Wrote != 0 && o.WroteAt.After(d.Began.At) && o.Wrote != d.Began.Seq {
		return fmt.Sprintf("it has written the object since (#%d, %d), and left the finalizer", o.Wrote, o.Status)
	}
	if o != nil && o.Read != 0 && o.ReadAt.After(d.Began.At) {
		return fmt.Sprintf("it has read the object since (#%d), and not written it", o.Read)
	}
	return "it has sent nothing about it since"
}

func scopeOf(resource, namespace, name string) lag.Scope {
	return lag.Scope{Resource: resource, Namespace: namespace, Name: name}
}
