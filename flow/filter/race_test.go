//go:build race

package filter_test

// underRace says that the race detector is on, which makes sync.Pool, and so package regexp, forget at random.
const underRace = true
