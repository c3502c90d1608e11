// Package timeline holds commits, and maps revisions to the columns of an axis.
package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// A Timeline holds the newest commits, oldest first. Those from before the UI began are read from the store.
type Timeline struct {
	log             *flow.Log
	Head, Compacted int64            // the newest revision, and the oldest that can be read
	Commits         []flow.Commit    // the newest, at most keepCommits
	Read            uint64           // the log's number of the last commit read
	Fresh           []flow.Commit    // the new commits of the last Fold
	Missed          uint64           // commits before the last Fold that the log no longer held
	Newest          map[string]int64 // the newest commit of each resource
	Before          int64            // commits up to this one are from before the UI began; 0 for none
	Unread          error            // why those could not be read
	whole           bool             // Commits has all that the store has
}

// New returns an empty timeline.
func New(log *flow.Log) *Timeline { return &Timeline{log: log, Newest: map[string]int64{}} }

// Fold reads new commits.
func (s *Timeline) Fold() {
	s.Look()
	cs, read := s.log.Commits(s.Read)
	s.Missed = read - s.Read - uint64(len(cs))
	if n := len(s.Commits); n > 0 {
		newest := s.Commits[n-1].Revision
		cs = slices.DeleteFunc(cs, func(c flow.Commit) bool { return c.Revision <= newest }) // read already
	}
	s.Read, s.Fresh = read, cs
	s.Commits = append(s.Commits, cs...)
	for _, c := range cs {
		s.Newest[c.Resource] = c.Revision
	}
	if n := len(s.Commits) - KeepCommits; n > KeepCommits {
		s.Commits, s.whole = append([]flow.Commit(nil), s.Commits[n:]...), false
	}
}

// steps are the possible durations of a cell of the axis.
var steps = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour,
}

// Live returns the commits on the axis: all since the UI began, or if there are none those from before.
func (s *Timeline) Live() []flow.Commit {
	i := slices.IndexFunc(s.Commits, func(c flow.Commit) bool { return c.Revision > s.Before })
	return s.Commits[max(0, i):]
}

// Cells counts the commits per cell, newest last, and returns the duration of a cell. The axis ends with the cell of
// the newest commit: it does not move without commits.
func (s *Timeline) Cells(n int) ([]uint64, time.Duration) {
	out := make([]uint64, n)
	edge, step, ok := s.edge(n)
	if !ok {
		return out, steps[0]
	}
	commits := s.Live()
	for i := len(commits) - 1; i >= 0; i-- {
		at := n - 1 - int(edge.Sub(commits[i].At)/step)
		if at < 0 {
			break
		}
		out[min(at, n-1)]++
	}
	return out, step
}

// CompactedCells returns how many cells of an axis of n cells, as in Cells, have only versions that are compacted.
func (s *Timeline) CompactedCells(n int) int {
	if c, _ := s.Around(max(s.Compacted-1, 0)); c == nil || c.Revision < s.Live()[0].Revision {
		return 0
	}
	if _, next := s.Around(s.Compacted - 1); next != nil {
		return s.Column(n, next)
	}
	return n
}

// Older reports whether versions can be read that are older than these commits.
func (s *Timeline) Older() bool {
	return !s.whole && len(s.Commits) > 0 && s.Commits[0].Revision > max(s.Compacted, 1)
}

// edge returns the end of an axis of n cells, and the duration of a cell; ok is false if there are no commits.
func (s *Timeline) edge(n int) (edge time.Time, step time.Duration, ok bool) {
	commits := s.Live()
	if len(commits) == 0 || n == 0 {
		return edge, steps[0], false
	}
	first, last := commits[0].At, commits[len(commits)-1].At
	for _, step = range steps {
		if last.Sub(first) < step*time.Duration(n) {
			break
		}
	}
	return last.Truncate(step).Add(step), step, true
}

// An Axis maps the newest revisions to columns.
type Axis struct {
	From, To int64
	Width    int
}

// Lanes returns the axis for lanes in w columns, on which each version has a column of its own or more. It begins just
// before revision first, or has the newest w versions, and at least the newest few.
func (s *Timeline) Lanes(w, few int, first int64) Axis {
	to := max(s.Head, 1)
	span := min(max(to-first+1, int64(few)), to, int64(w-1))
	return Axis{From: to - span, To: to, Width: w}
}

// HeadAt returns the newest revision at a time, as far as the commits show; 0 if it is older than they are.
func (s *Timeline) HeadAt(at time.Time) int64 {
	n, _ := slices.BinarySearchFunc(s.Commits, at, func(c flow.Commit, at time.Time) int { return c.At.Compare(at) })
	switch {
	case n > 0:
		return s.Commits[n-1].Revision
	case len(s.Commits) == 0:
		return s.Head
	}
	return 0
}

// At returns the column of a revision; -1 for one before the axis.
func (a Axis) At(rv int64) int {
	if rv < a.From {
		return -1
	}
	if a.To <= a.From {
		return a.Width - 1
	}
	return min(a.Width-1, int((rv-a.From)*int64(a.Width-1)/(a.To-a.From)))
}

// Labels writes revisions over the axis, about every 20 columns.
func (a Axis) Labels() string {
	out := []byte(strings.Repeat(" ", a.Width))
	next := 0
	for x := 0; x < a.Width; x++ {
		cells := int64(max(1, a.Width-1))
		rv := a.From + ((a.To-a.From)*int64(x)+cells-1)/cells
		label := fmt.Sprint(rv)
		if x < next || a.At(rv) != x || x+len(label) > a.Width-1-len(fmt.Sprint(a.To)) {
			continue
		}
		copy(out[x:], label)
		next = x + max(14, len(label)+6)
	}
	label := fmt.Sprint(a.To)
	if len(label) <= a.Width {
		copy(out[a.Width-len(label):], label)
	}
	return string(out)
}

// OfObject returns the commits of one object, oldest first.
func (s *Timeline) OfObject(of object.Ref) []flow.Commit {
	var out []flow.Commit
	for _, c := range s.Commits {
		if object.RefOf(c) == of {
			out = append(out, c)
		}
	}
	return out
}

// Holds reports whether all commits after a revision are held.
func (s *Timeline) Holds(rv int64) bool {
	return len(s.Commits) == 0 || s.Commits[0].Revision <= rv+1
}

// Committed returns when a revision was committed; zero if that is not known.
func (s *Timeline) Committed(revision int64) time.Time {
	number := func(c flow.Commit, rv int64) int { return cmp.Compare(c.Revision, rv) }
	i, found := slices.BinarySearchFunc(s.Commits, revision, number)
	if !found {
		return time.Time{}
	}
	return s.Commits[i].At
}

// Look reads the newest revision, and the compacted one.
func (s *Timeline) Look() { s.Head, s.Compacted = s.log.Head() }

// Recall takes the commits from before the UI began, oldest first, and reports whether there were any. err says why
// they could not be read.
func (s *Timeline) Recall(before []flow.Commit, err error) bool {
	if s.Unread = err; err != nil {
		return false
	}
	s.whole = len(before) < KeepCommits
	if len(s.Commits) > 0 {
		before = slices.DeleteFunc(before, func(c flow.Commit) bool { return c.Revision >= s.Commits[0].Revision })
	}
	if len(before) == 0 {
		return false
	}
	s.Before = before[len(before)-1].Revision
	s.Commits = append(before, s.Commits...)
	for _, c := range before {
		s.Newest[c.Resource] = max(s.Newest[c.Resource], c.Revision)
	}
	return true
}

// KeepCommits is how many commits the axis and the lanes hold.
const KeepCommits = 4096
