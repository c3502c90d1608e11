//go:build race

package hostile_test

const (
	// slowdown is the factor of the race detector.
	slowdown = 10
	// shortShare is the part of the longest input that -short tries.
	shortShare = 40
)
