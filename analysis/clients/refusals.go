package clients

import (
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// refused is what a Refusal is counted by.
type refused struct {
	status int
	reason string
	verb   string
	ref    object.Ref
}

// refuse counts a refusal.
func (c *client) refuse(f *flow.Flow, ref object.Ref, end time.Time) {
	ref.Namespace, ref.Name = strings.Clone(ref.Namespace), strings.Clone(ref.Name)
	one := c.refusals.use(refused{f.Status, f.Reason, f.Target.Verb, ref})
	if one.Count == 0 {
		one.Status, one.Reason, one.Verb = f.Status, f.Reason, f.Target.Verb
		one.Resource, one.Namespace, one.Name, one.First = ref.Resource, ref.Namespace, ref.Name, f.Start
	}
	one.Count++
	one.Message, one.Last, one.Seq, one.RetryAfter = strings.Clone(short(f.Message)), end, f.Seq, retryAfter(f)
}
