package object

import (
	"bytes"
	"encoding/json"
	"strings"

	"kubarium/cells"
)

var blanks = strings.NewReplacer("\n", " ", "\t", " ")

// OneLine replaces line breaks and other control characters by spaces, so that a text fits into a row.
func OneLine(s string) string { return blanks.Replace(cells.Inert(s)) }

// Text returns a value in one line, for people: a string as it is, everything else as JSON.
func Text(v any) string {
	if s, ok := v.(string); ok {
		return OneLine(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(b)
}

// Same reports whether two plain values are equal and of one type: the string "80" is not the number 80. A missing
// value is nil. Numbers are compared as text: 1 and 1.0 differ.
func Same(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}
