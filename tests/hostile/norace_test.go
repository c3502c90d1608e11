//go:build !race

package hostile_test

import "time"

const (
	slowdown = 1
	// freeCPU lets official code pass that inserts into sorted sets, or compares each path of a Pod with each other one:
	// 25,000 annotations take 0.2 s, 1,200 items of a Pod 0.1 s.
	freeCPU    = 300 * time.Millisecond
	shortShare = 4
)
