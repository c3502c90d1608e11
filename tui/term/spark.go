package term

import "strings"

// Bars are the blocks of a sparkline, low to high.
var Bars = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// Spark draws values as bars; zero is a dot.
func Spark(values []uint64) string {
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
		b.WriteString(Bars[min(7, v*7/top)])
	}
	return b.String()
}
