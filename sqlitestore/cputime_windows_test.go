package sqlitestore_test

import "time"

// cpuTime is how long the processors have worked for this process; 0 where that is not known.
func cpuTime() time.Duration { return 0 }
