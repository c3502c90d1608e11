package recording

import (
	"fmt"
	"unsafe"
)

// Limits of reading: a few compressed kilobytes can expand to much more. An Encoder does not write a record beyond
// these limits: it writes that the record is missing.
const (
	mostOfRecord = 64 << 20  // bytes of a record
	mostMade     = 128 << 20 // bytes of memory for the values of a record in addition to those bytes
	mostWords    = 1 << 20   // words of a table
	mostWordText = 32 << 20  // bytes of them together
	mostWindow   = 8 << 20   // bytes of a Zstandard window; RFC 8878, 3.1.1.1.2, recommends to support so many
)

// A LimitError says that a recording exceeds a limit of reading. The entries before were read.
type LimitError struct{ Limit string }

// Error names the limit.

// Error names the limit.
func (e *LimitError) Error() string { return "the recording exceeds a limit: " + e.Limit }

var (
	errRecord = &LimitError{fmt.Sprintf("a record has at most %d MiB", mostOfRecord>>20)}
	errMade   = &LimitError{fmt.Sprintf("a record takes at most %d MiB of memory", mostMade>>20)}
	errWords  = &LimitError{fmt.Sprintf("a table has at most %d words", mostWords)}
	errText   = &LimitError{fmt.Sprintf("the words of a table have at most %d MiB", mostWordText>>20)}
	errWindow = &LimitError{fmt.Sprintf("a window of Zstandard has at most %d MiB", mostWindow>>20)}
)

// ofMap is the memory of a map relative to that of its lines: the lines themselves, and a table at most half full.
const ofMap = 4

// charge counts n values of type T of a record before they are made.
func charge[T any](c *coder, n int) {
	var one T
	c.chargeBytes(n * int(unsafe.Sizeof(one)))
}

func (c *coder) chargeBytes(n int) {
	if c.made += n; c.made > mostMade && c.mode == reading && c.err == nil {
		c.fail()
		c.err = errMade
	}
}

// exceeds returns the limit that the record just written exceeds, nil for none.
func (c *coder) exceeds() *LimitError {
	switch {
	case len(c.buf) > mostOfRecord:
		return errRecord
	case c.made > mostMade:
		return errMade
	}
	return c.words.exceed(len(c.words.numbers))
}
