package object

func OneLine(s string) string {
	out := []rune(s)
	for i, r := range out {
		if r < ' ' {
			out[i] = ' '
		}
	}
	return string(out)
}
