package clients

import (
	"slices"

	"kubarium/flow"
)

// commits are the newest changes with who made them, in the order of their revisions. Those of other processes are not
// among them.
type commits struct {
	all []flow.Commit
	by  []author // of the same place

	newest map[string]int64 // the newest revision of each resource
}

// An author is the request that made a change, and its client.
type author struct {
	seq uint64
	tag string
}

// note adds a change. Requests come in the order in which they ended: a change that was made a little earlier than the
// newest ones takes its place among them.
func (c *commits) note(f *flow.Flow, e *flow.Effect) {
	if e.Commit.Revision <= 0 {
		return
	}
	i := len(c.all)
	for i > 0 && c.all[i-1].Revision > e.Commit.Revision && len(c.all)-i < maxLate {
		i--
	}
	if c.newest == nil {
		c.newest = map[string]int64{}
	}
	c.newest[e.Commit.Resource] = max(c.newest[e.Commit.Resource], e.Commit.Revision)
	c.all = slices.Insert(c.all, i, e.Commit)
	c.by = slices.Insert(c.by, i, author{f.Seq, f.Client.Tag})
	if n := len(c.all); n > 2*maxCommits {
		c.all = slices.Clone(c.all[n-maxCommits:])
		c.by = slices.Clone(c.by[n-maxCommits:])
		clear(c.newest)
		for i := range c.all {
			c.newest[c.all[i].Resource] = c.all[i].Revision
		}
	}
}

// maxLate is by how many places a change may be late.
const maxLate = 4096

// author returns who made a change; its tag is "" if that is not known.
func (c *commits) author(revision int64) author {
	i, found := slices.BinarySearchFunc(c.all, revision, func(o flow.Commit,
		rv int64) int {
		return int(o.Revision - rv)
	})
	if !found {
		return author{}
	}
	return c.by[i]
}

// knows reports whether all changes after a revision are known, unless another process made some.
func (c *commits) knows(revision int64) bool {
	return len(c.all) > 0 && c.all[0].Revision <= revision+1
}
