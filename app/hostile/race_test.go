//go:build race

package hostile_test

// slowdown is how much slower the race detector makes everything.
const slowdown = 10
