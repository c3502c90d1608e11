package tui

import "strings"

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
