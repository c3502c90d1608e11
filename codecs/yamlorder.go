package codecs

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// compareNames compares two names of members in the order in which YAML's encoder writes them: digits by their number,
// letters after all else.
func compareNames(a, b string) int {
	if onlyLetters(a) && onlyLetters(b) {
		return strings.Compare(a, b)
	}
	return compareRunes([]rune(a), []rune(b))
}

func onlyLetters(s string) bool {
	for i := range len(s) {
		if c := s[i] | ' '; c < 'a' || 'z' < c {
			return false
		}
	}
	return true
}

// compareRunes is the order of go.yaml.in/yaml/v2, sorter.go.
func compareRunes(a, b []rune) int {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		letterA, letterB := unicode.IsLetter(a[i]), unicode.IsLetter(b[i])
		switch {
		case letterA && letterB:
			return cmp.Compare(a[i], b[i])
		case letterA:
			return 1
		case letterB:
			return -1
		}
		return compareDigits(a, b, i)
	}
	return cmp.Compare(len(a), len(b))
}

// compareDigits compares from the first character on in which the names differ; either may be a digit.
func compareDigits(a, b []rune, at int) int {
	var n int64
	if (a[at] == '0' || b[at] == '0') && withinNumber(a[:at]) {
		n = 1
	}
	numberA, endA := digitsFrom(a, at, n)
	numberB, endB := digitsFrom(b, at, n)
	return cmp.Or(cmp.Compare(numberA, numberB), cmp.Compare(endA, endB), cmp.Compare(a[at], b[at]))
}

// withinNumber reports whether a name ends in a number that is not zero.
func withinNumber(name []rune) bool {
	for _, c := range slices.Backward(name) {
		if !unicode.IsDigit(c) {
			return false
		}
		if c != '0' {
			return true
		}
	}
	return false
}

// digitsFrom reads a number on from a place, of which n has been read; it may overflow.
func digitsFrom(name []rune, at int, n int64) (number int64, end int) {
	for at < len(name) && unicode.IsDigit(name[at]) {
		n = n*10 + int64(name[at]-'0')
		at++
	}
	return n, at
}
