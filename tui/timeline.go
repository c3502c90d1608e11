package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/server/flow"
	"kubarium/server/flow/object"
)

// A timeline is what was committed, oldest first: the newest changes of the store, those from before the UI read back from it.
type timeline struct {
	log             *flow.Log
	head, compacted int64            // the newest revision, and the oldest that can be read
	commits         []flow.Commit    // the newest, at most keepCommits
	read            uint64           // the log's number of the last commit read
	fresh           []flow.Commit    // those that came with the last fold
	newest          map[string]int64 // by resource, the newest commit of it
	before          int64            // commits up to this one are from before the UI, read back from the store; 0 for none
	unread          error            // why those could not be read back
}

func newTimeline(log *flow.Log) *timeline { return &timeline{log: log, newest: map[string]int64{}} }

func (s *timeline) fold() {
	s.look()
	cs, read := s.log.Commits(s.read)
	if n := len(s.commits); n > 0 {
		newest := s.commits[n-1].Revision
		cs = slices.DeleteFunc(cs, func(c flow.Commit) bool { return c.Revision <= newest }) // read back already
	}
	s.read, s.fresh = read, cs
	s.commits = append(s.commits, cs...)
	for _, c := range cs {
		s.newest[c.Resource] = c.Revision
	}
	if n := len(s.commits) - keepCommits; n > keepCommits {
		s.commits = append([]flow.Commit(nil), s.commits[n:]...)
	}
}

// steps are the times that one cell of the axis may stand for.
var steps = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute,
	time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}

// live are the commits that the axis shows: all since the UI looks, or while there are none those from before.
func (s *timeline) live() []flow.Commit {
	i := slices.IndexFunc(s.commits, func(c flow.Commit) bool { return c.Revision > s.before })
	return s.commits[max(0, i):]
}

// cells counts the commits per cell, newest last, and says how long a cell is. The axis ends with the newest commit's
// cell: while nothing is committed it stands still.
func (s *timeline) cells(n int) ([]uint64, time.Duration) {
	out := make([]uint64, n)
	commits := s.live()
	if len(commits) == 0 || n == 0 {
		return out, steps[0]
	}
	first, last := commits[0].At, commits[len(commits)-1].At
	step := steps[0]
	for _, step = range steps {
		if last.Sub(first) < step*time.Duration(n) {
			break
		}
	}
	edge := last.Truncate(step).Add(step)
	for i := len(commits) - 1; i >= 0; i-- {
		at := n - 1 - int(edge.Sub(commits[i].At)/step)
		if at < 0 {
			break
		}
		out[min(at, n-1)]++
	}
	return out, step
}

// An axis maps revisions to columns: the newest commits, so that each has a place, or all since a revision if fewer.
type axis struct {
	from, to int64
	width    int
}

// lanes is the axis for lanes in w columns; lowest is the oldest revision that one of them is about.
func (s *timeline) lanes(w int, lowest int64) axis {
	a := axis{to: max(s.head, 1), width: w}
	span := int64(w)
	if span < 100 {
		span = 100
	}
	a.from = max(0, a.to-span, min(lowest, s.oldest()))
	if a.to-a.from < int64(min(w, 20)) {
		a.from = max(0, a.to-int64(min(w, 20)))
	}
	return a
}

// oldest is the revision before the oldest commit that is held.
func (s *timeline) oldest() int64 {
	if len(s.commits) == 0 {
		return s.head
	}
	return s.commits[0].Revision - 1
}

// at is the column of a revision; those before the axis are -1.
func (a axis) at(rv int64) int {
	if rv < a.from {
		return -1
	}
	if a.to <= a.from {
		return a.width - 1
	}
	return min(a.width-1, int((rv-a.from)*int64(a.width-1)/(a.to-a.from)))
}

// labels writes revisions over the axis, about every 20 columns.
func (a axis) labels() string {
	out := []byte(strings.Repeat(" ", a.width))
	next := 0
	for x := 0; x < a.width; x++ {
		rv := a.from + (a.to-a.from)*int64(x)/int64(max(1, a.width-1))
		label := fmt.Sprint(rv)
		if x < next || x+len(label) > a.width-1-len(fmt.Sprint(a.to)) {
			continue
		}
		copy(out[x:], label)
		next = x + max(14, len(label)+6)
	}
	label := fmt.Sprint(a.to)
	if len(label) <= a.width {
		copy(out[a.width-len(label):], label)
	}
	return string(out)
}

// ofObject are the commits of one object, oldest first.
func (s *timeline) ofObject(of object.Ref) []flow.Commit {
	var out []flow.Commit
	for _, c := range s.commits {
		if object.RefOf(c) == of {
			out = append(out, c)
		}
	}
	return out
}

// look takes the newest revision, and the oldest that can be read.
func (s *timeline) look() { s.head, s.compacted = s.log.Head() }

// recall takes what was committed before the UI looked, oldest first, and reports whether there was any. err says why it could not be
// read back.
func (s *timeline) recall(before []flow.Commit, err error) bool {
	if s.unread = err; err != nil {
		return false
	}
	if len(s.commits) > 0 {
		before = slices.DeleteFunc(before, func(c flow.Commit) bool { return c.Revision >= s.commits[0].Revision })
	}
	if len(before) == 0 {
		return false
	}
	s.before = before[len(before)-1].Revision
	s.commits = append(before, s.commits...)
	for _, c := range before {
		s.newest[c.Resource] = max(s.newest[c.Resource], c.Revision)
	}
	return true
}

// keepCommits is how many commits the axis and the lanes reach back.
const keepCommits = 4096
