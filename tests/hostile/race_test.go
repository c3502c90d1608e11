//go:build race

package hostile_test

const (
	// slowdown is how much slower the race detector makes everything.
	slowdown = 10
	// shortShare is which share of the longest input is tried in short.
	shortShare = 40
)
