package traffic

import (
	"strings"
	"testing"
	"time"

	"kubarium/tui/term"
)

// The number of a request is never cut, however many there were.
func TestColumns_LongNumbers(t *testing.T) {
	for _, digits := range []int{1, 5, 6, 9} {
		table := term.PlanTable(64, 1, (&Page{}).columns(digits, false), nil)
		if _, w := table.Column("seq"); w < digits {
			t.Errorf("%d digits in %d cells", digits, w)
		}
	}
}

// The time that a watch took fits its column, whatever it is.
func TestTraffic_WatchTimes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		98*time.Millisecond + 600*time.Microsecond: "98.6", 100 * time.Millisecond: "100", 9999 * time.Millisecond: "9 999",
		42 * time.Second: "42 s", 59 * time.Minute: "59min", 7 * time.Hour: "7 h",
	} {
		if got := strings.ReplaceAll(runMillis(d), "\u202f", " "); got != want || term.Text(term.Plain, got).Width() > 5 {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
