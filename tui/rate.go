package tui

import (
	"fmt"
	"strings"
	"time"
)

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

// bars are the blocks of a sparkline from low to high.
var bars = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// spark draws values as bars; zero is a dot.
func spark(values []uint64) string {
	var top uint64 = 1
	for _, v := range values {
		top = max(top, v)
	}
	var b strings.Builder
	for _, v := range values {
		if v == 0 {
			b.WriteString("·")
			continue
		}
		b.WriteString(bars[min(7, v*7/top)])
	}
	return b.String()
}

// count writes a number with its thousands apart.
func count[N ~int | ~int64 | ~uint64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// bytesText writes a number of bytes in a few characters.
func bytesText(n int64) string {
	switch {
	case n < 10_000:
		return count(n) + " B"
	case n < 10<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// millis writes a duration in milliseconds without the unit.
func millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 0.0095:
		return fmt.Sprintf("%.3f", ms)
	case ms < 0.095:
		return fmt.Sprintf("%.2f", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f", ms)
	}
	return count(int64(ms + 0.5))
}

// ago writes a span of time in the unit that fits.
func ago(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}
