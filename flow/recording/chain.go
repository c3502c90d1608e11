package recording

import "kubarium/flow"

// The messages of what led to a write.

func chain(c *coder, v *flow.Chain) {
	c.uint(1, "write", &v.Write)
	list(c, 2, "events", &v.Events, chainEvent)
	signed(c, 3, "more", &v.More)
	list(c, 4, "reads", &v.Reads, chainRead)
	c.uint(5, "retry", &v.Retry)
	signed(c, 6, "idle", &v.Idle)
	c.uint(7, "last", &v.Last)
}

func chainEvent(c *coder, v *flow.ChainEvent) {
	word(c, 1, "link", &v.Link)
	c.uint(2, "watch", &v.Watch)
	word(c, 3, "client", &v.Client)
	word(c, 4, "resource", &v.Resource)
	word(c, 5, "namespace", &v.Namespace)
	text(c, 6, "name", &v.Name)
	word(c, 7, "type", &v.Type)
	signed(c, 8, "revision", &v.Revision)
	c.time(9, "written", &v.Written)
	signed(c, 10, "before", &v.Before)
	c.uint(11, "by", &v.By)
	word(c, 12, "by_tag", &v.ByTag)
}

func chainRead(c *coder, v *flow.ChainRead) {
	word(c, 1, "link", &v.Link)
	c.uint(2, "seq", &v.Seq)
	word(c, 3, "verb", &v.Verb)
	word(c, 4, "resource", &v.Resource)
	text(c, 5, "name", &v.Name)
	signed(c, 6, "revision", &v.Revision)
	signed(c, 7, "before", &v.Before)
}
