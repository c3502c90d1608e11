package clients

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"kubarium/analysis/guard"
	"kubarium/flow"
)

const (
	// manyTries is from how many refusals in a row on a client is in a loop: two are how optimistic locking works.
	manyTries = 3
	// keepOnce is for how long a refusal that was not tried again is spoken of.
	keepOnce = 10 * time.Minute
)

// refusedTries are the requests that were refused, and not accepted since.
func (r *Reader) refusedTries(c *client, out *Client, now time.Time) (all []found) {
	for k, at := range c.attempts.all() {
		t := *at
		if t.Ended {
			continue
		}
		w := Wait{Since: t.began, Seq: t.last.seq}
		switch again := !t.over(now); {
		case again && (t.last.status == 429 || t.last.status == 503) && t.last.retryAfter > 0:
			r.throttled(t, &w)
		case !again:
			if !t.hard() || now.Sub(t.refused) > keepOnce {
				continue
			}
			t.refusedOnce(&w, now)
			all = append(all, found{w, once()})
			continue
		case t.last.status == http.StatusConflict && t.All >= manyTries:
			r.conflictLoop(c, t, out, &w)
		case t.All >= manyTries && !t.expires() && !(t.absent(k) && c.wrote.After(t.began)):
			t.refusedAgain(&w)
		case t.hard():
			t.refusedOnce(&w, now)
			all = append(all, found{w, once()})
			continue
		default:
			continue
		}
		all = append(all, found{w, grave(w.Kind)})
	}
	return all
}

// expires reports whether the refusals are 410s for different versions: the client lists again, as it should.
func (t *tries) expires() bool { return t.last.status == http.StatusGone && !t.sameSent }

// absent reports whether what is read is not there: a client that goes on with other things need not wait for it.
func (t *tries) absent(k attempt) bool {
	return k.class == reads && t.last.status == http.StatusNotFound
}

// hard reports whether the refusal is of a kind that does not go away by itself.
func (t *tries) hard() bool {
	switch t.last.status {
	case 400, 401, 403, 405, 413, 415, 422, 500:
		return true
	case 404: // no such namespace, or nothing is served there
		return t.Verb == "create" || t.Verb == "list" || t.Verb == "watch"
	}
	return false
}

// what names the tries: "12 updates of sites/shop".
func (t *tries) what() string {
	of := nameOfObject(t.Resource, t.Namespace, t.Name)
	if t.Subresource != "" {
		of = t.Subresource + " of " + of
	}
	return of
}

// count is the number of refusals in words: "12 updates".
func (t *tries) count() string {
	verb := t.Verb
	switch verb {
	case "patch", "watch":
		return fmt.Sprintf("%d %ses", t.refusals(), verb)
	case "apply":
		return fmt.Sprintf("%d applies", t.refusals())
	}
	return plural(t.refusals(), verb)
}

// pauses are the delays between the tries, "5 ms, 10 ms, 20 ms"; "" if there are none.
func (t *tries) pauses() string {
	if len(t.waits) == 0 {
		return ""
	}
	var parts []string
	few := t.waits[max(0, len(t.waits)-maxNamed):]
	for _, d := range few {
		parts = append(parts, span(d))
	}
	if len(few) == 1 {
		return "it waited " + parts[0] + " before it sent it again"
	}
	return "between the last tries it waited " + listed(parts)
}

// conflictLoop says why writes are refused with 409 again and again.
func (r *Reader) conflictLoop(c *client, t *tries, out *Client, w *Wait) {
	w.Kind = ConflictLoop
	head := fmt.Sprintf("%s of %s were refused with 409 in a row", t.count(), t.what())
	k := t.last.conflict
	if k == nil {
		w.What, w.Why = head, joined(t.last.says(), t.pauses())
		return
	}
	by := r.writer(k.stored, c.Tag)
	switch k.kind {
	case flow.AlreadyExists:
		w.What = head + ": it is there already"
		if by != "" {
			w.What += fmt.Sprintf(", at rv %d %s", k.stored, by)
		}
		w.Why = joined(t.pauses(), "it would end if it updated the object in place of creating it")
	case flow.FieldOwnership:
		w.What = head + ": " + listed(k.causes) + " owns fields that it sets to other values"
		w.Why = joined(t.pauses(), "it would end if it left these fields out, took their values, or applied with "+
			"force")
	case flow.Precondition:
		w.What = head + ": it demands the uid of another object than the stored one"
		w.Why = joined(t.pauses(), "it would end if it read the object again")
	default:
		w.What = fmt.Sprintf("%s: it sends rv %d, and rv %d is stored", head, k.sent, k.stored)
		if t.sameSent {
			w.What = fmt.Sprintf("%s: it sends rv %d again and again, and rv %d is stored", head, k.sent, k.stored)
		}
		if by != "" {
			by = fmt.Sprintf("rv %d was written %s", k.stored, by)
		}
		w.Why = joined(by, t.pauses(), c.wouldEnd(t, k, out))
	}
}

