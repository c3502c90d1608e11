package tui

import "time"

// rateCells is how many seconds the header's sparkline goes back.
const rateCells = 10

// A rate counts events per second over the last seconds.
type rate struct {
	last   uint64
	second int64 // unix time of the newest bucket
	bucket [rateCells]uint64
	primed bool
}

// count is told the number of all events so far.
func (r *rate) count(now time.Time, total uint64) {
	r.roll(now)
	if r.primed {
		r.bucket[rateCells-1] += total - r.last
	}
	r.last, r.primed = total, true
}

// roll moves the buckets on to now.
func (r *rate) roll(now time.Time) {
	s := now.Unix()
	by := s - r.second
	if by <= 0 {
		return
	}
	r.second = s
	if by >= rateCells {
		r.bucket = [rateCells]uint64{}
		return
	}
	copy(r.bucket[:], r.bucket[by:])
	clear(r.bucket[rateCells-by:])
}

// perSecond is the rate of the last whole second, or of the running one if it has more already.
func (r *rate) perSecond() uint64 {
	return max(r.bucket[rateCells-2], r.bucket[rateCells-1])
}

// alive reports whether any bucket still holds something, so that the picture is going to change by itself.
func (r *rate) alive(now time.Time) bool {
	return now.Unix()-r.second < rateCells && r.bucket != [rateCells]uint64{}
}
