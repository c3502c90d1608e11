package filter

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// An op is how a value is compared.
type op int

// The operators.
const (
	equals op = iota // equality, or a glob
	matches
	greater
	atLeast
	less
	atMost
)

var opText = map[op]string{equals: "", matches: "~", greater: ">", atLeast: ">=", less: "<", atMost: "<="}

// A value is what a term compares a field with.
type value struct {
	op   op
	text string
	glob bool   // whether * and ? in text are wildcards
	wide string // for a glob: the same glob anywhere in a text
	path bool   // whether text has a dot or a slash, so that it may match joined forms of a field
	re   *regexp.Regexp

	low, high int64 // for a field with an order: the bounds that equality accepts; otherwise both are the value
}

// is reports whether s equals the value, or matches its glob or its expression.
func (v *value) is(s string) bool {
	switch {
	case v.op == matches:
		return v.re.MatchString(s)
	case v.glob:
		return glob(v.text, s)
	}
	return strings.EqualFold(v.text, s)
}

// within is like is, but the match may be anywhere in s.
func (v *value) within(s string) bool {
	switch {
	case v.op == matches:
		return v.re.MatchString(s)
	case v.glob:
		return glob(v.wide, s)
	}
	return contains(s, v.text)
}

// withinBytes is within for bytes.
func (v *value) withinBytes(b []byte) bool {
	switch {
	case v.op == matches:
		return v.re.Match(b)
	case v.glob:
		return glob(v.wide, string(b))
	}
	return contains(b, v.text)
}

// compare reports whether n is in the value's relation.
func (v *value) compare(n int64) bool {
	switch v.op {
	case greater:
		return n > v.high
	case atLeast:
		return n >= v.low
	case less:
		return n < v.low
	case atMost:
		return n <= v.high
	}
	return v.low <= n && n <= v.high
}

func (v *value) print(b *strings.Builder) {
	b.WriteString(opText[v.op])
	if v.glob || isPlain(v.text) {
		b.WriteString(v.text)
		return
	}
	b.WriteByte('"')
	for i := range len(v.text) {
		if c := v.text[i]; c == '"' || c == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(v.text[i])
	}
	b.WriteByte('"')
}

// isPlain reports whether s means the same without quotes.
func isPlain(s string) bool {
	if s == "" {
		return false
	}
	for _, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune("-_./@+%", rune(c)) {
			return false
		}
	}
	return true
}

// glob reports whether s matches pattern, in which * stands for any bytes and ? for one. On a mismatch the search goes
// back only to the last star, so the time is at most len(pattern) * len(s).
func glob(pattern, s string) bool {
	p, i := 0, 0
	star, mark := -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || lower(pattern[p]) == lower(s[i])):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// contains reports whether sub occurs in s, ignoring the case of ASCII letters. It allocates nothing.
func contains[T string | []byte](s T, sub string) bool {
	if sub == "" {
		return true
	}
	first := lower(sub[0])
	for i := 0; i+len(sub) <= len(s); i++ {
		if lower(s[i]) != first {
			continue
		}
		j := 1
		for j < len(sub) && lower(s[i+j]) == lower(sub[j]) {
			j++
		}
		if j == len(sub) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// readNumber returns the bounds of a whole number, such as "409", or of a class of numbers, such as "4xx".
func readNumber(s string) (low, high int64, err error) {
	digits := strings.TrimRight(strings.ToLower(s), "x")
	open := len(s) - len(digits)
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || open > 3 || open > 0 && (n < 0 || n > 1_000_000) {
		return 0, 0, fmt.Errorf("%q is not a number", s)
	}
	size := int64(1)
	for range open {
		size *= 10
	}
	return n * size, n*size + size - 1, nil
}

// readDuration reads "5ms", "1.5s" or "2m"; a bare number is in milliseconds.
func readDuration(s string) (low, high int64, err error) {
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		s = strconv.FormatFloat(n, 'f', -1, 64) + "ms"
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, 0, fmt.Errorf("%q is not a duration such as 5ms or 2m", s)
	}
	return int64(d), int64(d), nil
}

// atMoment is the bound of a moment's name, which is looked up in the Env on each match.
const atMoment = -1

// momentName matches the valid names of moments.
var momentName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9-]{0,62}$`)

// IsMoment reports whether a name is valid for a moment: letters, digits and hyphens, a letter first, at most 63.
func IsMoment(name string) bool { return momentName.MatchString(name) }

// readSince reads a duration, or a moment's name.
func readSince(s string) (low, high int64, err error) {
	if low, high, err = readDuration(s); err == nil && low >= 0 {
		return low, high, nil
	}
	if IsMoment(s) {
		return atMoment, atMoment, nil
	}
	return 0, 0, fmt.Errorf("%q is not a duration such as 5ms or 2m, nor a moment such as sync", s)
}

var sizeUnits = map[string]float64{
	"": 1, "b": 1, "k": 1e3, "kb": 1e3, "kib": 1 << 10, "m": 1e6, "mb": 1e6, "mib": 1 << 20,
	"g": 1e9, "gb": 1e9, "gib": 1 << 30,
}

// readSize reads bytes: "512", "4k", "1.5MiB".
func readSize(s string) (low, high int64, err error) {
	cut := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if cut < 0 {
		cut = len(s)
	}
	n, err := strconv.ParseFloat(s[:cut], 64)
	unit, ok := sizeUnits[strings.ToLower(s[cut:])]
	if err != nil || !ok || n*unit > 1e18 {
		return 0, 0, fmt.Errorf("%q is not a size such as 512 or 4KiB", s)
	}
	return int64(n * unit), int64(n * unit), nil
}
