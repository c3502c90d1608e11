package clients

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kubarium/analysis/guard"
	"kubarium/flow"
	"kubarium/flow/object"
)

// An attempt is what is sent again after a refusal.
type attempt struct {
	class       class
	verb        string // of a read
	subresource string
	ref         object.Ref
}

// tries are those of an attempt, from the first refusal on.
type tries struct {
	Retry
	began    time.Time
	refused  time.Time // when the newest answer was complete
	last     refusal   // the newest one
	sameSent bool      // all sent the same resourceVersion
	waits    []time.Duration
}

// A refusal is what is needed of the newest one.
type refusal struct {
	seq        uint64
	status     int
	reason     string
	message    string
	retryAfter time.Duration
	rule       string // the fault rule that refused; "" for none
	guard      guard.Refusal
	missing    string // what the user would have to be allowed
	user       string
	conflict   *conflict
}

// A conflict is what a 409 was about.
type conflict struct {
	kind         flow.ConflictKind
	sent, stored int64
	causes       []string // the managers that own fields
}

// try notes a request as a refused one, or as the end of an attempt.
func (c *client) try(f *flow.Flow, ref object.Ref, end time.Time) {
	k := classOf(&f.Target)
	if k == other || f.Status == 0 || dry(f) {
		return
	}
	key := attempt{k, "", f.Target.Subresource, ref}
	if k == reads {
		key.verb = f.Target.Verb
	}
	if f.Status < 400 {
		if len(c.attempts.of) == 0 {
			return
		}
		c.succeed(key, f, end)
		if k == removals {
			c.succeed(attempt{writes, "", f.Target.Subresource, ref}, f, end)
		}
		return
	}
	if f.Status == 409 && c.lease { // candidates lose them by design
		return
	}
	at := c.attempts.use(key)
	if *at == nil || (*at).over(f.Start) {
		*at = &tries{began: f.Start, sameSent: true}
	}
	t := *at
	t.add(f, end)
	t.Resource, t.Namespace, t.Name = ref.Resource, strings.Clone(ref.Namespace), strings.Clone(ref.Name)
	t.Verb, t.Subresource = f.Target.Verb, f.Target.Subresource
	t.last = refusalOf(f)
	t.refused = end
}

func (c *client) succeed(key attempt, f *flow.Flow, end time.Time) {
	if at := c.attempts.has(key); at != nil && !(*at).Ended {
		(*at).add(f, end)
		(*at).Ended = true
	}
}

// add notes one more try.
func (t *tries) add(f *flow.Flow, end time.Time) {
	one := Try{Seq: f.Seq, At: f.Start, Status: f.Status, Reason: f.Reason, Sent: f.SentRevision}
	if f.Conflict != nil {
		one.Sent, one.Stored = f.Conflict.Sent, f.Conflict.Stored
	}
	if n := len(t.Tries); n > 0 {
		one.Delay = max(0, f.Start.Sub(t.refused))
		t.waits = append(t.waits, one.Delay)
		t.sameSent = t.sameSent && one.Sent == t.Tries[n-1].Sent
	}
	t.Tries = append(t.Tries, one)
	t.All++
	if n := len(t.Tries); n > maxTries {
		t.Tries = slices.Delete(t.Tries, 0, n-maxTries)
	}
	if n := len(t.waits); n > maxTries {
		t.waits = slices.Delete(t.waits, 0, n-maxTries)
	}
	t.refused = end
}

const (
	// patience is for how long after a refusal a client may still send the same again: client-go's rate limiters double
	// their delay with each try.
	patience = 30 * time.Second
	// keepRetries is for how long those that ended are listed.
	keepRetries = 5 * time.Minute
)

// over reports whether the attempt has ended, or its client gave up long ago.
func (t *tries) over(now time.Time) bool {
	if t.Ended {
		return true
	}
	expected := t.last.retryAfter
	if n := len(t.waits); n > 0 {
		expected = max(expected, 2*t.waits[n-1])
	}
	return now.Sub(t.refused) > patience+expected
}

// refusals counts the tries that were refused.
func (t *tries) refusals() int {
	if t.Ended {
		return t.All - 1
	}
	return t.All
}

// retries are those that go on or ended a short time ago.
func (c *client) retries(now time.Time) (out []Retry) {
	for _, t := range c.attempts.all() {
		if one := *t; one.All > 1 && now.Sub(one.refused) <= max(keepRetries, patience) {
			is := one.Retry
			is.Tries, is.Ended = slices.Clone(one.Tries), one.over(now)
			out = append(out, is)
		}
	}
	slices.SortStableFunc(out, func(a,
		b Retry) int {
		return b.Tries[len(b.Tries)-1].At.Compare(a.Tries[len(a.Tries)-1].At)
	})
	return out
}

func refusalOf(f *flow.Flow) refusal {
	r := refusal{
		seq: f.Seq, status: f.Status, reason: f.Reason, message: strings.Clone(short(f.Message)), user: f.Client.User,
		retryAfter: retryAfter(f), rule: ruleOf(f), missing: missing(f),
	}
	if r.rule == "" {
		r.guard, _ = guard.Refused(f)
	}
	if c := f.Conflict; c != nil {
		r.conflict = &conflict{kind: c.Kind, sent: c.Sent, stored: c.Stored}
		for _, cause := range c.Causes {
			if _, m, ok := strings.Cut(cause.Message, `"`); ok {
				m, _, _ = strings.Cut(m, `"`)
				if !slices.Contains(r.conflict.causes, m) && len(r.conflict.causes) < maxNamed {
					r.conflict.causes = append(r.conflict.causes, strings.Clone(m))
				}
			}
		}
	}
	return r
}

// maxNamed is how many things a sentence names.
const maxNamed = 4

// retryAfter is how long the server asked to wait; 0 if it did not.
func retryAfter(f *flow.Flow) time.Duration {
	seconds, err := strconv.Atoi(f.ResponseHeader.Get("Retry-After"))
	if err != nil || seconds <= 0 || seconds > 3600 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// ruleOf is the fault rule by which a request was refused; "" for none.
func ruleOf(f *flow.Flow) string {
	for _, m := range f.Faults {
		if m.Action == "refuse" || strings.HasPrefix(m.Outcome, "refused") {
			return ruleName(m)
		}
	}
	return ""
}

// missing is what the user would have to be allowed for the request; "" unless an authorizer said no.
func missing(f *flow.Flow) string {
	for i := range f.Rights {
		q := &f.Rights[i]
		asked := q.For == "" || q.For == flow.ForCreate || q.For == flow.ForEscalation
		if f.Status != 403 || q.Decision == flow.Allowed || !asked {
			continue
		}
		what := q.Path
		if q.Resource != "" {
			what = q.Resource
			if q.Group != "" {
				what += "." + q.Group
			}
			if q.Subresource != "" {
				what += "/" + q.Subresource
			}
		}
		if q.Namespace != "" {
			what += " in " + q.Namespace
		}
		return q.Verb + " " + what
	}
	return ""
}