// writer says who made a revision: "by k1 (#45)", "by itself (#45)"; "" if that is not known.
func (r *Reader) writer(revision int64, tag string) string {
	by := r.commits.author(revision)
	switch by.tag {
	case "":
		return ""
	case tag:
		by.tag = "itself"
	}
	return fmt.Sprintf("by %s (#%d)", by.tag, by.seq)
}

// wouldEnd says what would end a loop of stale writes, by what the client has already been sent.
func (c *client) wouldEnd(t *tries, k *conflict, out *Client) string {
	for _, o := range c.objects.all() {
		if o.Resource == t.Resource && o.Namespace == t.Namespace && o.Name == t.Name && o.ReadRevision >= k.stored {
			return fmt.Sprintf("it has read rv %d (#%d), and does not send what it read", o.ReadRevision, o.Read)
		}
	}
	for i := range out.Watches {
		w := out.Watches[i].Watch
		of := streamOf(w.Target, w.Query)
		if of.Covers(scopeOf(t.Resource, t.Namespace, t.Name)) && w.State().Position >= k.stored {
			return fmt.Sprintf("its watch of %s has been sent rv %d: it would end if it took the object from there",
				nameOfWatch(w), k.stored)
		}
	}
	return "it has not read the object since: it would end if it read it again"
}

// throttled says until when a client was asked to wait.
func (r *Reader) throttled(t *tries, w *Wait) {
	w.Kind, w.Until = Throttled, t.refused.Add(t.last.retryAfter)
	times := "was"
	if n := t.refusals(); n > 1 {
		times = fmt.Sprintf("was %s in a row", timesOf(n))
	}
	w.What = fmt.Sprintf("the %s of %s %s answered %d: the server asks it to wait %s (Retry-After)",
		t.Verb, t.what(), times, t.last.status, span(t.last.retryAfter))
	w.Why = joined(t.last.by(), t.pauses())
}

// refusedAgain says what is refused in a loop.
func (t *tries) refusedAgain(w *Wait) {
	w.Kind = Refused
	w.What = fmt.Sprintf("%s of %s were refused with %d %s in a row", t.count(), t.what(), t.last.status,
		t.last.word())
	w.Why = joined(t.last.by(), t.pauses())
}

// refusedOnce says what was refused and is not sent again.
func (t *tries) refusedOnce(w *Wait, now time.Time) {
	w.Kind = Refused
	w.What = fmt.Sprintf("the %s of %s was refused with %d %s %s ago, and not sent again since", t.Verb, t.what(),
		t.last.status, t.last.word(), span(now.Sub(t.refused)))
	w.Why = t.last.by()
}

// word is the reason of the answer: "Forbidden".
func (r *refusal) word() string {
	if r.reason != "" {
		return r.reason
	}
	return http.StatusText(r.status)
}

// by says who refused, and what is missing.
func (r *refusal) by() string {
	switch {
	case r.rule != "":
		return "it was refused by " + r.rule
	case r.missing != "":
		return fmt.Sprintf("%s may not %s: a role that allows it is missing", r.user, r.missing)
	case r.guard.Guard == guard.Authentication:
		return joined("the server does not know who asks", r.guard.Why)
	case r.guard.Guard != "":
		return joined("it was refused by "+r.guard.Guard, short(r.guard.Why))
	}
	return r.says()
}

// says quotes the server.
func (r *refusal) says() string {
	if r.message == "" {
		return ""
	}
	return "the server said: " + r.message
}

// listed is a list for people.
func listed(parts []string) string {
	if n := len(parts); n > 1 {
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return strings.Join(slices.Clone(parts), "")
}
