//go:build !linux

package sqlitestore

import "time"

var began = time.Now()

// threadTime is the time that has passed, where that of a thread is not known.
func threadTime() time.Duration { return time.Since(began) }
