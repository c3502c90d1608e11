package term

import (
	"fmt"
	"strings"
	"time"
)

// Pick returns a if yes, otherwise b.
func Pick[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}

// Pad appends blanks to s up to w cells.
func Pad(s string, w int) string {
	if n := Text(Plain, s).Width(); n < w {
		return s + strings.Repeat(" ", w-n)
	}
	return s
}

// Plural returns a number with its noun: "1 watch", "2 watches".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "ch") {
		what += "e"
	}
	return Count(n) + " " + what + "s"
}

// AtLeast is a count of what is kept: "2 000+" where there were more.
func AtLeast(n int, more bool) string { return Count(n) + Pick(more, "+", "") }

// Count writes a number with spaces between thousands.
func Count[N ~int | ~int64 | ~uint64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// BytesText writes a number of bytes in a few characters.
func BytesText(n int64) string {
	switch {
	case n < 10_000:
		return Count(n) + " B"
	case n < 10<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// Millis writes a duration in milliseconds without the unit.
func Millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 0.0095:
		return fmt.Sprintf("%.3f", ms)
	case ms < 0.095:
		return fmt.Sprintf("%.2f", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f", ms)
	}
	return Count(int64(ms + 0.5))
}

// Ago writes a duration in a fitting unit.
func Ago(d time.Duration) string {
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

// OrNone returns s, or a dash if it is empty.
func OrNone(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
