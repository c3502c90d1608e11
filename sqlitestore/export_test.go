package sqlitestore

import "time"

// SetBusyAfter makes a store give up sooner on a foreign lock. Call it before anything is written.
func SetBusyAfter(s *Store, d time.Duration) { s.busyAfter = d }

// CheckPlanned refuses the statements that Plan does, without planning them.
var CheckPlanned = checkPlanned
