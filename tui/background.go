package tui

import (
	"strconv"
	"strings"
)

// readBackground reads an answer like "rgb:ffff/ffff/dddd" or "#ffffdd": light is a luminance over one half.
func readBackground(answer string) (light, ok bool) {
	var parts []string
	switch space, rgb, named := strings.Cut(answer, ":"); {
	case named && (space == "rgb" || space == "rgba"):
		parts = strings.Split(rgb, "/")
	case strings.HasPrefix(answer, "#") && len(answer)%3 == 1:
		n := len(answer) / 3
		parts = []string{answer[1 : 1+n], answer[1+n : 1+2*n], answer[1+2*n:]}
	}
	if len(parts) < 3 {
		return false, false
	}
	sum := 0.0
	for i, weight := range []float64{0.299, 0.587, 0.114} {
		v, err := strconv.ParseUint(parts[i], 16, 16)
		if err != nil {
			return false, false
		}
		sum += weight * float64(v) / float64(uint64(1)<<(4*len(parts[i]))-1)
	}
	return sum > 0.5, true
}
