package sqlitestore

import "time"

// A slice is how many rows or pages are removed at once.
type slice int

// took makes the next slice as large as fits into the time.
func (n *slice) took(d time.Duration) {
	switch {
	case d > sliceTime:
		*n = max(*n/sliceGrowth, sliceLeast)
	case d < sliceTime/sliceGrowth:
		*n = min(*n*sliceGrowth, sliceMost)
	}
}

// Rows are removed, and pages given back to the file system, in slices between two batches. A writer may have to wait
// for one, so the next slice is made smaller where one took too long. A slice begins with few rows or pages: those of
// a file that was just opened have to be read first.
const (
	sliceTime   = 5 * time.Millisecond
	sliceFirst  = 50
	sliceLeast  = 10
	sliceMost   = 250
	sliceGrowth = 2
)
