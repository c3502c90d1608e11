package object

import "unicode/utf8"

// IsText reports whether b is text, as far as its first bytes tell.
func IsText(b []byte) bool {
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
