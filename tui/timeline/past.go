package timeline

import (
	"cmp"
	"slices"
	"time"

	"kubarium/flow"
)

// Until returns the timeline while a revision was the newest; log is the log of that moment.
func (s *Timeline) Until(log *flow.Log, revision int64) *Timeline {
	n := s.after(revision)
	past := New(log)
	past.Head, past.Compacted = revision, min(s.Compacted, revision)
	past.Commits, past.Before, past.Unread = s.Commits[:n:n], min(s.Before, revision), s.Unread
	past.whole = s.whole
	_, past.Read = log.Commits(0)
	for _, c := range past.Commits {
		past.Newest[c.Resource] = c.Revision
	}
	return past
}

// Since returns the commits after a revision.
func (s *Timeline) Since(revision int64) []flow.Commit { return s.Commits[s.after(revision):] }

// after returns the index of the first commit after a revision.
func (s *Timeline) after(revision int64) int {
	n, _ := slices.BinarySearchFunc(s.Commits, revision+1,
		func(c flow.Commit, rv int64) int { return cmp.Compare(c.Revision, rv) })
	return n
}

// Around returns the commit in force at a revision, which has it or is the newest before it, and the next one; nil if
// they are not held.
func (s *Timeline) Around(revision int64) (at, next *flow.Commit) {
	n := s.after(revision)
	if n > 0 {
		at = &s.Commits[n-1]
	}
	if n > 0 && n < len(s.Commits) {
		next = &s.Commits[n]
	}
	return at, next
}

// Column returns the cell of a commit on an axis of n cells, as in Cells; -1 if it is older.
func (s *Timeline) Column(n int, c *flow.Commit) int {
	edge, step, ok := s.edge(n)
	if !ok {
		return -1
	}
	return max(-1, min(n-1, n-1-int(edge.Sub(c.At)/step)))
}

// InColumn returns the newest commit at the end of a cell of an axis of n cells; nil if there was none.
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
