package tui

import (
	"fmt"
	"strings"
	"time"
)

// pick is a if yes, otherwise b.
func pick[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}

// pad fills s with blanks up to w cells.
func pad(s string, w int) string {
	if n := text(sPlain, s).width(); n < w {
		return s + strings.Repeat(" ", w-n)
	}
	return s
}

// plural is a number with what it counts: "1 watch", "2 watches".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "ch") {
		what += "e"
	}
	return count(n) + " " + what + "s"
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

func orNone(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
