package child

import "time"

// SetGrace sets how long a command may take to end, and returns what sets it back.
func SetGrace(d time.Duration) (back func()) {
	before := endGrace
	endGrace = d
	return func() { endGrace = before }
}
