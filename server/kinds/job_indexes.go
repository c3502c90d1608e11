package kinds

import (
	"fmt"
	"strconv"
	"strings"
)

// An interval of indexes, first and last included.
type interval struct{ first, last int32 }

// parseIndexes reads a list of indexes and intervals, such as "1,3-5", of a Job with so many completions. The empty list
// is none.
func parseIndexes(list string, completions int32) ([]interval, error) {
	if list == "" {
		return nil, nil
	}
	var all []interval
	for _, text := range strings.Split(list, ",") {
		next, err := parseInterval(text, completions)
		if err != nil {
			return nil, err
		}
		if n := len(all); n > 0 && all[n-1].last >= next.first {
			return nil, fmt.Errorf("non-increasing order, previous: %d, current: %d", all[n-1].last, next.first)
		}
		all = append(all, next)
	}
	return all, nil
}

func parseInterval(text string, completions int32) (interval, error) {
	limits := strings.Split(text, "-")
	if len(limits) > 2 {
		return interval{}, fmt.Errorf("the fragment %q violates the requirement that an index interval can have at most two parts separated by '-'", text)
	}
	var parsed []int32
	for _, limit := range limits {
		n, err := strconv.Atoi(limit)
		if err != nil {
			return interval{}, fmt.Errorf("cannot convert string to integer for index: %q", limit)
		}
		if n >= int(completions) {
			return interval{}, fmt.Errorf("too large index: %q", limit)
		}
		parsed = append(parsed, int32(n))
	}
	i := interval{parsed[0], parsed[len(parsed)-1]}
	if len(parsed) == 2 && i.first >= i.last {
		return interval{}, fmt.Errorf("non-increasing order, previous: %d, current: %d", i.first, i.last)
	}
	return i, nil
}

func countIndexes(intervals []interval) int32 {
	total := int32(0)
	for _, i := range intervals {
		total += i.last - i.first + 1
	}
	return total
}

// overlap returns the first index that is in both lists, which are in order.
func overlap(a, b []interval) (int32, bool) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].last < b[0].first:
			a = a[1:]
		case b[0].last < a[0].first:
			b = b[1:]
		default:
			return max(a[0].first, b[0].first), true
		}
	}
	return 0, false
}
