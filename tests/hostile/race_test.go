//go:build race

package hostile_test

import "time"

const (
	// slowdown is the factor of the race detector.
	slowdown = 10
	// freeCPU is the least that is compared: what the detector slows down least weighs less in it.
	freeCPU = 600 * time.Millisecond
	// shortShare is the part of the longest input that -short tries.
	shortShare = 40
)
