package term

import "time"

// RateCells is the number of seconds in the header's sparkline.
const RateCells = 10

// A Rate counts events per second over the last seconds.
type Rate struct {
	last   uint64
	second int64 // unix time of the newest bucket
	Bucket [RateCells]uint64
	primed bool
}

// Count adds a reading of the total number of events.
func (r *Rate) Count(now time.Time, total uint64) {
	r.roll(now)
	if r.primed {
		r.Bucket[RateCells-1] += total - r.last
	}
	r.last, r.primed = total, true
}

// roll moves the buckets on to now. They are emptied if the clock was set back: otherwise they would stay until it
// catches up.
func (r *Rate) roll(now time.Time) {
	s := now.Unix()
	by := s - r.second
	if by == 0 {
		return
	}
	r.second = s
	if by < 0 || by >= RateCells {
		r.Bucket = [RateCells]uint64{}
		return
	}
	copy(r.Bucket[:], r.Bucket[by:])
	clear(r.Bucket[RateCells-by:])
}

// PerSecond returns the rate of the last whole second, or of the present one if that is already higher.
func (r *Rate) PerSecond() uint64 {
	return max(r.Bucket[RateCells-2], r.Bucket[RateCells-1])
}

// Alive reports whether any bucket is not empty, so that the sparkline changes as time passes.
func (r *Rate) Alive(now time.Time) bool {
	by := now.Unix() - r.second
	return 0 <= by && by < RateCells && r.Bucket != [RateCells]uint64{}
}
