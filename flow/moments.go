package flow

import (
	"maps"
	"strings"
)

// maxMoments limits the named moments of a Log.
const maxMoments = 1000

// SetMoment names the present, so that a filter can ask for flows published from now on: "sync" for since:sync. An
// earlier moment of the same name is replaced. It returns false if there is no room for the name.
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

// Moment returns the newest flow before a named moment. Case does not matter; ok is false if there is no such moment.
func (l *Log) Moment(name string) (before uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, ok = l.moments[strings.ToLower(name)]
	return before, ok
}

// Moments returns all moments by their names in lower case.
func (l *Log) Moments() map[string]uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make(map[string]uint64, len(l.moments))
	maps.Copy(all, l.moments)
	return all
}
