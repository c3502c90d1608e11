package term

import "time"

// RateCells is the number of seconds in the header's sparkline.
const RateCells = 10

// A Rate counts events per second over the last seconds, by the times at which they happened.
type Rate struct {
	second int64 // unix time of the newest bucket
	bucket [RateCells]uint64
}

// Count adds an event. One that is older than the buckets is not counted: it is no part of the present rate.
func (r *Rate) Count(now, at time.Time) {
	r.roll(now)
	if by := max(0, r.second-at.Unix()); by < RateCells {
		r.bucket[RateCells-1-by]++
	}
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
		r.bucket = [RateCells]uint64{}
		return
	}
	copy(r.bucket[:], r.bucket[by:])
	clear(r.bucket[RateCells-by:])
}

// Seconds returns the events of each of the last seconds, oldest first.
func (r *Rate) Seconds(now time.Time) []uint64 {
	r.roll(now)
	return r.bucket[:]
}

// PerSecond returns the rate of the last whole second, or of the present one if that is already higher.
func (r *Rate) PerSecond(now time.Time) uint64 {
	r.roll(now)
	return max(r.bucket[RateCells-2], r.bucket[RateCells-1])
}

// Alive reports whether any bucket is not empty, so that the sparkline changes as time passes.
func (r *Rate) Alive(now time.Time) bool {
	r.roll(now)
	return r.bucket != [RateCells]uint64{}
}
