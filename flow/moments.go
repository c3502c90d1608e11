package flow

import (
	"maps"
	"strings"
)

// maxMoments bounds the named moments of a Log.
const maxMoments = 1000

// SetMoment gives the present a name, by which a filter asks for what came since: "sync" for since:sync. It belongs to the newest
// moment of that name, and counts flows that are published from now on. It reports whether there is room for the name.
func (l *Log) SetMoment(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.setMoment(strings.ToLower(name), l.next-1)
}

func (l *Log) setMoment(name string, before uint64) bool {
	if _, there := l.moments[name]; !there && len(l.moments) >= maxMoments {
		return false
	}
	if l.moments == nil {
		l.moments = map[string]uint64{}
	}
	l.moments[name] = before
	return true
}

// Moment returns the newest flow before a named moment, and whether there is one of that name, the case of letters aside.
func (l *Log) Moment(name string) (before uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, ok = l.moments[strings.ToLower(name)]
	return before, ok
}

// Moments returns all of them by their names, in lower case.
func (l *Log) Moments() map[string]uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make(map[string]uint64, len(l.moments))
	maps.Copy(all, l.moments)
	return all
}
