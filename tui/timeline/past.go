package timeline

import (
	"cmp"
	"slices"
	"time"

	"kubarium/flow"
)

// Until is the timeline as it was while a revision was the newest; log is the log of that moment.
func (s *Timeline) Until(log *flow.Log, revision int64) *Timeline {
	n := s.behind(revision)
	past := New(log)
	past.Head, past.Compacted = revision, min(s.Compacted, revision)
	past.Commits, past.Before, past.Unread = s.Commits[:n:n], min(s.Before, revision), s.Unread
	_, past.Read = log.Commits(0)
	for _, c := range past.Commits {
		past.Newest[c.Resource] = c.Revision
	}
	return past
}

// behind is the place of the first commit behind a revision.
func (s *Timeline) behind(revision int64) int {
	n, _ := slices.BinarySearchFunc(s.Commits, revision+1, func(c flow.Commit, rv int64) int { return cmp.Compare(c.Revision, rv) })
	return n
}

// Around are the commit that is in force at a revision, which has it or is the newest before it, and the one after that; nil where they
// are not held.
func (s *Timeline) Around(revision int64) (at, next *flow.Commit) {
	n := s.behind(revision)
	if n > 0 {
		at = &s.Commits[n-1]
	}
	if n > 0 && n < len(s.Commits) {
		next = &s.Commits[n]
	}
	return at, next
}

// Column is the cell of an axis of n cells, as Cells counts them, that a commit is in; -1 for one that is older.
func (s *Timeline) Column(n int, c *flow.Commit) int {
	edge, step, ok := s.edge(n)
	if !ok {
		return -1
	}
	return max(-1, min(n-1, n-1-int(edge.Sub(c.At)/step)))
}

// InColumn is the newest commit up to a cell of an axis of n cells: what was in force at its end. It is nil if there was none.
func (s *Timeline) InColumn(n, column int) *flow.Commit {
	edge, step, ok := s.edge(n)
	if !ok {
		return nil
	}
	live := s.Live()
	ends := edge.Add(-step * time.Duration(n-1-column))
	i, _ := slices.BinarySearchFunc(live, ends, func(c flow.Commit, at time.Time) int { return c.At.Compare(at) })
	if i == 0 {
		return nil
	}
	return &live[i-1]
}
