package bodies

import "unicode/utf8"

// LooksText reports whether a body can be shown as lines of text, judged by its first 2 KiB. It is meant for the
// screen: a body with control characters is not text, though it may be UTF-8.
func LooksText(b []byte) bool {
	head := b[:min(len(b), 2048)]
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 && len(head) > 3 || r < 0x20 && r != '\n' && r != '\t' && r != '\r' {
			return false
		}
		head = head[n:]
	}
	return true
}
